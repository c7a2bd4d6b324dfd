// SPDX-License-Identifier: GPL-3.0-or-later
// DL: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/dl.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8), blocks3(BLOCKS / 2, BLOCKS / 2, BLOCKS / 2), threads3(4, 4,
        4);
    tf::cudaTask conv_1_task = flow.kernel(blocks, threads, 0, conv2d, x10, x, kernel1, N, 1, FIRST).name("conv_1");
    tf::cudaTask conv_3_task = flow.kernel(blocks, threads, 0, conv2d, y10, y, kernel3, N, 1, FIRST).name("conv_3");
    tf::cudaTask pooling_1_task = flow.kernel(blocks3, threads3, 0, mean_pooling, x11, x10, SIDE1,
        FIRST).name("pooling_1");
    tf::cudaTask pooling_2_task = flow.kernel(blocks3, threads3, 0, mean_pooling, y11, y10, SIDE1,
        FIRST).name("pooling_2");
    tf::cudaTask conv_2_task = flow.kernel(blocks, threads, 0, conv2d, x2, x11, kernel2, SIDE11, FIRST,
        SECOND).name("conv_2");
    tf::cudaTask conv_4_task = flow.kernel(blocks, threads, 0, conv2d, y2, y11, kernel4, SIDE11, FIRST,
        SECOND).name("conv_4");
    tf::cudaTask concat_task = flow.kernel(BLOCKS, THREADS, 0, concat, z, x2, y2,
        SIDE2 * SIDE2 * SECOND).name("concat");
    tf::cudaTask dot_product_task = flow.kernel(BLOCKS, THREADS, 0, dot_product, z, weights, result,
        2 * SIDE2 * SIDE2 * SECOND).name("dot_product");
    conv_1_task.precede(pooling_1_task);
    conv_3_task.precede(pooling_2_task);
    pooling_1_task.precede(conv_2_task);
    pooling_2_task.precede(conv_4_task);
    conv_2_task.precede(concat_task);
    conv_4_task.precede(concat_task);
    concat_task.precede(dot_product_task);
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
