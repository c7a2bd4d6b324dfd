// SPDX-License-Identifier: GPL-3.0-or-later
// IMG: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/img.cu"
#include "../kesco_program.h"

__global__ void gaussian_blur(int outputs, float *result, const float *image, int rows, int columns,
        const float *mask, int diameter)
    { kernels::gaussian_blur(image, result, rows, columns, mask, diameter); }
__global__ void sobel(int outputs, float *result, const float *image, int rows, int columns)
    { kernels::sobel(image, result, rows, columns); }
__global__ void maximum(int outputs, float *most, const float *x, int n) { kernels::maximum(x, most, n); }
__global__ void minimum(int outputs, float *least, const float *x, int n) { kernels::minimum(x, least, n); }
__global__ void extend(int outputs, float *x, const float *least, const float *most, int n)
    { kernels::extend(x, least, most, n); }
__global__ void unsharpen(int outputs, float *result, float *image, const float *blurred, float amount, int n)
    { kernels::unsharpen(image, blurred, result, amount, n); }
__global__ void combine(int outputs, float *result, const float *first, const float *second, const float *mask, int n)
    { kernels::combine(first, second, mask, result, n); }

void run()
{
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8);
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float)>>>(1, blurred_small, image, N, N, kernel_small,
        SMALL);
    cudaDeviceSynchronize();
    gaussian_blur<<<blocks, threads, LARGE * LARGE * sizeof(float)>>>(1, blurred_large, image, N, N, kernel_large,
        LARGE);
    cudaDeviceSynchronize();
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float)>>>(1, blurred_unsharpen, image, N, N,
        kernel_unsharpen, SMALL);
    cudaDeviceSynchronize();
    sobel<<<blocks, threads>>>(1, mask_small, blurred_small, N, N);
    cudaDeviceSynchronize();
    sobel<<<blocks, threads>>>(1, mask_large, blurred_large, N, N);
    cudaDeviceSynchronize();
    maximum<<<BLOCKS, THREADS>>>(1, most, mask_large, N * N);
    cudaDeviceSynchronize();
    minimum<<<BLOCKS, THREADS>>>(1, least, mask_large, N * N);
    cudaDeviceSynchronize();
    extend<<<BLOCKS, THREADS>>>(1, mask_large, least, most, N * N);
    cudaDeviceSynchronize();
    unsharpen<<<BLOCKS, THREADS>>>(1, image_unsharpen, image, blurred_unsharpen, 0.5f, N * N);
    cudaDeviceSynchronize();
    combine<<<BLOCKS, THREADS>>>(1, image2, image_unsharpen, blurred_large, mask_large, N * N);
    cudaDeviceSynchronize();
    combine<<<BLOCKS, THREADS>>>(1, image3, image2, blurred_small, mask_small, N * N);
    cudaDeviceSynchronize();
}
