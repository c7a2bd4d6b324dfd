// SPDX-License-Identifier: GPL-3.0-or-later
// Loops: a pair of arrays swapped each round, copies that share a buffer of the host, a result that the host reads in
// between, checks by macros, statements without braces, memory that is not pinned.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define N 4096
#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));    \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define SAFE(call) do { cudaError_t e = (call); if (e != cudaSuccess) exit(1); } while (0)

__global__ void step(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] * 2;
}

__global__ void count(const float *x, int *result) { if (x[threadIdx.x] > 0) atomicAdd(result, 1); }

int main(void)
{
    float *a, *b, *c[4], *host, *pageable = (float *)malloc(N * sizeof(float)), sum = 0;
    int *result, found = 0;
    CHECK(cudaMallocHost(&host, N * sizeof(float)));
    SAFE(cudaMalloc(&a, N * sizeof(float)));
    SAFE(cudaMalloc(&b, N * sizeof(float)));
    CHECK(cudaMalloc(&result, sizeof(int)));
    for (int i = 0; i < 4; i++) cudaMalloc(&c[i], N * sizeof(float));
    for (int i = 0; i < N; i++) host[i] = i;
    CHECK(cudaMemcpy(a, host, N * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemset(b, 0, N * sizeof(float)));
    for (int i = 0; i < 4; i++)
        CHECK(cudaMemcpy(c[i], host, N * sizeof(float), cudaMemcpyHostToDevice));
    for (int round = 0; round < 6; round++) {
        step<<<N / 256, 256>>>(a, b, N);
        float *swap = a;
        a = b;
        b = swap;
    }
    for (int i = 0; i < 4; i++) {
        step<<<N / 256, 256>>>(c[i], c[(i + 1) % 4], N);
        if (i % 2) step<<<N / 256, 256>>>(c[i], b, N);
        SAFE(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(host, a, N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) sum += host[i];
    SAFE(cudaMemcpy(c[0], host, N * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(pageable, b, N * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(result, 0, sizeof(int)));
    count<<<1, 256>>>(c[0], result);
    cudaMemcpy(&found, result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %f %f\n", found, sum, pageable[1]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
