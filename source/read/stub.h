/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a CUDA source needs to be parsed without CUDA's own headers: keywords, types and declarations, in our words. The
 * build embeds this file in the program (CMakeLists.txt). source/run/device.h has what it declares, for the CPU.
 */
#ifndef GPUSIM_CUDA_STUB
#define GPUSIM_CUDA_STUB
#define __CUDACC__ 1
#define CUDART_VERSION 12000
#define CUDART_CB
// The toolkit's own headers of what is here, where a folder of them is given, say nothing more.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_FP16_H__
#define __CUDA_BF16_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __HOST_DEFINES_H__
#define __BUILTIN_TYPES_H__
#define __cuda_cuda_h__
#ifdef GPUSIM_RUN // by source/run: its text is rewritten
#define __launch_bounds__(...)
#define __grid_constant__
#else
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif
#define __forceinline__ inline
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#if !defined GPUSIM_RUN && __has_include(<bits/specfun.h>) // whose templates take half of the time of a read
#define _GLIBCXX_BITS_SPECFUN_H 1
#include <bits/stl_algobase.h>
#include <limits>
namespace std {
double comp_ellint_1(...), comp_ellint_2(...), comp_ellint_3(...), ellint_1(...), ellint_2(...), ellint_3(...),
    beta(...), cyl_bessel_i(...), cyl_bessel_j(...), cyl_bessel_k(...), cyl_neumann(...), sph_bessel(...),
    sph_neumann(...), expint(...), hermite(...), laguerre(...), legendre(...), assoc_laguerre(...),
    assoc_legendre(...), sph_legendre(...), riemann_zeta(...);
}
#endif
// What nvcc includes by itself.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define GPUSIM_BOTH __host__ __device__

#define GPUSIM_VECTOR(t, n) \
    struct n##1 { t x; }; struct n##2 { t x, y; }; struct n##3 { t x, y, z; }; struct n##4 { t x, y, z, w; }; \
    GPUSIM_BOTH n##2 make_##n##2(t, t); GPUSIM_BOTH n##3 make_##n##3(t, t, t); GPUSIM_BOTH n##4 make_##n##4(t, t, t, t);
GPUSIM_VECTOR(char, char)
GPUSIM_VECTOR(unsigned char, uchar) GPUSIM_VECTOR(short, short) GPUSIM_VECTOR(unsigned short, ushort)
    GPUSIM_VECTOR(int, int) GPUSIM_VECTOR(unsigned, uint) GPUSIM_VECTOR(long, long) GPUSIM_VECTOR(unsigned long, ulong)
        GPUSIM_VECTOR(long long, longlong) GPUSIM_VECTOR(float, float) GPUSIM_VECTOR(double, double) struct dim3 {
    unsigned x, y, z;
    GPUSIM_BOTH dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1);
};
#ifndef GPUSIM_RUN
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;
#endif

enum cudaError {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorNotReady = 600,
    cudaErrorUnknown = 999
};
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum {
    cudaStreamDefault,
    cudaStreamNonBlocking,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2
};
enum {
    cudaHostAllocDefault,
    cudaHostAllocPortable,
    cudaHostAllocMapped,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost, cudaMemAttachSingle = 4, cudaCpuDeviceId = -1 };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
                        cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaDeviceAttr {
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrConcurrentManagedAccess = 89
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
#define cudaStreamLegacy    ((cudaStream_t)0)
#define cudaStreamPerThread ((cudaStream_t)0) // with it alone a program's order is the same
typedef struct cudaArray *cudaArray_t;
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) { return {p, pitch, x, y}; }
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6, cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    int cooperative, programmaticStreamSerializationAllowed, priority;
    struct { unsigned x, y, z; } clusterDim;
};
struct cudaLaunchAttribute { cudaLaunchAttributeID id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor,
        multiProcessorCount, concurrentKernels, memoryClockRate, memoryBusWidth, l2CacheSize,
        maxThreadsPerMultiProcessor, managedMemory, concurrentManagedAccess, asyncEngineCount, canMapHostMemory,
        unifiedAddressing, integrated;
};
template <class T> cudaError_t cudaMalloc(T **, size_t);
template <class T> cudaError_t cudaMallocManaged(T **, size_t, unsigned = 1);
template <class T> cudaError_t cudaMallocHost(T **, size_t, unsigned = 0);
template <class T> cudaError_t cudaHostAlloc(T **, size_t, unsigned = 0);
template <class T> cudaError_t cudaMallocAsync(T **, size_t, cudaStream_t);
template <class T> cudaError_t cudaMallocPitch(T **, size_t *, size_t, size_t);
template <class T> cudaError_t cudaHostGetDevicePointer(T **, void *, unsigned);
template <class T> cudaError_t cudaFuncSetAttribute(T *, cudaFuncAttribute, int);
template <class T> cudaError_t cudaFuncSetCacheConfig(T *, cudaFuncCache);
template <class T> cudaError_t cudaLaunchKernel(const T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, void (*)(P...), A...);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &, const void *, size_t, size_t = 0,
                                                       cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = 0);
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void *, const T &, size_t, size_t = 0,
                                                         cudaMemcpyKind = cudaMemcpyDeviceToHost, cudaStream_t = 0);
