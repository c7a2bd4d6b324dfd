// SPDX-License-Identifier: GPL-3.0-or-later
// 2mm, in PolyBench's shape: D = alpha A B C + beta D. Copies from and to pinned memory.
#include "support.h"
#ifndef N
#define N 128
#endif
#define COUNT ((size_t)N * N)
#define BYTES (COUNT * sizeof(float))

__global__ void product(const float *left, const float *right, float *out, float factor, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += left[row * n + k] * right[k * n + column];
    out[row * n + column] = factor * sum;
}

__global__ void add_product(const float *left, const float *right, float *out, float factor, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = factor * out[row * n + column];
    for (int k = 0; k < n; k++) sum += left[row * n + k] * right[k * n + column];
    out[row * n + column] = sum;
}

static float *A, *B, *C, *D, *result, *a, *b, *c, *d, *t;

void run()
{
    dim3 block(32, 8), grid((N + 31) / 32, (N + 7) / 8);
    cudaMemcpy(a, A, BYTES, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B, BYTES, cudaMemcpyHostToDevice);
    cudaMemcpy(c, C, BYTES, cudaMemcpyHostToDevice);
    cudaMemcpy(d, D, BYTES, cudaMemcpyHostToDevice);
    product<<<grid, block>>>(a, b, t, 1.5f, N);
    add_product<<<grid, block>>>(t, c, d, 1.2f, N);
    cudaMemcpy(result, d, BYTES, cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    cudaMallocHost(&A, BYTES);
    cudaMallocHost(&B, BYTES);
    cudaMallocHost(&C, BYTES);
    cudaMallocHost(&D, BYTES);
    cudaMallocHost(&result, BYTES);
    fill(A, COUNT, 1, 1);
    fill(B, COUNT, 2, 1);
    fill(C, COUNT, 3, 1);
    fill(D, COUNT, 4, 1);
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&c, BYTES);
    cudaMalloc(&d, BYTES);
    cudaMalloc(&t, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put_bytes(argc > 1 ? argv[1] : NULL, "D", result, BYTES);
    return finish();
}
