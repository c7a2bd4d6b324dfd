// SPDX-License-Identifier: GPL-3.0-or-later
// HITS: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/hits.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    tf::cudaTask spmv_1_task = flow.kernel((N + THREADS - 1) / THREADS, THREADS, 0, spmv, counter1, ptr2, idx2,
        val2, hub1, auth2, N).name("spmv_1");
    tf::cudaTask spmv_2_task = flow.kernel((N + THREADS - 1) / THREADS, THREADS, 0, spmv, counter2, ptr, idx, val,
        auth1, hub2, N).name("spmv_2");
    tf::cudaTask sum_1_task = flow.kernel(BLOCKS, THREADS, 0, sum, auth2, auth_norm, N).name("sum_1");
    tf::cudaTask sum_2_task = flow.kernel(BLOCKS, THREADS, 0, sum, hub2, hub_norm, N).name("sum_2");
    tf::cudaTask divide_1_task = flow.kernel(BLOCKS, THREADS, 0, divide, auth2, auth1, auth_norm, N).name("divide_1");
    tf::cudaTask divide_2_task = flow.kernel(BLOCKS, THREADS, 0, divide, hub2, hub1, hub_norm, N).name("divide_2");
    tf::cudaTask reset_task = flow.kernel(1, 1, 0, reset, auth_norm, hub_norm, counter1, counter2).name("reset");
    spmv_1_task.precede(sum_1_task, divide_2_task);
    spmv_2_task.precede(sum_2_task, divide_1_task);
    sum_1_task.precede(divide_1_task);
    sum_2_task.precede(divide_2_task);
    divide_1_task.precede(reset_task);
    divide_2_task.precede(reset_task);
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
