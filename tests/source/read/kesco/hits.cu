// SPDX-License-Identifier: GPL-3.0-or-later
// HITS: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/hits.cu"
#include "../kesco_program.h"

__global__ void spmv(int outputs, int *row_counter, float *to, const int *begin, const int *index, const int *value,
        const float *from, int n)
    { kernels::spmv(row_counter, begin, index, value, from, to, n); }
__global__ void sum(int outputs, unsigned long long *norm, const float *x, int n) { kernels::sum(x, norm, n); }
__global__ void divide(int outputs, float *y, const float *x, const unsigned long long *norm, int n)
    { kernels::divide(x, y, norm, n); }
__global__ void reset(int outputs, unsigned long long *norm1, unsigned long long *norm2, int *counter1, int *counter2)
    { kernels::reset(norm1, norm2, counter1, counter2); }

void run()
{
    spmv<<<(N + THREADS - 1) / THREADS, THREADS>>>(2, counter1, auth2, ptr2, idx2, val2, hub1, N);
    cudaDeviceSynchronize();
    spmv<<<(N + THREADS - 1) / THREADS, THREADS>>>(2, counter2, hub2, ptr, idx, val, auth1, N);
    cudaDeviceSynchronize();
    sum<<<BLOCKS, THREADS>>>(1, auth_norm, auth2, N);
    cudaDeviceSynchronize();
    sum<<<BLOCKS, THREADS>>>(1, hub_norm, hub2, N);
    cudaDeviceSynchronize();
    divide<<<BLOCKS, THREADS>>>(1, auth1, auth2, auth_norm, N);
    cudaDeviceSynchronize();
    divide<<<BLOCKS, THREADS>>>(1, hub1, hub2, hub_norm, N);
    cudaDeviceSynchronize();
    reset<<<1, 1>>>(4, auth_norm, hub_norm, counter1, counter2);
    cudaDeviceSynchronize();
}