template <class T> cudaError_t cudaGetSymbolAddress(void **, const T &);
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, T, size_t = 0, int = 0);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, T, int, size_t);
cudaError_t cudaMalloc(void **, size_t), cudaFree(void *), cudaFreeHost(void *), cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *), cudaMemcpy3DAsync(const cudaMemcpy3DParms *, cudaStream_t = 0),
    cudaMalloc3D(cudaPitchedPtr *, cudaExtent);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t), cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0);
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int), cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t = 0, unsigned = 4);
cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int), cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t), cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned),
    cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaEventCreate(cudaEvent_t *), cudaEventCreateWithFlags(cudaEvent_t *, unsigned),
    cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0), cudaEventSynchronize(cudaEvent_t),
    cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaDeviceSynchronize(), cudaThreadSynchronize(), cudaDeviceReset(), cudaThreadExit(), cudaGetLastError(),
    cudaPeekAtLastError();
cudaError_t cudaSetDevice(int), cudaGetDevice(int *), cudaGetDeviceCount(int *),
    cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int), cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned), cudaDeviceCanAccessPeer(int *, int, int),
    cudaSetDeviceFlags(unsigned);
cudaError_t cudaProfilerStart(), cudaProfilerStop();
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode = cudaStreamCaptureModeGlobal);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *), cudaGraphCreate(cudaGraph_t *, unsigned),
    cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t * = 0, char * = 0, size_t = 0);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t), cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *);
const char *cudaGetErrorString(cudaError_t), *cudaGetErrorName(cudaError_t);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);

#ifndef GPUSIM_RUN
__device__ void __syncthreads(), __syncwarp(unsigned = ~0u), __threadfence(), __threadfence_block(),
    __threadfence_system(), __nanosleep(unsigned);
__device__ int __syncthreads_count(int), __syncthreads_and(int), __syncthreads_or(int), __all_sync(unsigned, int),
    __any_sync(unsigned, int);
__device__ unsigned __ballot_sync(unsigned, int), __activemask();
__device__ int __popc(unsigned), __ffs(int), __clz(int), __mul24(int, int);
__device__ long long clock64();
__device__ int clock();
#define GPUSIM_SHUFFLE(name) template <class T> __device__ T name(unsigned, T, int, int = 32);
GPUSIM_SHUFFLE(__shfl_sync)
GPUSIM_SHUFFLE(__shfl_down_sync) GPUSIM_SHUFFLE(__shfl_up_sync) GPUSIM_SHUFFLE(__shfl_xor_sync)
#define GPUSIM_OLD_SHUFFLE(name) template <class T> __device__ T name(T, int, int = 32);
    GPUSIM_OLD_SHUFFLE(__shfl) GPUSIM_OLD_SHUFFLE(__shfl_down) GPUSIM_OLD_SHUFFLE(__shfl_up)
        GPUSIM_OLD_SHUFFLE(__shfl_xor)
#define GPUSIM_ATOMIC(name) template <class T, class U> __device__ T name(T *, U);
            GPUSIM_ATOMIC(atomicAdd) GPUSIM_ATOMIC(atomicSub) GPUSIM_ATOMIC(atomicExch) GPUSIM_ATOMIC(atomicMin)
                GPUSIM_ATOMIC(atomicMax) GPUSIM_ATOMIC(atomicInc) GPUSIM_ATOMIC(atomicDec) GPUSIM_ATOMIC(atomicAnd)
                    GPUSIM_ATOMIC(atomicOr) GPUSIM_ATOMIC(atomicXor) template <class T, class U, class V>
                    __device__ T atomicCAS(T *, U, V);
#define GPUSIM_HINTS(load, store)                                                                                      \
    template <class T> __device__ T load(const T *);                                                                   \
    template <class T, class U> __device__ void store(T *, U);
GPUSIM_HINTS(__ldg, __stwb) GPUSIM_HINTS(__ldcg, __stcg) GPUSIM_HINTS(__ldcs, __stcs) GPUSIM_HINTS(__ldcv, __stwt)
template <class T> __device__ T __ldca(const T *);
template <class T> __device__ T __ldlu(const T *);
__device__ int __float_as_int(float), __float2int_rn(float), __float2int_rd(float), __double2int_rn(double),
    __brev(unsigned), __ffsll(long long);
