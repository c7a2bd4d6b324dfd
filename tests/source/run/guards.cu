// SPDX-License-Identifier: GPL-3.0-or-later
// Sources whose written form must guard its order, one per CASE: an event behind the statement that waits for it, a
// graph that is replayed with other arguments, a copy back within what a graph could hold, pointers that change hands.
#include <cstdio>
#include <utility>
#define N 256
__global__ void set(int *x, int v) { x[threadIdx.x] = v + threadIdx.x; }
__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }
__global__ void both(const int *x, const int *y, int *z) { z[threadIdx.x] = x[threadIdx.x] * 3 + y[threadIdx.x]; }
int main()
{
    int *x, *y, *z, h[N] = {1, 2, 3};
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    cudaMalloc(&z, sizeof h);
    cudaMemset(y, 0, sizeof h);
    cudaMemset(z, 0, sizeof h);
#if CASE == 1
    if (cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice) == cudaSuccess) {
        set<<<1, N>>>(z, 5);
        add<<<1, N>>>(x, y);
        add<<<1, N>>>(x, z);
    }
#elif CASE == 2
    for (int i = 0; i < 4; i++) {
        set<<<1, N>>>(x, i);
        set<<<1, N>>>(y, 2 * i);
        both<<<1, N>>>(x, y, z);
        add<<<1, N>>>(z, y);
    }
#elif CASE == 3
    for (int i = 0; i < 3; i++) {
        set<<<1, N>>>(x, i);
        add<<<1, N>>>(x, y);
        cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
        set<<<1, N>>>(z, h[3]);
        add<<<1, N>>>(z, y);
    }
#elif CASE == 4
    set<<<1, N>>>(x, 1);
    for (int i = 0; i < 5; i++) {
        both<<<1, N>>>(x, y, z);
        add<<<1, N>>>(z, y);
        std::swap(x, z);
    }
#elif CASE == 5
    int *m;
    cudaMallocManaged(&m, sizeof h);
    for (int i = 0; i < 4; i++) {
        set<<<1, N>>>(x, i);
        set<<<1, N>>>(y, 2 * i);
        both<<<1, N>>>(x, y, m);
        cudaDeviceSynchronize();
        printf("%d\n", m[9]);
    }
#endif
    cudaMemcpy(h, z, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[9]);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[9]);
    return 0;
}
