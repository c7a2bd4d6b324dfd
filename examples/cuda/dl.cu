// SPDX-License-Identifier: GPL-3.0-or-later
// DL: two towers of convolution, pooling and convolution, whose results are put side by side and weighed.
#include "support.h"
#ifndef N
#define N 240
#endif
#define FIRST   8
#define SECOND  16
#define SIDE1   (N / 2)
#define SIDE11  (SIDE1 / 5)
#define SIDE2   (SIDE11 / 2)
#define BLOCKS  32
#define THREADS 256

// 3 x 3, every second place, CHANNELS planes into FILTERS planes, cut at zero.
__global__ void conv2d(float *result, const float *image, const float *filter, int side, int channels, int filters)
{
    int half = side / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += blockDim.x * gridDim.x)
        for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < half; j += blockDim.y * gridDim.y)
            for (int f = 0; f < filters; f++) {
                float sum = 0;
                for (int c = 0; c < channels; c++)
                    for (int x = 0; x < 3; x++)
                        for (int y = 0; y < 3; y++) {
                            int row = 2 * i + x - 1, column = 2 * j + y - 1;
                            if (row >= 0 && row < side && column >= 0 && column < side)
                                sum += image[(c * side + row) * side + column] *
                                       filter[((f * channels + c) * 3 + x) * 3 + y];
                        }
                result[(f * half + i) * half + j] = fmaxf(sum, 0);
            }
}

__global__ void mean_pooling(float *result, const float *image, int side, int channels)
{
    int fifth = side / 5;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fifth; i += blockDim.x * gridDim.x)
        for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < fifth; j += blockDim.y * gridDim.y)
            for (int c = blockIdx.z * blockDim.z + threadIdx.z; c < channels; c += blockDim.z * gridDim.z) {
                float sum = 0;
                for (int x = 0; x < 5; x++)
                    for (int y = 0; y < 5; y++) sum += image[(c * side + 5 * i + x) * side + 5 * j + y];
                result[(c * fifth + i) * fifth + j] = sum / 25;
            }
}

__global__ void concat(float *result, const float *first, const float *second, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        result[i] = first[i];
        result[n + i] = second[i];
    }
}

// In 1/1024, as whole numbers add up to the same whatever the order.
__global__ void dot_product(const float *x, const float *weights, unsigned long long *sum, int n)
{
    long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        own += (long long)(x[i] * weights[i] * 1024);
    for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(~0u, own, lane);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)own);
}

#ifndef KERNELS_ALONE // who has the kernels twice
static float *x, *x10, *x11, *x2, *y, *y10, *y11, *y2, *kernel1, *kernel2, *kernel3, *kernel4, *z, *weights;
static unsigned long long *result;

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8), blocks3(BLOCKS / 2, BLOCKS / 2, BLOCKS / 2), threads3(4, 4, 4);
    conv2d<<<blocks, threads>>>(x10, x, kernel1, N, 1, FIRST);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(y10, y, kernel3, N, 1, FIRST);
    cudaDeviceSynchronize();
    mean_pooling<<<blocks3, threads3>>>(x11, x10, SIDE1, FIRST);
    cudaDeviceSynchronize();
    mean_pooling<<<blocks3, threads3>>>(y11, y10, SIDE1, FIRST);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(x2, x11, kernel2, SIDE11, FIRST, SECOND);
    cudaDeviceSynchronize();
    conv2d<<<blocks, threads>>>(y2, y11, kernel4, SIDE11, FIRST, SECOND);
    cudaDeviceSynchronize();
    concat<<<BLOCKS, THREADS>>>(z, x2, y2, SIDE2 * SIDE2 * SECOND);
    cudaDeviceSynchronize();
    dot_product<<<BLOCKS, THREADS>>>(z, weights, result, 2 * SIDE2 * SIDE2 * SECOND);
    cudaDeviceSynchronize();
}
#endif

int main(int argc, char **argv)
{
    size_t first = (size_t)SIDE1 * SIDE1 * FIRST, pooled = (size_t)SIDE11 * SIDE11 * FIRST,
           second = (size_t)SIDE2 * SIDE2 * SECOND;
    x = array<float>((size_t)N * N, 1, 1);
    y = array<float>((size_t)N * N, 2, 1);
    x10 = space<float>(first);
    y10 = space<float>(first);
    x11 = space<float>(pooled);
    y11 = space<float>(pooled);
    x2 = space<float>(second);
    y2 = space<float>(second);
    kernel1 = array<float>(9 * FIRST, 3, 1);
    kernel2 = array<float>(9 * FIRST * SECOND, 4, 1);
    kernel3 = array<float>(9 * FIRST, 5, 1);
    kernel4 = array<float>(9 * FIRST * SECOND, 6, 1);
    z = space<float>(2 * second);
    weights = array<float>(2 * second, 7, 1);
    result = array<unsigned long long>(1, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        if (round) cudaMemset(result, 0, sizeof *result);
        begin_round();
        run();
        end_round();
    }
    put(argc > 1 ? argv[1] : NULL, "z", z, 2 * second);
    put(argc > 1 ? argv[1] : NULL, "result", result, 1);
    return finish();
}
#endif