__device__ unsigned __float_as_uint(float);
__device__ int __popcll(unsigned long long), __clzll(long long), __umulhi(unsigned, unsigned);
__device__ long long __double_as_longlong(double);
__device__ float __int_as_float(int), __uint_as_float(unsigned), __int2float_rn(int), __saturatef(float),
    __frcp_rn(float), __fmaf_rn(float, float, float);
__device__ double __longlong_as_double(long long);
#define GPUSIM_MATH1(name)                                                                                             \
    __device__ double name(double);                                                                                    \
    __device__ float name(float);                                                                                      \
    __device__ float name##f(float);
#define GPUSIM_MATH2(name)                                                                                             \
    __device__ double name(double, double);                                                                            \
    __device__ float name(float, float);                                                                               \
    __device__ float name##f(float, float);
#define GPUSIM_FAST(name) __device__ float __##name##f(float);
extern "C++" {
GPUSIM_MATH1(sqrt)
GPUSIM_MATH1(rsqrt) GPUSIM_MATH1(exp) GPUSIM_MATH1(exp2) GPUSIM_MATH1(log) GPUSIM_MATH1(log2) GPUSIM_MATH1(log10)
    GPUSIM_MATH1(sin) GPUSIM_MATH1(cos) GPUSIM_MATH1(tan) GPUSIM_MATH1(tanh) GPUSIM_MATH1(atan) GPUSIM_MATH1(erf)
        GPUSIM_MATH1(erfc) GPUSIM_MATH1(fabs) GPUSIM_MATH1(floor) GPUSIM_MATH1(ceil) GPUSIM_MATH1(normcdf)
            GPUSIM_MATH2(pow) GPUSIM_MATH2(fmax) GPUSIM_MATH2(fmin) GPUSIM_MATH2(fmod) GPUSIM_MATH2(atan2)
                GPUSIM_MATH2(hypot) GPUSIM_FAST(exp) GPUSIM_FAST(log) GPUSIM_FAST(sin) GPUSIM_FAST(cos)
                    GPUSIM_FAST(tan) GPUSIM_FAST(log2) GPUSIM_FAST(log10) GPUSIM_FAST(exp10) __device__
    double fma(double, double, double);
__device__ float fmaf(float, float, float), __fdividef(float, float), __powf(float, float), __fsqrt_rn(float);
__device__ int abs(int);
__device__ float abs(float);
__device__ double abs(double);
template <class T, class U> GPUSIM_BOTH auto min(T a, U b) -> decltype(a + b);
template <class T, class U> GPUSIM_BOTH auto max(T a, U b) -> decltype(a + b);
}
__device__ int printf(const char *, ...);
__device__ void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t),
    *memset(void *, int, size_t), *malloc(size_t);
__device__ void free(void *);
#endif
// Types of headers that files include; what their functions do within kernels is not read.
struct __half { unsigned short x; };
struct __half2 { __half x, y; };
struct __nv_bfloat16 { unsigned short x; };
struct __nv_bfloat162 { __nv_bfloat16 x, y; };
GPUSIM_BOTH __half __float2half(float);
GPUSIM_BOTH float __half2float(__half);
#define GPUSIM_SMALL(t)                                                                                                \
    GPUSIM_BOTH t operator+(t, t), operator-(t, t), operator*(t, t), operator/(t, t), operator-(t), __hadd(t, t),      \
        __hsub(t, t), __hmul(t, t), __hdiv(t, t), __hneg(t), __hfma(t, t, t);                                          \
    GPUSIM_BOTH t &operator+=(t &, t), &operator-=(t &, t), &operator*=(t &, t), &operator/=(t &, t);                  \
    GPUSIM_BOTH bool operator<(t, t), operator>(t, t), operator<=(t, t), operator>=(t, t), operator==(t, t),           \
        operator!=(t, t), __hlt(t, t), __hgt(t, t), __heq(t, t);
GPUSIM_SMALL(__half) GPUSIM_SMALL(__nv_bfloat16)
GPUSIM_BOTH __half __float2half_rn(float);
GPUSIM_BOTH __nv_bfloat16 __float2bfloat16_rn(float);
GPUSIM_BOTH __half2 __hadd2(__half2, __half2), __hsub2(__half2, __half2), __hmul2(__half2, __half2),
    __hfma2(__half2, __half2, __half2), __float2half2_rn(float), __floats2half2_rn(float, float),
    __halves2half2(__half, __half);
GPUSIM_BOTH float2 __half22float2(__half2);
GPUSIM_BOTH float __low2float(__half2), __high2float(__half2);
GPUSIM_BOTH __nv_bfloat16 __float2bfloat16(float);
GPUSIM_BOTH float __bfloat162float(__nv_bfloat16);
namespace cooperative_groups {}
namespace nvcuda { namespace wmma {} }
struct curandStateXORWOW { unsigned x; };
typedef curandStateXORWOW curandState, curandState_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
#endif
