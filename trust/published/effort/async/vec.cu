// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/vec.cu"

void run()
{
    cudaStream_t stream1, stream2;
    cudaEvent_t event1;
    cudaStreamCreate(&stream1);
    cudaStreamCreate(&stream2);
    cudaEventCreate(&event1);
    square<<<BLOCKS, THREADS, 0, stream1>>>(x, xx, N);
    square<<<BLOCKS, THREADS, 0, stream2>>>(y, yy, N);
    cudaEventRecord(event1, stream2);
    cudaStreamWaitEvent(stream1, event1, 0);
    reduce<<<BLOCKS, THREADS, 0, stream1>>>(xx, yy, sum, N);
    cudaDeviceSynchronize();
}
