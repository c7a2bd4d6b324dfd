// SPDX-License-Identifier: GPL-3.0-or-later
// DL: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/dl.cu"
#include "../kesco_program.h"

__global__ void conv2d(int outputs, float *result, const float *image, const float *filter, int side, int channels,
        int filters)
    { kernels::conv2d(result, image, filter, side, channels, filters); }
__global__ void mean_pooling(int outputs, float *result, const float *image, int side, int channels)
    { kernels::mean_pooling(result, image, side, channels); }
__global__ void concat(int outputs, float *result, const float *first, const float *second, int n)
    { kernels::concat(result, first, second, n); }
__global__ void dot_product(int outputs, unsigned long long *sum, const float *x, const float *weights, int n)
    { kernels::dot_product(x, weights, sum, n); }

void run()
{
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8), blocks3(BLOCKS / 2, BLOCKS / 2, BLOCKS / 2), threads3(4, 4,
        4);
    conv2d<<<blocks, threads>>>(1, x10, x, kernel1, N, 1, FIRST);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(1, y10, y, kernel3, N, 1, FIRST);
    cudaDeviceSynchronize();
    mean_pooling<<<blocks3, threads3>>>(1, x11, x10, SIDE1, FIRST);
    cudaDeviceSynchronize();
    mean_pooling<<<blocks3, threads3>>>(1, y11, y10, SIDE1, FIRST);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(1, x2, x11, kernel2, SIDE11, FIRST, SECOND);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(1, y2, y11, kernel4, SIDE11, FIRST, SECOND);
    cudaDeviceSynchronize();
    concat<<<BLOCKS, THREADS>>>(1, z, x2, y2, SIDE2 * SIDE2 * SECOND);
    cudaDeviceSynchronize();
    dot_product<<<BLOCKS, THREADS>>>(1, result, z, weights, 2 * SIDE2 * SIDE2 * SECOND);
    cudaDeviceSynchronize();
}
