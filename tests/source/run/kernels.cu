// SPDX-License-Identifier: GPL-3.0-or-later
// What kernels compute, against sums done by hand: barriers, shared memory of both kinds, shuffles, votes, atomics,
// templates, launches through a macro, a pointer, cudaLaunchKernel. Exits with the number of the first that is wrong.
#include <cuda_fp16.h>
#include <vector>
#define RUN(...)                                                                                                       \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        if (cudaGetLastError()) exit(99);                                                                              \
    } while (0)
#define EXPECT(n, what, value)                                                                                         \
    if ((what) != (value)) {                                                                                           \
        fprintf(stderr, "%d: %g for %g\n", n, (double)(what), (double)(value));                                        \
        exit(n);                                                                                                       \
    }
__constant__ int weight[4];
__managed__ int total;
struct Pair {
    int a;
    float b[5];
};
template <class T, int K> __global__ void tree(const T *x, T *y) // the sum of K
{
    __shared__ T part[K];
    part[threadIdx.x] = x[blockIdx.x * K + threadIdx.x];
    __syncthreads();
    for (int half = K / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
extern __shared__ __align__(16) int dynamic[];
__global__ void __launch_bounds__(128) reverse(int *x, int n)
{
    int i = threadIdx.x;
    dynamic[i] = x[i];
    __syncthreads();
    x[i] = dynamic[n - 1 - i];
    n = 0;
}
__global__ void warp(const int *x, int *y)
{
    int v = x[threadIdx.x], lane = threadIdx.x % 32;
    for (int by = 16; by; by >>= 1) v += __shfl_down_sync(0xffffffffu, v, by);
    if (lane == 0) y[threadIdx.x / 32] = v;
    int all = __shfl_xor_sync(0xffffffffu, lane, 1) + __shfl_up_sync(0xffffffffu, lane, 1) * 100 +
              __shfl_sync(0xffffffffu, lane, 7, 8) * 10000;
    unsigned none = __ballot_sync(0xffffffffu, 0);
    if (threadIdx.x == 5) y[8] = all, y[9] = (int)none + 1;
    unsigned even = __ballot_sync(0xffffffffu, lane % 2 == 0);
    if (threadIdx.x == 37) y[10] = (int)even;
    if (lane < 16) {
        int s = __shfl_xor_sync(0xffffu, lane, 8);
        if (threadIdx.x == 3) y[11] = s;
    }
}
__global__ void count(int *x, unsigned *wraps, int n)
{
    atomicAdd(x, weight[threadIdx.x % 4]);
    atomicMax(&x[1], (int)threadIdx.x);
    atomicInc(wraps, 4);
    atomicCAS(&x[2], 0, n);
    if (!threadIdx.x) atomicAdd(&total, 1);
}
__global__ void early(int *x, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    __syncthreads();
    x[i] = __syncthreads_count(i % 2);
}
__global__ void take(Pair p, int3 shape, int (*rows)[4])
{
    rows[threadIdx.y][threadIdx.x] = p.a + (int)p.b[threadIdx.x] + shape.z + blockDim.y + gridDim.x;
}
__global__ void halves(__half *x) { x[threadIdx.x] = __float2half(__half2float(x[threadIdx.x]) * 2); }
template <class F> __global__ void apply(int *x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
template <class K, class... A> void start(K kernel, A... arguments) { kernel<<<1, 32>>>(arguments...); }
int main()
{
    std::vector<int> h(256);
    int *x, *y, w[] = {1, 2, 3, 4};
    cudaMalloc(&x, 1024);
    cudaMalloc((void **)&y, 1024);
    for (int i = 0; i < 256; i++) h[i] = i;
    auto up = [&] {
        cudaMemcpy(x, h.data(), 1024, cudaMemcpyHostToDevice);
        cudaMemset(y, 0, 1024);
    };
    auto down = [&](const int *d) { cudaMemcpy(h.data(), d, 1024, cudaMemcpyDeviceToHost); };
    up();
    RUN((tree<int, 64><<<4, 64>>>(x, y)));
    down(y);
    EXPECT(1, h[0], 2016)
    EXPECT(1, h[3], 14304) // 0..63, 192..255
        for (int i = 0; i < 256; i++) h[i] = i;
    up();
    reverse<<<dim3(1), 128, 128 * sizeof(int)>>>(x, 128);
    down(x);
    EXPECT(2, h[0], 127) EXPECT(2, h[127], 0) EXPECT(2, h[128], 128) for (int i = 0; i < 256; i++) h[i] = i;
    up();
    warp<<<1, 256>>>(x, y);
    down(y);
    EXPECT(3, h[0], 496)
    EXPECT(3, h[7], 7664) EXPECT(4, h[8], 4 + 400 + 70000) EXPECT(5, h[9], 1) EXPECT(6, h[10], 0x55555555)
        EXPECT(7, h[11], 11) cudaMemcpyToSymbol(weight, w, sizeof w);
    cudaMemset(x, 0, 1024);
    cudaMemset(y, 0, 1024);
    count<<<2, 128>>>(x, (unsigned *)y, 9);
    down(x);
    EXPECT(8, h[0], 640) EXPECT(8, h[1], 127) EXPECT(8, h[2], 9) down(y);
    EXPECT(9, h[0], 1) // 256 mod 5
    cudaDeviceSynchronize();
    EXPECT(10, total, 2)
    early<<<1, 64>>>(x, 21);
    down(x);
    EXPECT(11, h[20], 10)
    Pair p = {5, {0, 10, 20, 30, 40}};
    take<<<3, dim3(4, 2)>>>(p, make_int3(1, 2, 1000), (int(*)[4])y);
    down(y);
    EXPECT(12, h[7], 1040) // 5 + 30 + 1000 + 2 + 3
    std::vector<__half> f(512, __float2half(1.5f));
    cudaMemcpy(x, f.data(), 1024, cudaMemcpyHostToDevice);
    halves<<<1, 2>>>((__half *)x);
    down(x);
    EXPECT(13, h[0], 0x42004200)
    EXPECT(13, h[1], 0x3e003e00) EXPECT(13, __half2float(__float2half(65504.f)), 65504)
        EXPECT(13, __float2half(6e-8f).x, 1) h[0] = 3;
    up();
    int by = 7;
    apply<<<1, 1>>>(x, [=] __device__(int v) { return v * by; });
    down(x);
    EXPECT(14, h[0], 21)
    void *a[] = {&x, &by};
    by = 2;
    up();
    start(early, y, by);
    cudaLaunchKernel((const void *)early, dim3(1), dim3(32), a, 0, 0);
    down(x);
    EXPECT(15, h[1], 1) EXPECT(15, h[2], 0x3e003e00) void (*pointer)(int *, int) = early;
    pointer<<<1, 32>>>(x, 3);
    down(x);
    EXPECT(16, h[2], 1)
    return 0;
}
