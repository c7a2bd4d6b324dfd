/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CUDA runtime without a GPU, for the test of tasks that share one: streams are queues that a thread of each process
 * works off, kernels take the time that their stand-ins' rounds say, streams run side by side. What the runner needs
 * elsewhere is refused.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/runner/share/standin.h"

#define MAX_STREAMS 256
#define MAX_COMMANDS 1024
#define ROUND_NS 8
#define MIN_NS 1000

enum kind { KERNEL, RECORD, WAIT_EVENT, COPY, FILL, WAIT_VALUE, WRITE_VALUE };

struct event {
    uint64_t recorded, done; /* recordings asked for, and reached */
    int64_t at_ns;
    int device;
};
struct command {
    enum kind kind;
    int64_t ns;
    struct gsim_standin_span *span;
    struct event *event;
    uint64_t number;
    void *to;
    const void *from;
    size_t bytes;
    uint32_t value;
};
struct stream {
    struct command commands[MAX_COMMANDS];
    volatile unsigned first, last;
    bool is_running, is_destroyed;
    int64_t start_ns, end_ns;
    int priority, device;
};

static _Thread_local int current; /* GPU */
static struct stream streams[MAX_STREAMS]; /* [0]: the default stream */
static int stream_count = 1;
static bool is_open;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* --- the device ------------------------------------------------------------------------------------------------ */

static bool run_kernel(struct stream *s, const struct command *c)
{
    int64_t now = now_ns();
    if (!s->is_running) {
        s->is_running = true;
        s->start_ns = now;
        s->end_ns = now + c->ns;
        return false;
    }
    if (now < s->end_ns) return false;
    s->is_running = false;
    if (c->span) *c->span = (struct gsim_standin_span){(unsigned long long)s->start_ns, (unsigned long long)s->end_ns};
    return true;
}

/* Whether it is done. */
static bool run_command(struct stream *s, const struct command *c)
{
    switch (c->kind) {
    case KERNEL: return run_kernel(s, c);
    case RECORD:
        c->event->at_ns = now_ns();
        c->event->done = c->number;
        return true;
    case WAIT_EVENT: return c->event->done >= c->number;
    case COPY: memmove(c->to, c->from, c->bytes); return true;
    case FILL: memset(c->to, (int)c->value, c->bytes); return true;
    case WAIT_VALUE: return (int32_t)(*(volatile uint32_t *)c->to - c->value) >= 0;
    case WRITE_VALUE: *(volatile uint32_t *)c->to = c->value; return true;
    }
    return true;
}

typedef int thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

static thread_create *real_create(void)
{
    thread_create *call;
    *(void **)&call = dlsym(RTLD_NEXT, "pthread_create");
    return call;
}

/* Only FAKE_THREADS of them in a process, beside the device. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static int count;
    const char *most = getenv("FAKE_THREADS");
    if (most && ++count > atoi(most)) return EAGAIN;
    return real_create()(thread, attributes, body, argument);
}

static void *device(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < stream_count; i++)
            while (streams[i].first != streams[i].last &&
                   run_command(&streams[i], &streams[i].commands[streams[i].first % MAX_COMMANDS]))
                streams[i].first++;
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    return argument;
}

static struct stream *stream_of(cudaStream_t stream)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    if (!is_open) is_open = real_create()(&thread, NULL, device, NULL) == 0;
    pthread_mutex_unlock(&mutex);
    return stream == NULL || stream == cudaStreamLegacy ? &streams[0] : (struct stream *)(void *)stream;
}

static cudaError_t push(cudaStream_t on, struct command command)
{
    struct stream *s = stream_of(on);
    while (s->last - s->first >= MAX_COMMANDS - 1) sched_yield();
    pthread_mutex_lock(&mutex);
    s->commands[s->last++ % MAX_COMMANDS] = command;
    pthread_mutex_unlock(&mutex);
    return cudaSuccess;
}

static cudaError_t drain(const struct stream *s)
{
    unsigned last = s->last;
    while ((int)(s->first - last) < 0) sched_yield();
    return cudaSuccess;
}

/* --- streams, events -------------------------------------------------------------------------------------------- */

