// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/vec.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    tf::cudaTask square_task = flow.kernel(BLOCKS, THREADS, 0, square, x, xx, N).name("square");
    tf::cudaTask square2_task = flow.kernel(BLOCKS, THREADS, 0, square, y, yy, N).name("square2");
    tf::cudaTask reduce_task = flow.kernel(BLOCKS, THREADS, 0, reduce, xx, yy, sum, N).name("reduce");
    square_task.precede(reduce_task);
    square2_task.precede(reduce_task);
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
