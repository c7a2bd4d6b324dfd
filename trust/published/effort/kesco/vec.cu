// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define OTHER_RUN
#include "../../../../examples/cuda/support.h"
#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__
#define KERNELS_ALONE
namespace kernels // as the serial program has them, for those below to call
{
#include "../../../../examples/cuda/vec.cu"
}
#undef KERNELS_ALONE
#pragma pop_macro("__global__")
#include "../../../../examples/cuda/vec.cu"

__global__ void square(int outputs, float *y, const float *x, int n) { kernels::square(x, y, n); }
__global__ void reduce(int outputs, unsigned long long *sum, const float *x, const float *y, int n)
    { kernels::reduce(x, y, sum, n); }

void run()
{
    square<<<BLOCKS, THREADS>>>(1, xx, x, N);
    cudaDeviceSynchronize();
    square<<<BLOCKS, THREADS>>>(1, yy, y, N);
    cudaDeviceSynchronize();
    reduce<<<BLOCKS, THREADS>>>(1, sum, xx, yy, N);
    cudaDeviceSynchronize();
}
