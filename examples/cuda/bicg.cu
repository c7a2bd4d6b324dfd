// SPDX-License-Identifier: GPL-3.0-or-later
// bicg, in PolyBench's shape: q = A p and s = A' r, which read the same matrix.
#include "support.h"
#ifndef N
#define N 512
#endif
#define THREADS 256
#define BLOCKS  ((N + THREADS - 1) / THREADS)
#define VECTOR  (N * sizeof(float))
#define MATRIX  (N * VECTOR)

__global__ void by_rows(const float *a, const float *p, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    q[i] = 0;
    for (int j = 0; j < n; j++) q[i] += a[i * n + j] * p[j];
}

__global__ void by_columns(const float *a, const float *r, float *s, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    s[j] = 0;
    for (int i = 0; i < n; i++) s[j] += a[i * n + j] * r[i];
}

static float *A, *P, *R, *Q, *S, *a, *p, *r, *q, *s;

void run()
{
    cudaMemcpy(a, A, MATRIX, cudaMemcpyHostToDevice);
    cudaMemcpy(r, R, VECTOR, cudaMemcpyHostToDevice);
    cudaMemcpy(p, P, VECTOR, cudaMemcpyHostToDevice);
    by_columns<<<BLOCKS, THREADS>>>(a, r, s, N);
    cudaMemcpy(S, s, VECTOR, cudaMemcpyDeviceToHost);
    by_rows<<<BLOCKS, THREADS>>>(a, p, q, N);
    cudaMemcpy(Q, q, VECTOR, cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    cudaMallocHost(&A, MATRIX);
    cudaMallocHost(&P, VECTOR);
    cudaMallocHost(&R, VECTOR);
    cudaMallocHost(&Q, VECTOR);
    cudaMallocHost(&S, VECTOR);
    fill(A, (size_t)N * N, 1, 1);
    fill(P, N, 2, 1);
    fill(R, N, 3, 1);
    cudaMalloc(&a, MATRIX);
    cudaMalloc(&p, VECTOR);
    cudaMalloc(&r, VECTOR);
    cudaMalloc(&q, VECTOR);
    cudaMalloc(&s, VECTOR);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put_bytes(argc > 1 ? argv[1] : NULL, "s", S, VECTOR);
    put_bytes(argc > 1 ? argv[1] : NULL, "q", Q, VECTOR);
    return finish();
}