static cudaError_t new_stream(cudaStream_t *stream, int priority)
{
    stream_of(NULL);
    pthread_mutex_lock(&mutex);
    int i = 1;
    while (i < stream_count && !(streams[i].is_destroyed && streams[i].first == streams[i].last)) i++;
    bool has_room = i < MAX_STREAMS;
    if (has_room) {
        streams[i].is_destroyed = false;
        streams[i].priority = priority;
        streams[i].device = current;
        *stream = (cudaStream_t)(void *)&streams[i];
        if (i == stream_count) stream_count++;
    }
    pthread_mutex_unlock(&mutex);
    return has_room ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    return new_stream(stream, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags;
    return new_stream(stream, priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    stream_of(stream)->is_destroyed = true;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    *priority = stream_of(stream)->priority;
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return stream_of(stream)->first == stream_of(stream)->last ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return drain(stream_of(stream)); }
cudaError_t cudaDeviceSynchronize(void)
{
    for (int i = 0; stream_of(NULL) && i < stream_count; i++) drain(&streams[i]);
    return cudaSuccess;
}

static struct event *event_of(cudaEvent_t event) { return (struct event *)(void *)event; }
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    struct event *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->device = current;
    *event = (cudaEvent_t)(void *)made;
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) { (void)flags; return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { (void)event; return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    *ms = (float)((double)(event_of(to)->at_ns - event_of(from)->at_ns) * 1e-6);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event_of(event)->done >= event_of(event)->recorded ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    while (cudaEventQuery(event)) sched_yield();
    return cudaSuccess;
}
/* Work goes to the streams of the current GPU, and an event to its own GPU's: as CUDA has it. */
static bool is_elsewhere(cudaStream_t stream)
{
    return stream_of(stream) != &streams[0] && stream_of(stream)->device != current;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (is_elsewhere(stream) || event_of(event)->device != current) return cudaErrorInvalidResourceHandle;
    return push(stream,
                (struct command){.kind = RECORD, .event = event_of(event), .number = ++event_of(event)->recorded});
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return push(stream,
                (struct command){.kind = WAIT_EVENT, .event = event_of(event), .number = event_of(event)->recorded});
}
/* The driver's own, which are looked for by name. */
__attribute__((visibility("default"))) int cuStreamWaitValue32_v2(cudaStream_t stream, unsigned long long address,
                                                                  unsigned value, unsigned flags);
__attribute__((visibility("default"))) int cuStreamWriteValue32_v2(cudaStream_t stream, unsigned long long address,
                                                                   unsigned value, unsigned flags);
int cuStreamWaitValue32_v2(cudaStream_t stream, unsigned long long address, unsigned value, unsigned flags)
{
    (void)flags;
    return push(stream, (struct command){.kind = WAIT_VALUE, .to = (void *)(uintptr_t)address, .value = value});
}
int cuStreamWriteValue32_v2(cudaStream_t stream, unsigned long long address, unsigned value, unsigned flags)
{
    (void)flags;
    return push(stream, (struct command){.kind = WRITE_VALUE, .to = (void *)(uintptr_t)address, .value = value});
}

/* --- memory, kernels --------------------------------------------------------------------------------------------- */

#define MAX_BLOCKS 256
static struct {
    char *begin, *end;
    int device;
} blocks[MAX_BLOCKS];
static int block_count;
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    if (!(*memory = calloc(1, bytes))) return cudaErrorMemoryAllocation;
    blocks[block_count % MAX_BLOCKS].begin = *memory;
    blocks[block_count % MAX_BLOCKS].end = (char *)*memory + bytes;
    blocks[block_count++ % MAX_BLOCKS].device = current;
    return cudaSuccess;
}
/* The latest allocation that has the address. */
static bool is_of_another(const void *memory)
{
    for (int i = block_count; i-- > 0 && i >= block_count - MAX_BLOCKS;)
        if ((const char *)memory >= blocks[i % MAX_BLOCKS].begin && (const char *)memory < blocks[i % MAX_BLOCKS].end)
            return blocks[i % MAX_BLOCKS].device != current;
    return false;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return (*memory = calloc(1, bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
/* FAKE_CUDA_REFUSES: how many times a client of MPS is refused its context. */
cudaError_t cudaFree(void *memory)
{
    static int refused;
    const char *refuses = getenv("FAKE_CUDA_REFUSES"), *pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");
    bool is_client = pipes && strncmp(pipes, "/nonexistent", 12) != 0;
    if (!memory && is_client && refuses && refused < atoi(refuses)) {
        refused++;
        return cudaErrorMemoryAllocation;
    }
    stream_of(NULL);
    free(memory);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory) { free(memory); return cudaSuccess; }
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    (void)memory;
    (void)bytes;
    (void)flags;
    return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void **device_side, void *memory, unsigned flags)
{
    (void)flags;
    *device_side = memory;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total) { *unused = *total = (size_t)1 << 36; return cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    drain(stream_of(NULL));
    memmove(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    if (to == from) return cudaErrorInvalidValue; /* nobody means that */
    return push(stream, (struct command){.kind = COPY, .to = to, .from = from, .bytes = bytes});
}
cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    if (is_of_another(memory)) return cudaErrorInvalidValue;
    if (bytes < (size_t)1 << 24) memset(memory, value, bytes); /* nobody reads the large ones */
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return push(stream, (struct command){.kind = FILL, .to = memory, .value = (uint32_t)value, .bytes = bytes});
}

static const char functions[GSIM_STANDIN_KINDS];
const void *gsim_standin_function(enum gsim_standin_kind kind) { return &functions[kind]; }
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    (void)function;
    *attributes = (struct cudaFuncAttributes){.numRegs = 16};
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    (void)function;
    (void)attribute;
    (void)value;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t smem_bytes,
                             cudaStream_t stream)
{
    (void)grid;
    (void)block;
    (void)smem_bytes;
    if (is_elsewhere(stream)) return cudaErrorInvalidResourceHandle;
    bool is_standin = (const char *)function >= functions && (const char *)function < functions + GSIM_STANDIN_KINDS;
    const struct gsim_standin_args *a = is_standin ? args[0] : NULL;
    return push(stream, (struct command){.kind = KERNEL,
                                         .ns = MIN_NS + (a ? (int64_t)a->rounds * ROUND_NS : 0),
                                         .span = a ? a->span : NULL});
}

/* --- the GPU ----------------------------------------------------------------------------------------------------- */

/* FAKE_CUDA_GPUS: how many there are. */
cudaError_t cudaGetDeviceCount(int *count)
{
    const char *given = getenv("FAKE_CUDA_GPUS");
    *count = given ? atoi(given) : 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *number) { *number = current; return cudaSuccess; }
cudaError_t cudaSetDevice(int number)
{
    int count;
    cudaGetDeviceCount(&count);
    if (number < 0 || number >= count) return cudaErrorInvalidDevice;
    current = number;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) { *can = device != peer; return cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return peer == current ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    if (to_device == from_device) return cudaErrorInvalidValue;
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number)
{
    (void)number;
    *value = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448 : 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number)
{
    (void)number;
    *properties = (struct cudaDeviceProp){
        .name = "no GPU at all", .major = 9, .multiProcessorCount = 132, .totalGlobalMem = (size_t)1 << 36};
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : error ? "an error" : "none";
}
const char *cudaGetErrorString(cudaError_t error) { return error ? "not there without a GPU" : "fine"; }
