// SPDX-License-Identifier: GPL-3.0-or-later
// mvt, in PolyBench's shape: x1 += A y1 and x2 += A' y2, which need nothing of each other.
#include "support.h"
#ifndef N
#define N 512
#endif
#define THREADS 256
#define BLOCKS  ((N + THREADS - 1) / THREADS)
#define VECTOR  (N * sizeof(float))
#define MATRIX  (N * VECTOR)

__global__ void rows(const float *a, float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x[i] += a[i * n + j] * y[j];
}

__global__ void columns(const float *a, float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x[i] += a[j * n + i] * y[j];
}

static float *A, *X1, *X2, *Y1, *Y2, *result1, *result2, *a, *u1, *u2, *v1, *v2;

void run()
{
    cudaMemcpy(a, A, MATRIX, cudaMemcpyHostToDevice);
    cudaMemcpy(u1, X1, VECTOR, cudaMemcpyHostToDevice);
    cudaMemcpy(u2, X2, VECTOR, cudaMemcpyHostToDevice);
    cudaMemcpy(v1, Y1, VECTOR, cudaMemcpyHostToDevice);
    cudaMemcpy(v2, Y2, VECTOR, cudaMemcpyHostToDevice);
    rows<<<BLOCKS, THREADS>>>(a, u1, v1, N);
    columns<<<BLOCKS, THREADS>>>(a, u2, v2, N);
    cudaMemcpy(result1, u1, VECTOR, cudaMemcpyDeviceToHost);
    cudaMemcpy(result2, u2, VECTOR, cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    cudaMallocHost(&A, MATRIX);
    cudaMallocHost(&X1, VECTOR);
    cudaMallocHost(&X2, VECTOR);
    cudaMallocHost(&Y1, VECTOR);
    cudaMallocHost(&Y2, VECTOR);
    cudaMallocHost(&result1, VECTOR);
    cudaMallocHost(&result2, VECTOR);
    fill(A, (size_t)N * N, 1, 1);
    fill(X1, N, 2, 1);
    fill(X2, N, 3, 1);
    fill(Y1, N, 4, 1);
    fill(Y2, N, 5, 1);
    cudaMalloc(&a, MATRIX);
    cudaMalloc(&u1, VECTOR);
    cudaMalloc(&u2, VECTOR);
    cudaMalloc(&v1, VECTOR);
    cudaMalloc(&v2, VECTOR);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put_bytes(argc > 1 ? argv[1] : NULL, "x1", result1, VECTOR);
    put_bytes(argc > 1 ? argv[1] : NULL, "x2", result2, VECTOR);
    return finish();
}
