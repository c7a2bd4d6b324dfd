// SPDX-License-Identifier: GPL-3.0-or-later
// HITS: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/hits.cu"

void run()
{
    cudaStream_t stream1, stream2;
    cudaEvent_t event1, event2, event3;
    cudaStreamCreate(&stream1);
    cudaStreamCreate(&stream2);
    cudaEventCreate(&event1);
    cudaEventCreate(&event2);
    cudaEventCreate(&event3);
    spmv<<<(N + THREADS - 1) / THREADS, THREADS, 0, stream1>>>(counter1, ptr2, idx2, val2, hub1, auth2, N);
    cudaEventRecord(event2, stream1);
    spmv<<<(N + THREADS - 1) / THREADS, THREADS, 0, stream2>>>(counter2, ptr, idx, val, auth1, hub2, N);
    cudaEventRecord(event1, stream2);
    sum<<<BLOCKS, THREADS, 0, stream1>>>(auth2, auth_norm, N);
    sum<<<BLOCKS, THREADS, 0, stream2>>>(hub2, hub_norm, N);
    cudaStreamWaitEvent(stream1, event1, 0);
    divide<<<BLOCKS, THREADS, 0, stream1>>>(auth2, auth1, auth_norm, N);
    cudaStreamWaitEvent(stream2, event2, 0);
    divide<<<BLOCKS, THREADS, 0, stream2>>>(hub2, hub1, hub_norm, N);
    cudaEventRecord(event3, stream2);
    cudaStreamWaitEvent(stream1, event3, 0);
    reset<<<1, 1, 0, stream1>>>(auth_norm, hub_norm, counter1, counter2);
    cudaDeviceSynchronize();
}
