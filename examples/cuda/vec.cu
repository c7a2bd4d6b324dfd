// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: the sum of squared differences. Two squares, then a reduction.
#include "support.h"
#ifndef N
#define N (1 << 20)
#endif
#define BLOCKS  128
#define THREADS 512

__global__ void square(const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = x[i] * x[i];
}

// In 1/65536, as whole numbers add up to the same whatever the order.
__global__ void reduce(const float *x, const float *y, unsigned long long *sum, int n)
{
    long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        own += (long long)((x[i] - y[i]) * 65536);
    for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(~0u, own, lane);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)own);
}

#ifndef KERNELS_ALONE // who has the kernels twice
static float *x, *y, *xx, *yy;
static unsigned long long *sum;

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    square<<<BLOCKS, THREADS>>>(x, xx, N);
    cudaDeviceSynchronize();
    square<<<BLOCKS, THREADS>>>(y, yy, N);
    cudaDeviceSynchronize();
    reduce<<<BLOCKS, THREADS>>>(xx, yy, sum, N);
    cudaDeviceSynchronize();
}
#endif

int main(int argc, char **argv)
{
    x = array<float>(N, 1, 1);
    y = array<float>(N, 2, 1);
    xx = space<float>(N);
    yy = space<float>(N);
    sum = array<unsigned long long>(1, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        if (round) cudaMemset(sum, 0, sizeof *sum);
        begin_round();
        run();
        end_round();
    }
    put(argc > 1 ? argv[1] : NULL, "sum", sum, 1);
    return finish();
}
#endif
