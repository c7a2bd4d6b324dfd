// SPDX-License-Identifier: GPL-3.0-or-later
// VEC's shape: two squares, then a reduction; no main, a size that only --arg gives.
#include <cuda_runtime.h>
#define UP(a, b) (((a) + (b) - 1) / (b))
#define GRID(n) UP(n, 256) // of 256 threads
__global__ void square(float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = x[i] * x[i];
}
__global__ void reduce(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(z, x[i] - y[i]);
}
extern int size();
void run(int n)
{
    float *x, *y, *x1, *y1, *z;
    cudaMallocManaged(&x, sizeof(float) * n);
    cudaMallocManaged(&y, sizeof(float) * n);
    cudaMallocManaged(&x1, sizeof(float) * n);
    cudaMallocManaged(&y1, sizeof(float) * n);
    cudaMallocManaged(&z, sizeof(float));
    square<<<BLOCKS, 256>>>(x, x1, n);
    square<<<BLOCKS, 256>>>(y, y1, n);
    for (int round = 0; round < size(); round++) reduce<<<GRID(n), 256>>>(x1, y1, z, n);
    cudaDeviceSynchronize();
}
