// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/vec.cu"
#include "../kesco_program.h"

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
