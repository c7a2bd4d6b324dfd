// SPDX-License-Identifier: GPL-3.0-or-later
// HITS: hubs and authorities of a graph whose vertices have three neighbours each. Two chains, each of which overwrites
// what the other one's product reads.
#include "support.h"
#ifndef N
#define N (1 << 16)
#endif
#define DEGREE  3
#define BLOCKS  512
#define THREADS 32

// Rows are given to warps as they ask, eight at a time; four threads work on a row.
__global__ void spmv(int *row_counter, const int *begin, const int *index, const int *value, const float *from,
                     float *to, int n)
{
    int lane = threadIdx.x % 4, row = 0, base = 0;
    for (;;) {
        if (threadIdx.x % 32 == 0) base = atomicAdd(row_counter, 8);
        base = __shfl_sync(~0u, base, 0);
        if (base >= n) return;
        row = base + threadIdx.x % 32 / 4;
        float sum = 0;
        if (row < n)
            for (int i = begin[row] + lane; i < begin[row + 1]; i += 4) sum += value[i] * from[index[i]];
        for (int step = 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step, 4);
        if (lane == 0 && row < n) to[row] = sum;
    }
}

// In 1/1024, as whole numbers add up to the same whatever the order.
__global__ void sum(const float *x, unsigned long long *norm, int n)
{
    unsigned long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        own += (unsigned long long)(x[i] * 1024);
    for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(~0u, own, lane);
    if (threadIdx.x % 32 == 0) atomicAdd(norm, own);
}

__global__ void divide(const float *x, float *y, const unsigned long long *norm, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = x[i] * 1024 * n / norm[0];
}

__global__ void reset(unsigned long long *norm1, unsigned long long *norm2, int *counter1, int *counter2)
{
    norm1[0] = 0;
    norm2[0] = 0;
    counter1[0] = 0;
    counter2[0] = 0;
}

#ifndef KERNELS_ALONE // who has the kernels twice
static int *ptr, *idx, *val, *ptr2, *idx2, *val2, *counter1, *counter2;
static float *auth1, *auth2, *hub1, *hub2;
static unsigned long long *auth_norm, *hub_norm;

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    spmv<<<(N + THREADS - 1) / THREADS, THREADS>>>(counter1, ptr2, idx2, val2, hub1, auth2, N);
    cudaDeviceSynchronize();
    spmv<<<(N + THREADS - 1) / THREADS, THREADS>>>(counter2, ptr, idx, val, auth1, hub2, N);
    cudaDeviceSynchronize();
    sum<<<BLOCKS, THREADS>>>(auth2, auth_norm, N);
    cudaDeviceSynchronize();
    sum<<<BLOCKS, THREADS>>>(hub2, hub_norm, N);
    cudaDeviceSynchronize();
    divide<<<BLOCKS, THREADS>>>(auth2, auth1, auth_norm, N);
    cudaDeviceSynchronize();
    divide<<<BLOCKS, THREADS>>>(hub2, hub1, hub_norm, N);
    cudaDeviceSynchronize();
    reset<<<1, 1>>>(auth_norm, hub_norm, counter1, counter2);
    cudaDeviceSynchronize();
}
#endif

// Row i begins at 3i.
__global__ void number(int *begin, int n, int degree)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += blockDim.x * gridDim.x) begin[i] = i * degree;
}

int main(int argc, char **argv)
{
    ptr = space<int>(N + 1);
    ptr2 = space<int>(N + 1);
    number<<<BLOCKS, THREADS>>>(ptr, N, DEGREE);
    number<<<BLOCKS, THREADS>>>(ptr2, N, DEGREE);
    cudaDeviceSynchronize();
    idx = array<int>((size_t)N * DEGREE, 1, N);
    idx2 = array<int>((size_t)N * DEGREE, 1, N);
    val = array<int>((size_t)N * DEGREE, 2, 4);
    val2 = array<int>((size_t)N * DEGREE, 2, 4);
    counter1 = array<int>(1, 0, 0);
    counter2 = array<int>(1, 0, 0);
    auth1 = array<float>(N, 3, 1);
    auth2 = space<float>(N);
    hub1 = array<float>(N, 4, 1);
    hub2 = space<float>(N);
    auth_norm = array<unsigned long long>(1, 0, 0);
    hub_norm = array<unsigned long long>(1, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    put(argc > 1 ? argv[1] : NULL, "auth1", auth1, N);
    put(argc > 1 ? argv[1] : NULL, "hub1", hub1, N);
    return finish();
}
#endif
