// SPDX-License-Identifier: GPL-3.0-or-later
// IMG: an image sharpened at three scales and put together again, 11 kernels.
#include "support.h"
#ifndef N
#define N 256
#endif
#define BLOCKS   32
#define THREADS  512
#define SMALL    3
#define LARGE    5

__global__ void gaussian_blur(const float *image, float *result, int rows, int columns, const float *mask, int diameter)
{
    extern __shared__ float local[];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < diameter * diameter; i += blockDim.x * blockDim.y)
        local[i] = mask[i];
    __syncthreads();
    int radius = diameter / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x)
        for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < columns; j += blockDim.y * gridDim.y) {
            float sum = 0;
            for (int x = -radius; x <= radius; x++)
                for (int y = -radius; y <= radius; y++)
                    if (i + x >= 0 && i + x < rows && j + y >= 0 && j + y < columns)
                        sum += local[(x + radius) * diameter + y + radius] * image[(i + x) * columns + j + y];
            result[i * columns + j] = sum;
        }
}

__global__ void sobel(const float *image, float *result, int rows, int columns)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x)
        for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < columns; j += blockDim.y * gridDim.y) {
            float across = 0, down = 0;
            for (int x = -1; x <= 1; x++)
                for (int y = -1; y <= 1; y++)
                    if (i + x >= 0 && i + x < rows && j + y >= 0 && j + y < columns) {
                        float pixel = image[(i + x) * columns + j + y];
                        across += pixel * x * (2 - y * y);
                        down += pixel * y * (2 - x * x);
                    }
            result[i * columns + j] = sqrtf(across * across + down * down);
        }
}

// Values are not negative, so that their bits have their order.
__global__ void maximum(const float *x, float *most, int n)
{
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) own = fmaxf(own, x[i]);
    for (int lane = 16; lane > 0; lane /= 2) own = fmaxf(own, __shfl_down_sync(~0u, own, lane));
    if (threadIdx.x % 32 == 0) atomicMax((int *)most, __float_as_int(own));
}

__global__ void minimum(const float *x, float *least, int n)
{
    float own = 1e30f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) own = fminf(own, x[i]);
    for (int lane = 16; lane > 0; lane /= 2) own = fminf(own, __shfl_down_sync(~0u, own, lane));
    if (threadIdx.x % 32 == 0) atomicMin((int *)least, __float_as_int(own));
}

__global__ void extend(float *x, const float *least, const float *most, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        x[i] = fminf(1, 5 * (x[i] - least[0]) / (most[0] - least[0]));
}

// The image is not const, as in the papers' source: a scheduler that goes by signatures takes it as written.
__global__ void unsharpen(float *image, const float *blurred, float *result, float amount, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        result[i] = fminf(1, fmaxf(0, image[i] * (1 + amount) - blurred[i] * amount));
}

__global__ void combine(const float *first, const float *second, const float *mask, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        result[i] = first[i] * mask[i] + second[i] * (1 - mask[i]);
}

#ifndef KERNELS_ALONE // who has the kernels twice
static float *image, *image2, *image3, *image_unsharpen, *mask_small, *mask_large, *blurred_small, *blurred_large,
    *blurred_unsharpen;
static float *kernel_small, *kernel_large, *kernel_unsharpen, *most, *least;

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8);
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float)>>>(image, blurred_small, N, N, kernel_small, SMALL);
    cudaDeviceSynchronize();
    gaussian_blur<<<blocks, threads, LARGE * LARGE * sizeof(float)>>>(image, blurred_large, N, N, kernel_large, LARGE);
    cudaDeviceSynchronize();
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float)>>>(image, blurred_unsharpen, N, N, kernel_unsharpen,
                                                                      SMALL);
    cudaDeviceSynchronize();
    sobel<<<blocks, threads>>>(blurred_small, mask_small, N, N);
    cudaDeviceSynchronize();
    sobel<<<blocks, threads>>>(blurred_large, mask_large, N, N);
    cudaDeviceSynchronize();
    maximum<<<BLOCKS, THREADS>>>(mask_large, most, N * N);
    cudaDeviceSynchronize();
    minimum<<<BLOCKS, THREADS>>>(mask_large, least, N * N);
    cudaDeviceSynchronize();
    extend<<<BLOCKS, THREADS>>>(mask_large, least, most, N * N);
    cudaDeviceSynchronize();
    unsharpen<<<BLOCKS, THREADS>>>(image, blurred_unsharpen, image_unsharpen, 0.5f, N * N);
    cudaDeviceSynchronize();
    combine<<<BLOCKS, THREADS>>>(image_unsharpen, blurred_large, mask_large, image2, N * N);
    cudaDeviceSynchronize();
    combine<<<BLOCKS, THREADS>>>(image2, blurred_small, mask_small, image3, N * N);
    cudaDeviceSynchronize();
}
#endif

int main(int argc, char **argv)
{
    size_t pixels = (size_t)N * N;
    image = array<float>(pixels, 1, 1);
    image2 = space<float>(pixels);
    image3 = space<float>(pixels);
    image_unsharpen = space<float>(pixels);
    mask_small = space<float>(pixels);
    mask_large = space<float>(pixels);
    blurred_small = space<float>(pixels);
    blurred_large = space<float>(pixels);
    blurred_unsharpen = space<float>(pixels);
    kernel_small = array<float>(SMALL * SMALL, 2, 0.2);
    kernel_large = array<float>(LARGE * LARGE, 3, 0.08);
    kernel_unsharpen = array<float>(SMALL * SMALL, 4, 0.2);
    most = array<float>(1, 0, 0);
    least = array<float>(1, 5, 1000);
    for (int round = 0; round < ROUNDS; round++) {
        if (round) cudaMemset(most, 0, sizeof *most);
        if (round) cudaMemset(least, 0x7f, sizeof *least);
        begin_round();
        run();
        end_round();
    }
    put(argc > 1 ? argv[1] : NULL, "image3", image3, pixels);
    put(argc > 1 ? argv[1] : NULL, "mask_large", mask_large, pixels);
    return finish();
}
#endif
