/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cuda_runtime_api.h. What nvcc knows beside it: words, threads' places, functions of kernels, typed calls.
 * Compiled by clang++ -x cuda --cuda-host-only, which checks kernels and makes no code of them. */
#pragma once

#define __CUDACC__             1
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__        inline __attribute__((always_inline))
#define __align__(n)           __attribute__((aligned(n)))
#define __grid_constant__

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/traces/runner/stub/cuda_runtime_api.h"

struct uint3 {
    unsigned x, y, z;
};
struct float2 {
    float x, y;
};
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
struct __attribute__((aligned(16))) uint4 {
    unsigned x, y, z, w;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;

extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);

__device__ void __syncthreads(void);
__device__ void __syncwarp(unsigned = ~0u);
__device__ void __threadfence(void);
__device__ void __threadfence_block(void);
__device__ void __threadfence_system(void);
__device__ void __nanosleep(unsigned);
__device__ unsigned __activemask(void);
__device__ int __popc(unsigned);
__device__ int __clz(int);
__device__ long long clock64(void);
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __ldg(const T *);
template <class T, class U> __device__ T atomicAdd(T *, U);
template <class T, class U> __device__ T atomicSub(T *, U);
template <class T, class U> __device__ T atomicMax(T *, U);
template <class T, class U> __device__ T atomicMin(T *, U);
template <class T, class U> __device__ T atomicExch(T *, U);
template <class T, class U, class V> __device__ T atomicCAS(T *, U, V);
__host__ __device__ static inline int min(int a, int b) { return a < b ? a : b; }
__host__ __device__ static inline int max(int a, int b) { return a > b ? a : b; }
__host__ __device__ static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
__host__ __device__ static inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
__host__ __device__ static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
__device__ unsigned __float_as_uint(float);
#define GSIM_STUB_MATH(name)                                                                                           \
    __device__ float name(float);                                                                                      \
    __device__ double name(double);                                                                                    \
    extern "C" __device__ float name##f(float);
GSIM_STUB_MATH(exp)
GSIM_STUB_MATH(fabs)
GSIM_STUB_MATH(log)
GSIM_STUB_MATH(sqrt)
#undef GSIM_STUB_MATH

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned f)
{
    return cudaHostAlloc((void **)p, n, f);
}
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned f = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, n, f);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned f)
{
    return cudaHostGetDevicePointer((void **)p, host, f);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *f, enum cudaFuncAttribute a, int value)
{
    return cudaFuncSetAttribute((const void *)f, a, value);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, T *f)
{
    return cudaFuncGetAttributes(a, (const void *)f);
}
template <class... T, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*)(T...), A &&...)
{
    return c ? cudaErrorNotSupported : cudaErrorInvalidValue;
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, T, int, size_t)
{
    *count = 0;
    return cudaErrorNotSupported;
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveClusters(int *count, T, const cudaLaunchConfig_t *)
{
    *count = 0;
    return cudaErrorNotSupported;
}
static inline __device__ void cudaTriggerProgrammaticLaunchCompletion(void) {}
static inline __device__ void cudaGridDependencySynchronize(void) {}
