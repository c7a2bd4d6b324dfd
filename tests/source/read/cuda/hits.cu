// SPDX-License-Identifier: GPL-3.0-or-later
// Two chains that meet, in the shape of HITS: a loop with launches, halves of one array, copies, streams and events, a
// kernel launched by a call, a swap of pointers.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef STEPS
#define STEPS 2
#endif

__global__ void spread(const int *rows, const float *from, float *to, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[rows[i]];
}

template <class T> __global__ void scale(T *data, const T *by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= by[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096, *rows;
    float *both, *other, *norm, *host = (float *)malloc(n * sizeof(float));
    cudaStream_t stream[2];
    cudaEvent_t done;
    for (int i = 0; i < 2; i++) cudaStreamCreate(&stream[i]);
    cudaEventCreate(&done);
    cudaMalloc((void **)&rows, n * sizeof(int));
    cudaMalloc((void **)&both, 2 * n * sizeof(float));
    cudaMalloc((void **)&other, n * sizeof(float));
    cudaMalloc((void **)&norm, sizeof(float));
    cudaMemcpyAsync(both, host, n * sizeof(float), cudaMemcpyHostToDevice, stream[0]);
    cudaMemsetAsync(norm, 0, sizeof(float), stream[1]);
    float *from = both + n, *to = other;
    for (int step = 0; step < STEPS; step++) {
        spread<<<n / 256, 256, 0, stream[0]>>>(rows, from, to, n);
        cudaEventRecord(done, stream[0]);
        cudaStreamWaitEvent(stream[1], done, 0);
        scale<float><<<n / 256, 256, 0, stream[1]>>>(to, norm, n);
        float *swap = from;
        from = to;
        to = swap;
    }
    void *arguments[] = {&rows, &from, &to, &n};
    cudaLaunchKernel((const void *)spread, dim3(n / 256), dim3(256), arguments, 0, stream[0]);
    cudaMemcpy(host, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    return 0;
}
