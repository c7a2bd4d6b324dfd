// SPDX-License-Identifier: GPL-3.0-or-later
// Matrices by explicit copies, repeated, in a function whose name begins as CUDA's do; then ten independent vectors, as
// B&S has them, each in a stream of its own.
#include <cuda_runtime.h>
#define SIDE 64
#define COUNT 10

__global__ void product(float *left, float *right, float *out)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if ((row < SIDE) && (column < SIDE))
        for (int k = 0; k < SIDE; k++) out[row * SIDE + column] += left[row * SIDE + k] * right[k * SIDE + column];
}

__global__ void price(const double *x, double *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = exp(x[i]) * 0.5;
}

static void cuda(float *host, int rounds)
{
    float *matrix[3];
    size_t bytes = sizeof(float) * SIDE * SIDE;
    for (int i = 0; i < 3; i++) cudaMalloc((void **)&matrix[i], bytes);
    for (int i = 0; i < 2; i++) cudaMemcpy(matrix[i], host, bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid((unsigned)ceil((float)SIDE / block.x), (unsigned)ceil((float)SIDE / block.y));
    for (int round = 0; round < rounds; round++) product<<<grid, block>>>(matrix[0], matrix[1], matrix[2]);
    cudaMemcpy(host, matrix[2], bytes, cudaMemcpyDeviceToHost);
}

int main()
{
    double *x[COUNT], *y[COUNT];
    cudaStream_t stream[COUNT];
    float *host = (float *)malloc(sizeof(float) * SIDE * SIDE);
    cuda(host, 3);
    for (int i = 0; i < COUNT; i++) {
        cudaStreamCreate(&stream[i]);
        cudaMallocManaged(&x[i], 8 * 1000);
        cudaMallocManaged(&y[i], 8 * 1000);
        for (int j = 0; j < 1000; j++) x[i][j] = j;
    }
    for (int i = 0; i < COUNT; i++) price<<<4, 32, 0, stream[i]>>>(x[i], y[i], 1000);
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        cudaStreamSynchronize(stream[i]);
        sum += y[i][0];
    }
    return sum > 0;
}
