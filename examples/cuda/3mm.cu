// SPDX-License-Identifier: GPL-3.0-or-later
// 3mm, in PolyBench's shape: G = (A B) (C D). Two products that need nothing of each other, then a third.
#include "support.h"
#ifndef N
#define N 128
#endif
#define COUNT ((size_t)N * N)
#define BYTES (COUNT * sizeof(float))

__global__ void product(const float *left, const float *right, float *out, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += left[row * n + k] * right[k * n + column];
    out[row * n + column] = sum;
}

static float *host[4], *result, *in[4], *e, *f, *g;

void run()
{
    dim3 block(32, 8), grid((N + 31) / 32, (N + 7) / 8);
    for (int i = 0; i < 4; i++) cudaMemcpy(in[i], host[i], BYTES, cudaMemcpyHostToDevice);
    product<<<grid, block>>>(in[0], in[1], e, N);
    product<<<grid, block>>>(in[2], in[3], f, N);
    product<<<grid, block>>>(e, f, g, N);
    cudaMemcpy(result, g, BYTES, cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 4; i++) {
        cudaMallocHost(&host[i], BYTES);
        fill(host[i], COUNT, i + 1, 1);
        cudaMalloc(&in[i], BYTES);
    }
    cudaMallocHost(&result, BYTES);
    cudaMalloc(&e, BYTES);
    cudaMalloc(&f, BYTES);
    cudaMalloc(&g, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put_bytes(argc > 1 ? argv[1] : NULL, "G", result, BYTES);
    return finish();
}
