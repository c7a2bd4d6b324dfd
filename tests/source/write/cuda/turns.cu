// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that do not depend on one another, in a loop whose counter can name the stream.
#include <cuda_runtime.h>
#include <stdio.h>
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) return printf("%s\n", cudaGetErrorString(error_)), 1;                               \
    } while (0)
#ifndef PARTS
#define PARTS 4
#endif
#ifndef STEP
#define STEP
#endif

__global__ void work(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2 + 1;
}

int main()
{
    const int n = 1 << 16;
    float *x[PARTS], *h;
    CHECK(cudaMallocHost(&h, PARTS * n * sizeof(float)));
    for (int i = 0; i < PARTS * n; i++) h[i] = i;
    for (int i = 0; i < PARTS; i++) CHECK(cudaMalloc(&x[i], n * sizeof(float)));
    for (int i = 0; i < PARTS; i++) {
        CHECK(cudaMemcpy(x[i], h + i * n, n * sizeof(float), cudaMemcpyHostToDevice));
        work<<<n / 256, 256>>>(x[i], n);
        CHECK(cudaMemcpy(h + i * n, x[i], n * sizeof(float), cudaMemcpyDeviceToHost));
        STEP
    }
    double sum = 0;
    for (int i = 0; i < PARTS * n; i++) sum += h[i];
    printf("%g\n", sum);
    return 0;
}
