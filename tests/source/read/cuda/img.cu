// SPDX-License-Identifier: GPL-3.0-or-later
// An image sharpened at three scales, in the shape of IMG: 11 launches, methods of a class, sizes set by the command
// line.
#include <cuda_runtime.h>
#include <cstdlib>

#define CHECK(call) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) exit(1); } while (0)

__global__ void blur(const float *in, float *out, const float *mask, int n, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (x >= n || y >= n) return;
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) sum += mask[i * width + j] * in[((y + i) % n) * n + (x + j) % n];
    out[y * n + x] = sum;
}

__global__ void edges(float *in, float *out, int n)
{
    float *row = in + (blockIdx.y * blockDim.y + threadIdx.y) * n;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x + 1 < n) out[(blockIdx.y * blockDim.y + threadIdx.y) * n + x] = fabsf(row[x + 1] - row[x]);
}

__device__ void keep_larger(float *where, float value) { atomicMax((int *)where, __popc((unsigned)value)); }

__global__ void largest(float *in, float *result, int n) { keep_larger(result, in[threadIdx.x]); }
__global__ void smallest(float *in, float *result, int n) { atomicMin((int *)result, (int)in[threadIdx.x]); }

__global__ void stretch(float *x, float *low, float *high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (x[i] - low[0]) / high[0];
}

__global__ void subtract(float *image, const float *blurred, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = image[i] * 2 - blurred[i];
}

__global__ void mix(const float *a, const float *b, const float *mask, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * mask[i] + b[i] * (1 - mask[i]);
}

class Image {
  public:
    void allocate();
    void run();
    int n = 64, side = 8;
    float *image, *blurred[3], *edge[2], *masks[3], *sharp, *first, *second, *low, *high;
};

void Image::allocate()
{
    size_t bytes = sizeof(float) * n * n;
    float **all[] = {&image, &edge[0], &edge[1], &sharp, &first, &second};
    for (int i = 0; i < 6; i++) CHECK(cudaMallocManaged(all[i], bytes));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMallocManaged(&blurred[i], bytes));
        CHECK(cudaMallocManaged(&masks[i], sizeof(float) * (i == 1 ? 25 : 9)));
    }
    CHECK(cudaMallocManaged(&low, sizeof(float)));
    CHECK(cudaMallocManaged(&high, sizeof(float)));
    for (int i = 0; i < n * n; i++) image[i] = i % 7;
}

void Image::run()
{
    dim3 threads(side, side), blocks((n + side - 1) / side, (n + side - 1) / side);
    int flat = side * side, many = (n * n + flat - 1) / flat;
    blur<<<blocks, threads, 9 * sizeof(float)>>>(image, blurred[0], masks[0], n, 3);
    blur<<<blocks, threads, 25 * sizeof(float)>>>(image, blurred[1], masks[1], n, 5);
    blur<<<blocks, threads, 9 * sizeof(float)>>>(image, blurred[2], masks[2], n, 3);
    edges<<<blocks, threads>>>(blurred[0], edge[0], n);
    edges<<<blocks, threads>>>(blurred[1], edge[1], n);
    largest<<<1, 32>>>(edge[1], high, n);
    smallest<<<1, 32>>>(edge[1], low, n);
    stretch<<<many, flat>>>(edge[1], low, high, n * n);
    subtract<<<many, flat>>>(image, blurred[2], sharp, n * n);
    mix<<<many, flat>>>(sharp, blurred[1], edge[1], first, n * n);
    mix<<<many, flat>>>(image, first, edge[0], second, n * n);
    CHECK(cudaDeviceSynchronize());
}

int main()
{
    Image image;
    image.allocate();
    image.run();
    return image.second[0] > 0;
}
