/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Behind source/read/stub.h and table.h, before the text of a program that runs on the CPU (source/run/run.h): what the
 * stub declares. The build embeds this file in the program.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#define GPUSIM_HIDDEN __attribute__((visibility("hidden")))
#define GPUSIM_BARE __attribute__((used, no_sanitize("thread"), visibility("hidden")))
#define GPUSIM_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define GPUSIM_IN_SHARED __attribute__((section("gpusim_shared")))

/* The program's first file has the variables. */
#ifdef GPUSIM_OTHER_FILE
#define GPUSIM_ONE(type, name, value) extern GPUSIM_HIDDEN type name;
#else
#define GPUSIM_ONE(type, name, value) GPUSIM_HIDDEN type name value;
#endif
typedef char gpusim_bytes[228 << 10] __attribute__((aligned(256)));
GPUSIM_ONE(struct gpusim_run *, gpusim, )
GPUSIM_ONE(GPUSIM_IN_SHARED uint3, threadIdx, = {})
GPUSIM_ONE(GPUSIM_IN_SHARED uint3, blockIdx, = {})
GPUSIM_ONE(GPUSIM_IN_SHARED dim3, blockDim, (1))
GPUSIM_ONE(GPUSIM_IN_SHARED dim3, gridDim, (1))
GPUSIM_ONE(GPUSIM_IN_SHARED gpusim_bytes, gpusim_dynamic, )
static constexpr int warpSize = 32;
#ifndef GPUSIM_OTHER_FILE
extern "C" GPUSIM_HIDDEN char __start_gpusim_shared[], __stop_gpusim_shared[];
/* Before any constructor of the program: its address is a variable of the environment. */
__attribute__((constructor(101), no_sanitize("thread"))) static void gpusim_attach(void)
{
    struct gpusim_run *run = gpusim = (struct gpusim_run *)strtoull(getenv("GPUSIM_RUN"), 0, 0);
    run->thread = &threadIdx.x;
    run->block = &blockIdx.x;
    run->block_dim = &blockDim.x;
    run->grid_dim = &gridDim.x;
    run->shared_begin = __start_gpusim_shared;
    run->shared_end = __stop_gpusim_shared;
    gpusim_dynamic[0] = 0;
}

/* --- what the compiler calls for each load and store --- */
template <class T> __attribute__((no_sanitize("thread"))) inline void gpusim_mark(const void *at, int is_write)
{
    size_t offset = (size_t)((const char *)at - gpusim->arena);
    if (!gpusim->in_kernel) {
        if (offset < gpusim->arena_size) gpusim->host_access(at, sizeof(T), is_write);
        return;
    }
    unsigned char *shadow = gpusim->shadow;
    if (offset < gpusim->arena_size) {
        gpusim->dirty[offset >> 16] = gpusim->dirty[(offset + sizeof(T) - 1) >> 16] = 1;
    } else {
        offset = (size_t)((const char *)at - gpusim->globals);
        if (offset >= gpusim->globals_size) return;
        shadow = gpusim->globals_shadow;
    }
    T bits;
    __builtin_memcpy(&bits, shadow + offset, sizeof bits);
    bits |= (T)((T)~(T)0 / 255 * (T)(is_write + 1));
    __builtin_memcpy(shadow + offset, &bits, sizeof bits);
}
extern "C" {
GPUSIM_BARE void __tsan_init(void) {}
#define GPUSIM_HOOK(bytes, type)                                                                                       \
    GPUSIM_BARE void __tsan_read##bytes(void *at) { if (gpusim) gpusim_mark<type>(at, 0); }                            \
    GPUSIM_BARE void __tsan_write##bytes(void *at) { if (gpusim) gpusim_mark<type>(at, 1); }                           \
    GPUSIM_BARE void __tsan_unaligned_read##bytes(void *at) { __tsan_read##bytes(at); }                                \
    GPUSIM_BARE void __tsan_unaligned_write##bytes(void *at) { __tsan_write##bytes(at); }
GPUSIM_HOOK(1, uint8_t) GPUSIM_HOOK(2, uint16_t) GPUSIM_HOOK(4, uint32_t) GPUSIM_HOOK(8, uint64_t)
GPUSIM_HOOK(16, unsigned __int128)
GPUSIM_BARE void __tsan_vptr_update(void **, void *) {}
GPUSIM_BARE void __tsan_vptr_read(void **) {}
GPUSIM_BARE void *memcpy(void *to, const void *from, size_t bytes) noexcept { return gpusim->move(to, from, bytes); }
GPUSIM_BARE void *memmove(void *to, const void *from, size_t bytes) noexcept { return gpusim->move(to, from, bytes); }
GPUSIM_BARE void *memset(void *to, int value, size_t bytes) noexcept { return gpusim->fill(to, value, bytes); }
/* What kernels print comes in the order of the kernels: as bytes of a variable. */
GPUSIM_BARE int printf(const char *format, ...)
{
    static char printed;
    va_list arguments;
    if (gpusim->in_kernel) gpusim_mark<uint8_t>(&printed, 1);
    va_start(arguments, format);
    int length = vprintf(format, arguments);
    va_end(arguments);
    return length;
}
/* Clocks that tell each run the same. */
GPUSIM_BARE time_t time(time_t *to) noexcept
{
    time_t now = (time_t)(gpusim->clock_ns() / 1000000000);
    if (to) *to = now;
    return now;
}
GPUSIM_BARE clock_t clock(void) noexcept { return (clock_t)(gpusim->clock_ns() / 1000); }
GPUSIM_BARE int clock_gettime(clockid_t, struct timespec *to) noexcept
{
    long now = gpusim->clock_ns();
    *to = {now / 1000000000, now % 1000000000};
    return 0;
}
GPUSIM_BARE int gettimeofday(struct timeval *to, void *) noexcept
{
    long now = gpusim->clock_ns();
    *to = {now / 1000000000, now % 1000000000 / 1000};
    return 0;
}
}

