// SPDX-License-Identifier: GPL-3.0-or-later
// BS: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/bs.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    for (int i = 0; i < VECTORS; i++) {
        flow.kernel(BLOCKS, THREADS, 0, price, x[i], y[i], N, 0.08, 0.3, 1.0, 60.0).name("price");
    }
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
