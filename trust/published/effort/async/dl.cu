// SPDX-License-Identifier: GPL-3.0-or-later
// DL: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/dl.cu"

void run()
{
    cudaStream_t stream1, stream2;
    cudaEvent_t event1;
    cudaStreamCreate(&stream1);
    cudaStreamCreate(&stream2);
    cudaEventCreate(&event1);
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8), blocks3(BLOCKS / 2, BLOCKS / 2, BLOCKS / 2), threads3(4, 4,
        4);
    conv2d<<<blocks, threads, 0, stream1>>>(x10, x, kernel1, N, 1, FIRST);
    conv2d<<<blocks, threads, 0, stream2>>>(y10, y, kernel3, N, 1, FIRST);
    mean_pooling<<<blocks3, threads3, 0, stream1>>>(x11, x10, SIDE1, FIRST);
    mean_pooling<<<blocks3, threads3, 0, stream2>>>(y11, y10, SIDE1, FIRST);
    conv2d<<<blocks, threads, 0, stream1>>>(x2, x11, kernel2, SIDE11, FIRST, SECOND);
    conv2d<<<blocks, threads, 0, stream2>>>(y2, y11, kernel4, SIDE11, FIRST, SECOND);
    cudaEventRecord(event1, stream2);
    cudaStreamWaitEvent(stream1, event1, 0);
    concat<<<BLOCKS, THREADS, 0, stream1>>>(z, x2, y2, SIDE2 * SIDE2 * SECOND);
    dot_product<<<BLOCKS, THREADS, 0, stream1>>>(z, weights, result, 2 * SIDE2 * SIDE2 * SECOND);
    cudaDeviceSynchronize();
}