/* --- launches: the body of a kernel, called, is kept as a closure for gpusim_go() --- */
#endif
GPUSIM_ONE(struct gpusim_run_work, gpusim_pending, )
template <class Body> void gpusim_kernel(const char *name, const Body &body)
{
    if (gpusim->in_kernel) gpusim->fail("a kernel launches a kernel, which is not executed here");
    gpusim_pending = {};
    gpusim_pending.name = name;
    gpusim_pending.closure = new Body(body);
    gpusim_pending.call = [](const void *closure) { Body own = *(const Body *)closure; own(); };
}
static inline int gpusim_go(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const char *file, int line)
{
    if (!gpusim_pending.closure) return 0;
    struct gpusim_run_work work = gpusim_pending;
    gpusim_pending.closure = 0;
    unsigned sizes[] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
    for (int i = 0; i < 3; i++) work.grid[i] = sizes[i], work.block[i] = sizes[3 + i];
    work.shared_bytes = shared;
    work.stream = stream;
    work.file = file;
    work.line = line;
    return gpusim->launch(&work);
}
struct gpusim_launch {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const char *file;
    int line;
    gpusim_launch(dim3 g, dim3 b, size_t s = 0, cudaStream_t on = 0, GPUSIM_AT)
        : grid(g), block(b), shared(s), stream(on), file(file), line(line) {}
    void go() const { gpusim_go(grid, block, shared, stream, file, line); }
};
template <class R, class... P, size_t... I>
void gpusim_unpack(R (*kernel)(P...), void **arguments, std::index_sequence<I...>)
{
    kernel(*(std::remove_cv_t<std::remove_reference_t<P>> *)arguments[I]...);
}
template <class R, class... P>
cudaError_t gpusim_launch_kernel(R (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                 cudaStream_t stream = 0, GPUSIM_AT)
{
    gpusim_unpack(kernel, arguments, std::index_sequence_for<P...>());
    return (cudaError_t)gpusim_go(grid, block, shared, stream, file, line);
}

/* --- what a reader wants to know of the host's values: source/read/told.h --- */
template <class T> T gpusim_told(unsigned what, T x)
{
    if constexpr (std::is_same<T, dim3>::value) gpusim->told(what, 0, x.x, x.y, x.z);
    else if constexpr (std::is_pointer<T>::value) gpusim->told(what, 0, (double)(uintptr_t)x, 0, 0);
    else gpusim->told(what, 0, (double)x, 0, 0);
    return x;
}

template <class T> T gpusim_range(unsigned what, T &&x)
{
    using std::begin;
    using std::end;
    gpusim->told(what, 0, (double)std::distance(begin(x), end(x)), 0, 0);
    return std::forward<T>(x);
}

/* --- the API --- */
inline dim3::dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
#define GPUSIM_MAKE(t, n)                                                                                              \
    inline n##1 make_##n##1(t x) { return {x}; } inline n##2 make_##n##2(t x, t y) { return {x, y}; }                  \
    inline n##3 make_##n##3(t x, t y, t z) { return {x, y, z}; }                                                       \
    inline n##4 make_##n##4(t x, t y, t z, t w) { return {x, y, z, w}; }
GPUSIM_MAKE(char, char) GPUSIM_MAKE(unsigned char, uchar) GPUSIM_MAKE(short, short) GPUSIM_MAKE(unsigned short, ushort)
GPUSIM_MAKE(int, int) GPUSIM_MAKE(unsigned, uint) GPUSIM_MAKE(long, long) GPUSIM_MAKE(unsigned long, ulong)
GPUSIM_MAKE(long long, longlong) GPUSIM_MAKE(float, float) GPUSIM_MAKE(double, double)

struct gpusim_place { const char *file; int line; gpusim_place(GPUSIM_AT) : file(file), line(line) {} };
#define GPUSIM_MADE(what, a, b, n, p) (cudaError_t)gpusim->call(what, (void *)(a), (void *)(b), n, p.file, p.line)
#define GPUSIM_NOTHING(name) template <class... All> cudaError_t name(gpusim_place, All...) { return cudaSuccess; }
GPUSIM_NOTHING(cudaFreeAsync) GPUSIM_NOTHING(cudaHostUnregister) GPUSIM_NOTHING(cudaMemPrefetchAsync)
GPUSIM_NOTHING(cudaMemAdvise) GPUSIM_NOTHING(cudaStreamDestroy) GPUSIM_NOTHING(cudaEventDestroy)
GPUSIM_NOTHING(cudaGraphDestroy) GPUSIM_NOTHING(cudaGraphExecDestroy) GPUSIM_NOTHING(cudaSetDevice)
GPUSIM_NOTHING(cudaSetDeviceFlags) GPUSIM_NOTHING(cudaFuncSetAttribute) GPUSIM_NOTHING(cudaFuncSetCacheConfig)
GPUSIM_NOTHING(cudaDeviceSetLimit) GPUSIM_NOTHING(cudaDeviceSetCacheConfig) GPUSIM_NOTHING(cudaStreamAttachMemAsync)
GPUSIM_NOTHING(cudaGetLastError) GPUSIM_NOTHING(cudaPeekAtLastError) GPUSIM_NOTHING(cudaProfilerStart)
GPUSIM_NOTHING(cudaProfilerStop)
#define GPUSIM_ALLOCATE(name, kind, ...)                                                                               \
    template <class T> cudaError_t name(gpusim_place p, T **to, size_t bytes, ##__VA_ARGS__)                           \
    {                                                                                                                  \
        void *made = 0;                                                                                                \
        int error = gpusim->allocate(&made, bytes, kind, p.file, p.line);                                              \
        *to = (T *)made;                                                                                               \
        return (cudaError_t)error;                                                                                     \
    }
GPUSIM_ALLOCATE(cudaMalloc, GPUSIM_DEVICE_MEMORY)
GPUSIM_ALLOCATE(cudaMallocManaged, GPUSIM_MANAGED_MEMORY, unsigned = 1)
GPUSIM_ALLOCATE(cudaMallocHost, GPUSIM_PINNED_MEMORY, unsigned = 0)
GPUSIM_ALLOCATE(cudaHostAlloc, GPUSIM_PINNED_MEMORY, unsigned = 0)
GPUSIM_ALLOCATE(cudaMallocAsync, GPUSIM_DEVICE_MEMORY, cudaStream_t)
template <class T> cudaError_t cudaMallocPitch(gpusim_place p, T **to, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(p, to, *pitch * height);
}
inline cudaError_t cudaFree(gpusim_place p, void *memory) { return GPUSIM_MADE(GPUSIM_FREE, memory, 0, 0, p); }
inline cudaError_t cudaFreeHost(gpusim_place p, void *memory) { return GPUSIM_MADE(GPUSIM_FREE, memory, 0, 0, p); }
inline cudaError_t cudaHostRegister(gpusim_place, void *memory, size_t bytes, unsigned = 0)
{
    return (cudaError_t)gpusim->pin(memory, bytes);
}
template <class T> cudaError_t cudaHostGetDevicePointer(gpusim_place, T **to, void *from, unsigned)
{
    return *to = (T *)from, cudaSuccess;
}
#define GPUSIM_OPEN(...) __VA_ARGS__
inline cudaError_t gpusim_copy(gpusim_place p, const char *name, void *to, size_t to_pitch, const void *from,
                               size_t from_pitch, size_t width, size_t height, int kind, bool is_async, cudaStream_t on,
                               int value = 0)
{
    struct gpusim_run_copy copy = {name, p.file, p.line, kind, value, is_async, to, from, width, height, to_pitch,
                                   from_pitch, on};
    return (cudaError_t)gpusim->copy(&copy);
}
#define GPUSIM_COPY(name, list, ...)                                                                                   \
    inline cudaError_t name(gpusim_place p, GPUSIM_OPEN list) { return gpusim_copy(p, #name, __VA_ARGS__); }
#define GPUSIM_FILL(name, list, pitch, width, height, is_async, on)                                                    \
    GPUSIM_COPY(name, list, to, pitch, 0, 0, width, height, 3, is_async, on, value)
GPUSIM_COPY(cudaMemcpy, (void *to, const void *from, size_t n, cudaMemcpyKind kind), to, 0, from, 0, n, 1, kind, 0, 0)
GPUSIM_COPY(cudaMemcpyAsync, (void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t on = 0), to, 0,
            from, 0, n, 1, kind, 1, on)
GPUSIM_COPY(cudaMemcpy2D, (void *to, size_t pitch, const void *from, size_t from_pitch, size_t w, size_t h,
                           cudaMemcpyKind kind), to, pitch, from, from_pitch, w, h, kind, 0, 0)
GPUSIM_COPY(cudaMemcpy2DAsync, (void *to, size_t pitch, const void *from, size_t from_pitch, size_t w, size_t h,
                                cudaMemcpyKind k, cudaStream_t on = 0), to, pitch, from, from_pitch, w, h, k, 1, on)
GPUSIM_FILL(cudaMemset, (void *to, int value, size_t n), 0, n, 1, 0, 0)
GPUSIM_FILL(cudaMemsetAsync, (void *to, int value, size_t n, cudaStream_t on = 0), 0, n, 1, 1, on)
GPUSIM_FILL(cudaMemset2D, (void *to, size_t pitch, int value, size_t w, size_t h), pitch, w, h, 0, 0)
GPUSIM_FILL(cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t w, size_t h, cudaStream_t on = 0), pitch, w,
            h, 1, on)
inline cudaError_t cudaMemcpy3DAsync(gpusim_place p, const cudaMemcpy3DParms *c, cudaStream_t on = 0, bool async = 1)
{
    auto at = [](const cudaPitchedPtr &all, const cudaPos &o, size_t z) {
        return (char *)all.ptr + ((o.z + z) * all.ysize + o.y) * all.pitch + o.x;
    };
    for (size_t z = 0; z < c->extent.depth; z++)
        (void)gpusim_copy(p, "cudaMemcpy3D", at(c->dstPtr, c->dstPos, z), c->dstPtr.pitch, at(c->srcPtr, c->srcPos, z),
                          c->srcPtr.pitch, c->extent.width, c->extent.height, c->kind, async, on);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy3D(gpusim_place p, const cudaMemcpy3DParms *c) { return cudaMemcpy3DAsync(p, c, 0, 0); }
inline cudaError_t cudaMalloc3D(gpusim_place p, cudaPitchedPtr *to, cudaExtent e)
{
    *to = {0, 0, e.width, e.height};
    return cudaMallocPitch(p, &to->ptr, &to->pitch, e.width, e.height * e.depth);
}
inline cudaError_t cudaMemcpyPeerAsync(gpusim_place p, void *to, int, const void *from, int, size_t bytes,
                                       cudaStream_t stream = 0)
{
    return cudaMemcpyAsync(p, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(gpusim_place p, const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return gpusim_copy(p, "cudaMemcpyToSymbol", (char *)&symbol + offset, 0, from, 0, bytes, 1, kind, false, 0);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(gpusim_place p, void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return gpusim_copy(p, "cudaMemcpyFromSymbol", to, 0, (char *)&symbol + offset, 0, bytes, 1, kind, false, 0);
}
template <class T> cudaError_t cudaGetSymbolAddress(gpusim_place, void **to, const T &symbol)
{
    *to = (void *)&symbol;
    return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(gpusim_place, size_t *left, size_t *total)
{
    *left = *total = (size_t)8 << 30;
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(gpusim_place p, cudaStream_t *to, unsigned flags)
{
    return GPUSIM_MADE(GPUSIM_STREAM_CREATE, to, 0, (long)flags, p);
}
inline cudaError_t cudaStreamCreate(gpusim_place p, cudaStream_t *to) { return cudaStreamCreateWithFlags(p, to, 0); }
inline cudaError_t cudaStreamCreateWithPriority(gpusim_place p, cudaStream_t *to, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(p, to, flags);
}
inline cudaError_t cudaEventCreate(gpusim_place p, cudaEvent_t *to)
{
    return GPUSIM_MADE(GPUSIM_EVENT_CREATE, to, 0, 0, p);
}
inline cudaError_t cudaEventCreateWithFlags(gpusim_place p, cudaEvent_t *to, unsigned)
{
    return cudaEventCreate(p, to);
}
inline cudaError_t cudaEventRecord(gpusim_place p, cudaEvent_t event, cudaStream_t stream = 0)
{
    return GPUSIM_MADE(GPUSIM_EVENT_RECORD, event, stream, 0, p);
}
inline cudaError_t cudaStreamWaitEvent(gpusim_place p, cudaStream_t stream, cudaEvent_t event, unsigned = 0)
{
    return GPUSIM_MADE(GPUSIM_STREAM_WAIT, stream, event, 0, p);
}
#define GPUSIM_OF_ONE(name, type, what)                                                                                \
    inline cudaError_t name(gpusim_place p, type x) { return GPUSIM_MADE(what, x, 0, 0, p); }
GPUSIM_OF_ONE(cudaStreamSynchronize, cudaStream_t, GPUSIM_STREAM_SYNC)
GPUSIM_OF_ONE(cudaStreamQuery, cudaStream_t, GPUSIM_STREAM_QUERY)
GPUSIM_OF_ONE(cudaEventSynchronize, cudaEvent_t, GPUSIM_EVENT_SYNC)
GPUSIM_OF_ONE(cudaEventQuery, cudaEvent_t, GPUSIM_EVENT_QUERY)
#define GPUSIM_WAITS(name)                                                                                             \
    inline cudaError_t name(gpusim_place p) { return GPUSIM_MADE(GPUSIM_DEVICE_SYNC, 0, 0, 0, p); }
GPUSIM_WAITS(cudaDeviceSynchronize) GPUSIM_WAITS(cudaThreadSynchronize) GPUSIM_WAITS(cudaDeviceReset)
GPUSIM_WAITS(cudaThreadExit)
inline auto cudaEventElapsedTime(gpusim_place, float *t, cudaEvent_t, cudaEvent_t) { return *t = 1, cudaSuccess; }
template <class R, class... P, class... A>
cudaError_t cudaLaunchKernelEx(gpusim_place p, const cudaLaunchConfig_t *c, R (*kernel)(P...), A... all)
{
    kernel(all...);
    return (cudaError_t)gpusim_go(c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, p.file, p.line);
}
inline cudaError_t cudaLaunchHostFunc(gpusim_place p, cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct call { cudaHostFn_t function; void *data; };
    struct gpusim_run_work work = {"cudaLaunchHostFunc", p.file, p.line, new call{function, data},
                                   [](const void *c) { ((const call *)c)->function(((const call *)c)->data); },
                                   {0, 0, 0}, {0, 0, 0}, 0, stream};
    return (cudaError_t)gpusim->launch(&work);
}
inline cudaError_t cudaStreamBeginCapture(gpusim_place p, cudaStream_t stream,
                                          cudaStreamCaptureMode = cudaStreamCaptureModeGlobal)
{
    return GPUSIM_MADE(GPUSIM_CAPTURE_BEGIN, stream, 0, 0, p);
}
inline cudaError_t cudaStreamEndCapture(gpusim_place p, cudaStream_t stream, cudaGraph_t *to)
{
    return GPUSIM_MADE(GPUSIM_CAPTURE_END, stream, to, 0, p);
}
template <class... Rest>
cudaError_t cudaGraphInstantiate(gpusim_place p, cudaGraphExec_t *to, cudaGraph_t graph, Rest...)
{
    return GPUSIM_MADE(GPUSIM_INSTANTIATE, graph, to, 0, p);
}
template <class... Rest> cudaError_t cudaGraphExecUpdate(gpusim_place p, cudaGraphExec_t to, cudaGraph_t graph, Rest...)
{
    return GPUSIM_MADE(GPUSIM_UPDATE, to, graph, 0, p);
}
inline cudaError_t cudaGraphLaunch(gpusim_place p, cudaGraphExec_t graph, cudaStream_t stream)
{
    return GPUSIM_MADE(GPUSIM_GRAPH_LAUNCH, graph, stream, 0, p);
}
inline cudaError_t cudaGetDevice(gpusim_place, int *to) { *to = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(gpusim_place, int *to) { *to = 1; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(gpusim_place, cudaDeviceProp *to, int)
{
    *to = cudaDeviceProp();
    strcpy(to->name, "CPU");
    to->totalGlobalMem = (size_t)8 << 30;
    to->sharedMemPerBlock = 48 << 10;
    to->warpSize = 32;
    to->maxThreadsPerBlock = to->maxThreadsDim[0] = to->maxThreadsDim[1] = 1024;
    to->maxThreadsDim[2] = 64;
    to->maxGridSize[0] = 2147483647;
    to->maxGridSize[1] = to->maxGridSize[2] = 65535;
    to->major = 9;
    to->multiProcessorCount = 132;
    to->concurrentKernels = to->managedMemory = to->concurrentManagedAccess = to->canMapHostMemory = 1;
    to->unifiedAddressing = 1;
    to->maxThreadsPerMultiProcessor = 2048;
    to->asyncEngineCount = 3;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(gpusim_place, int *to, cudaDeviceAttr what, int)
{
    *to = what == cudaDevAttrMultiProcessorCount ? 132 : what == cudaDevAttrComputeCapabilityMajor ? 9 : 1;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(gpusim_place, int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(gpusim_place, int *grid, int *block, T, size_t = 0, int = 0)
{
    *grid = 264;
    *block = 256;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(gpusim_place, int *blocks, T, int threads, size_t)
{
    *blocks = 2048 / threads;
    return cudaSuccess;
}
inline const char *cudaGetErrorString(gpusim_place, cudaError_t error) { return error ? "an error" : "no error"; }
inline const char *cudaGetErrorName(gpusim_place, cudaError_t error) { return error ? "cudaError" : "cudaSuccess"; }
/* --- the device's functions --- */
inline void __syncthreads() { gpusim->barrier(GPUSIM_BARRIER, 0); }
inline int __syncthreads_count(int x) { return gpusim->barrier(GPUSIM_BARRIER_COUNT, x); }
inline int __syncthreads_and(int x) { return gpusim->barrier(GPUSIM_BARRIER_AND, x); }
inline int __syncthreads_or(int x) { return gpusim->barrier(GPUSIM_BARRIER_OR, x); } inline void __threadfence() {}
inline void __threadfence_block() {} inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline unsigned gpusim_lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
inline void __syncwarp(unsigned mask = ~0u) { unsigned active; gpusim->lanes(mask, 0, &active); }
inline unsigned __ballot_sync(unsigned mask, int x)
{
    unsigned active, bits = 0;
    const uint64_t *all = gpusim->lanes(mask, x != 0, &active);
    for (unsigned i = 0; i < 32; i++) bits |= (active >> i & 1 && all[i]) ? 1u << i : 0;
    return bits;
}
inline int __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0; }
inline int __all_sync(unsigned mask, int x) { return __ballot_sync(mask, !x) == 0; }
inline unsigned __activemask() { return __ballot_sync(~0u, 1); }
inline unsigned __ballot(int x) { return __ballot_sync(~0u, x); } inline int __any(int x) { return __any_sync(~0u, x); }
inline int __all(int x) { return __all_sync(~0u, x); }
template <class T> T gpusim_shuffle(unsigned mask, T own, int from, bool is_within)
{
    static_assert(sizeof(T) <= 8, "a shuffle of more than eight bytes");
    uint64_t bits = 0;
    unsigned active;
    __builtin_memcpy(&bits, &own, sizeof own);
    bits = gpusim->lanes(mask, bits, &active)[is_within ? from & 31 : gpusim_lane()];
    __builtin_memcpy(&own, &bits, sizeof own);
    return own;
}
template <class T> T __shfl_sync(unsigned mask, T x, int from, int width = 32)
{
    return gpusim_shuffle(mask, x, (int)(gpusim_lane() & ~(width - 1)) + (from & (width - 1)), true);
}
template <class T> T __shfl_down_sync(unsigned mask, T x, int by, int width = 32)
{
    int lane = (int)gpusim_lane();
    return gpusim_shuffle(mask, x, lane + by, (lane & (width - 1)) + by < width);
}
template <class T> T __shfl_up_sync(unsigned mask, T x, int by, int width = 32)
{
    int lane = (int)gpusim_lane();
    return gpusim_shuffle(mask, x, lane - by, (lane & (width - 1)) >= by);
}
template <class T> T __shfl_xor_sync(unsigned mask, T x, int by, int width = 32)
{
    int lane = (int)gpusim_lane();
    return gpusim_shuffle(mask, x, lane ^ by, ((lane ^ by) & ~(width - 1)) <= (lane & ~(width - 1)));
}
template <class T> T __shfl(T x, int from, int width = 32) { return __shfl_sync(~0u, x, from, width); }
template <class T> T __shfl_down(T x, int by, int width = 32) { return __shfl_down_sync(~0u, x, by, width); }
template <class T> T __shfl_up(T x, int by, int width = 32) { return __shfl_up_sync(~0u, x, by, width); }
template <class T> T __shfl_xor(T x, int by, int width = 32) { return __shfl_xor_sync(~0u, x, by, width); }
#define GPUSIM_ATOMIC(name, value)                                                                                     \
    template <class T, class U> T name(T *at, U by)                                                                    \
    {                                                                                                                  \
        T old = *at, x = (T)by;                                                                                        \
        *at = value;                                                                                                   \
        return old;                                                                                                    \
    }
GPUSIM_ATOMIC(atomicAdd, old + x) GPUSIM_ATOMIC(atomicSub, old - x) GPUSIM_ATOMIC(atomicExch, x)
GPUSIM_ATOMIC(atomicMin, x < old ? x : old) GPUSIM_ATOMIC(atomicMax, x > old ? x : old)
GPUSIM_ATOMIC(atomicInc, old >= x ? 0 : old + 1) GPUSIM_ATOMIC(atomicDec, old == 0 || old > x ? x : old - 1)
GPUSIM_ATOMIC(atomicAnd, old & x) GPUSIM_ATOMIC(atomicOr, old | x) GPUSIM_ATOMIC(atomicXor, old ^ x)
template <class T, class U, class V> T atomicCAS(T *at, U compare, V by)
{
    T old = *at;
    *at = old == (T)compare ? (T)by : old;
    return old;
}
#define GPUSIM_HINTS(load, store)                                                                                      \
    template <class T> T load(const T *at) { return *at; }                                                             \
    template <class T, class U> void store(T *at, U by) { *at = (T)by; }
GPUSIM_HINTS(__ldg, __stwb) GPUSIM_HINTS(__ldcg, __stcg) GPUSIM_HINTS(__ldcs, __stcs) GPUSIM_HINTS(__ldcv, __stwt)
template <class T> T __ldca(const T *at) { return *at; } template <class T> T __ldlu(const T *at) { return *at; }
template <class To, class From> To gpusim_bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
inline int __float_as_int(float x) { return gpusim_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return gpusim_bits<unsigned>(x); }
inline float __int_as_float(int x) { return gpusim_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return gpusim_bits<float>(x); }
inline long long __double_as_longlong(double x) { return gpusim_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return gpusim_bits<double>(x); }
inline int __float2int_rn(float x) { return (int)rintf(x); }
inline int __float2int_rd(float x) { return (int)floorf(x); }
inline int __double2int_rn(double x) { return (int)rint(x); } inline float __int2float_rn(int x) { return (float)x; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); } inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __mul24(int x, int y) { return x * y; } inline int __umul24(unsigned x, unsigned y) { return (int)(x * y); }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((uint64_t)x * y >> 32); }
inline unsigned __brev(unsigned x)
{
    unsigned to = 0;
    for (int i = 0; i < 32; i++) to |= (x >> i & 1u) << (31 - i);
    return to;
}
inline long long clock64() { return 0; }
inline float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
inline float __frcp_rn(float x) { return 1 / x; } inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __fdividef(float x, float y) { return x / y; } inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fadd_rn(float x, float y) { return x + y; } inline float __powf(float x, float y) { return powf(x, y); }
inline float __expf(float x) { return expf(x); } inline float __exp10f(float x) { return powf(10, x); }
inline float __logf(float x) { return logf(x); } inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); } inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); } inline float __tanf(float x) { return tanf(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); } inline float rsqrt(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float normcdff(float x) { return erfcf(-x * 0.70710678f) / 2; }
inline double normcdf(double x) { return erfc(-x * 0.70710678118654752440) / 2; }
inline float normcdf(float x) { return normcdff(x); }
template <class T, class U> auto min(T a, U b) -> decltype(a + b) { return b < a ? b : a; }
template <class T, class U> auto max(T a, U b) -> decltype(a + b) { return a < b ? b : a; }
using std::abs; using std::sqrt; using std::exp; using std::log; using std::pow; using std::fabs; using std::floor;
using std::ceil; using std::sin; using std::cos; using std::tan; using std::tanh; using std::atan2; using std::fmod;
using std::fmax; using std::fmin; using std::exp2; using std::log2; using std::log10; using std::round;
using std::isnan; using std::isinf; using std::erf; using std::erfc; using std::hypot; using std::fma;

/* --- half precision, to nearest even --- */
inline __half __float2half(float x)
{
    uint32_t bits = gpusim_bits<uint32_t>(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff, to;
    if (rest >= 0x7f800000) to = rest > 0x7f800000 ? 0x7e00 : 0x7c00;
    else if (rest >= 0x477ff000) to = 0x7c00;
    else if (rest < 0x38800000) to = gpusim_bits<uint32_t>(gpusim_bits<float>(rest) + 0.5f) - 0x3f000000;
    else to = (rest + 0xc8000fff + (rest >> 13 & 1)) >> 13;
    return __half{(unsigned short)(sign | to)};
}
inline float __half2float(__half h)
{
    uint32_t rest = h.x & 0x7fffu, sign = (uint32_t)(h.x & 0x8000) << 16;
    float x = rest >= 0x7c00 ? gpusim_bits<float>(0x7f800000 | (rest & 0x3ff) << 13)
              : rest < 0x400 ? (float)rest * 5.9604644775390625e-8f
                             : gpusim_bits<float>((rest << 13) + 0x38000000);
    return gpusim_bits<float>(gpusim_bits<uint32_t>(x) | sign);
}
inline __nv_bfloat16 __float2bfloat16(float x)
{
    uint32_t bits = gpusim_bits<uint32_t>(x);
    return __nv_bfloat16{(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
inline float __bfloat162float(__nv_bfloat16 h) { return gpusim_bits<float>((uint32_t)h.x << 16); }
inline __half __float2half_rn(float x) { return __float2half(x); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __float2bfloat16(x); }
#define GPUSIM_SMALL2(t, to, from, name, op) inline t name(t a, t b) { return to(from(a) op from(b)); }
#define GPUSIM_SMALLER(t, from, name, op) inline bool name(t a, t b) { return from(a) op from(b); }
#define GPUSIM_SMALL_OP(t, to, from, op, name)                                                                         \
    GPUSIM_SMALL2(t, to, from, operator op, op) GPUSIM_SMALL2(t, to, from, name, op)                                   \
    inline t &operator op##=(t &a, t b) { return a = a op b; }
#define GPUSIM_SMALL_TYPE(t, to, from)                                                                                 \
    GPUSIM_SMALL_OP(t, to, from, +, __hadd) GPUSIM_SMALL_OP(t, to, from, -, __hsub)                                    \
    GPUSIM_SMALL_OP(t, to, from, *, __hmul) GPUSIM_SMALL_OP(t, to, from, /, __hdiv)                                    \
    GPUSIM_SMALLER(t, from, operator<, <) GPUSIM_SMALLER(t, from, operator>, >) GPUSIM_SMALLER(t, from, operator<=, <=)\
    GPUSIM_SMALLER(t, from, operator>=, >=) GPUSIM_SMALLER(t, from, operator==, ==)                                    \
    GPUSIM_SMALLER(t, from, operator!=, !=) GPUSIM_SMALLER(t, from, __hlt, <) GPUSIM_SMALLER(t, from, __hgt, >)        \
    GPUSIM_SMALLER(t, from, __heq, ==)                                                                                 \
    inline t operator-(t a) { return to(-from(a)); } inline t __hneg(t a) { return -a; }                               \
    inline t __hfma(t a, t b, t c) { return to(fmaf(from(a), from(b), from(c))); }
GPUSIM_SMALL_TYPE(__half, __float2half, __half2float)
GPUSIM_SMALL_TYPE(__nv_bfloat16, __float2bfloat16, __bfloat162float)
#define GPUSIM_PAIRS(name, one) inline __half2 name(__half2 a, __half2 b) { return {one(a.x, b.x), one(a.y, b.y)}; }
GPUSIM_PAIRS(__hadd2, __hadd) GPUSIM_PAIRS(__hsub2, __hsub) GPUSIM_PAIRS(__hmul2, __hmul)
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
inline __half2 __floats2half2_rn(float x, float y) { return {__float2half(x), __float2half(y)}; }
inline __half2 __float2half2_rn(float x) { return __floats2half2_rn(x, x); }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline float2 __half22float2(__half2 h) { return {__half2float(h.x), __half2float(h.y)}; }
inline float __low2float(__half2 h) { return __half2float(h.x); }
inline float __high2float(__half2 h) { return __half2float(h.y); }
#pragma gpusim text
