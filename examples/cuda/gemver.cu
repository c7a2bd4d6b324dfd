// SPDX-License-Identifier: GPL-3.0-or-later
// gemver, in PolyBench's shape: B = A + u1 v1' + u2 v2', x = beta B' y + z, w = alpha B x. Each needs what is before
// it.
#include "support.h"
#ifndef N
#define N 512
#endif
#define THREADS 256
#define BLOCKS  ((N + THREADS - 1) / THREADS)
#define VECTOR  (N * sizeof(float))
#define MATRIX  (N * VECTOR)
#define VECTORS 6

__global__ void update(float *a, const float *u1, const float *v1, const float *u2, const float *v2, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

__global__ void transposed(const float *a, float *x, const float *y, const float *z, float beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = z[i];
    for (int j = 0; j < n; j++) sum += beta * a[j * n + i] * y[j];
    x[i] = sum;
}

__global__ void multiply(const float *a, const float *x, float *w, float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < n; j++) sum += alpha * a[i * n + j] * x[j];
    w[i] = sum;
}

static float *A, *host[VECTORS], *result_x, *result_w, *a, *in[VECTORS], *x, *w;

void run()
{
    dim3 block(32, 8), grid((N + 31) / 32, (N + 7) / 8);
    cudaMemcpy(a, A, MATRIX, cudaMemcpyHostToDevice);
    for (int i = 0; i < VECTORS; i++) cudaMemcpy(in[i], host[i], VECTOR, cudaMemcpyHostToDevice);
    update<<<grid, block>>>(a, in[0], in[1], in[2], in[3], N);
    transposed<<<BLOCKS, THREADS>>>(a, x, in[4], in[5], 1.2f, N);
    multiply<<<BLOCKS, THREADS>>>(a, x, w, 1.5f, N);
    cudaMemcpy(result_x, x, VECTOR, cudaMemcpyDeviceToHost);
    cudaMemcpy(result_w, w, VECTOR, cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    cudaMallocHost(&A, MATRIX);
    cudaMallocHost(&result_x, VECTOR);
    cudaMallocHost(&result_w, VECTOR);
    fill(A, (size_t)N * N, 1, 1);
    cudaMalloc(&a, MATRIX);
    cudaMalloc(&x, VECTOR);
    cudaMalloc(&w, VECTOR);
    for (int i = 0; i < VECTORS; i++) {
        cudaMallocHost(&host[i], VECTOR);
        fill(host[i], N, i + 2, 0.01);
        cudaMalloc(&in[i], VECTOR);
    }
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put_bytes(argc > 1 ? argv[1] : NULL, "x", result_x, VECTOR);
    put_bytes(argc > 1 ? argv[1] : NULL, "w", result_w, VECTOR);
    return finish();
}
