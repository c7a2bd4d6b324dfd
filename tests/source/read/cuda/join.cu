// SPDX-License-Identifier: GPL-3.0-or-later
// A fork of twelve streams and their join: the last kernel follows every one of them.
#include <cuda_runtime.h>

__global__ void part(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }
__global__ void sum(float *a) { a[threadIdx.x] += 1.0f; }

int main(void)
{
    float *a[12], *all;
    cudaStream_t streams[12], last;
    cudaEvent_t done[12];
    cudaStreamCreate(&last);
    cudaMalloc(&all, 4096);
    for (int i = 0; i < 12; i++) {
        cudaMalloc(&a[i], 4096);
        cudaStreamCreate(&streams[i]);
        cudaEventCreate(&done[i]);
        part<<<4, 256, 0, streams[i]>>>(a[i]);
        cudaEventRecord(done[i], streams[i]);
        cudaStreamWaitEvent(last, done[i], 0);
    }
    sum<<<1, 256, 0, last>>>(all);
    cudaDeviceSynchronize();
    return 0;
}
