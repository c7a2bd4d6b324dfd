/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/tracer. What the tracer uses of CUPTI and of CUDA's driver: the binary interface that both publish, in
 * our own words, so that neither need be there when this is built. A record's fields that are not used are left out;
 * those named stand where they stand in CUPTI 12 and 13 (tests/traces/tracer/layout.c compares with cupti.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum gtr_kind {
    GTR_COPY = 1,
    GTR_MEMSET = 2,
    GTR_DRIVER = 4,
    GTR_RUNTIME = 5,
    GTR_KERNEL = 10, /* concurrent: kernels run beside each other as without a tracer */
    GTR_MARKER = 12,
    GTR_PEER_COPY = 22,
    GTR_EVENT = 36,
    GTR_STREAM = 37,
    GTR_SYNC = 38,
    GTR_EXTERNAL = 39,
    GTR_MEMORY = 49,
};

enum gtr_domain { GTR_DOMAIN_DRIVER = 1, GTR_DOMAIN_RUNTIME = 2, GTR_DOMAIN_RESOURCE = 3, GTR_DOMAIN_SYNC = 4 };
enum { GTR_NODE_CLONED = 20, GTR_GRAPH_MADE = 18 };                 /* of GTR_DOMAIN_RESOURCE */
enum { GTR_PROFILER_START = 308, GTR_PROFILER_STOP = 309 };         /* of GTR_DOMAIN_DRIVER */
enum { GTR_STREAM_SYNCHRONIZED = 1, GTR_CONTEXT_SYNCHRONIZED = 2 }; /* of GTR_DOMAIN_SYNC */
enum { GTR_SYNC_EVENT = 1, GTR_SYNC_WAIT = 2, GTR_SYNC_STREAM = 3, GTR_SYNC_CONTEXT = 4 };
enum { GTR_MARK_START = 2, GTR_MARK_END = 4 };
enum { GTR_ALLOCATED = 1, GTR_RELEASED = 2 };

#define GTR_RECORD struct __attribute__((packed, aligned(8)))

GTR_RECORD gtr_kernel {
    uint32_t kind;
    uint8_t cache[2];
    uint16_t registers;
    uint32_t partition[2];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], static_bytes, dynamic_bytes;
    uint32_t local_thread, local_all, correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch[4];
    uint32_t shared_executed;
    uint64_t node;
    uint32_t limit, graph;
    void *window;
    uint32_t channel[2], cluster[3];
};

GTR_RECORD gtr_copy {
    uint32_t kind;
    uint8_t copy, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime, pad;
    void *reserved;
    uint64_t node;
    uint32_t graph;
};

GTR_RECORD gtr_peer_copy {
    uint32_t kind;
    uint8_t copy, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
    void *reserved;
    uint64_t node;
};

GTR_RECORD gtr_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory;
    uint32_t pad;
    void *reserved;
    uint64_t node;
};

GTR_RECORD gtr_api {
    uint32_t kind, call;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};

GTR_RECORD gtr_sync {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint64_t sync_id; /* 0 in CUPTI 12 and before */
};

GTR_RECORD gtr_event {
    uint32_t kind, correlation, context, stream, event, pad;
    uint32_t device, pad2; /* these and what follows: CUPTI 13 */
    uint64_t reserved[2];
    uint64_t sync_id;
};

GTR_RECORD gtr_marker {
    uint32_t kind, flags;
    uint64_t time;
    uint32_t id, object;
    uint32_t process, thread; /* where OBJECT is a thread */
    uint32_t object_pad[2];
    const char *name, *domain;
};

GTR_RECORD gtr_memory {
    uint32_t kind, type, memory, correlation;
    uint64_t address, bytes, time, caller;
    uint32_t process, device, context, stream;
    const char *name;
};

GTR_RECORD gtr_stream {
    uint32_t kind, context, stream, priority, flag, correlation;
};

GTR_RECORD gtr_external {
    uint32_t kind, external_kind;
    uint64_t external;
    uint32_t correlation, reserved;
};

struct gtr_callback { /* of a call */
    uint32_t site;    /* 0: it begins */
    const char *function;
    const void *parameters;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_id;
    uint64_t *data;
    uint32_t correlation;
};

struct gtr_resource {
    void *context, *handle, *descriptor;
};

struct gtr_graph {
    void *graph, *original, *node, *original_node;
    uint32_t node_type;
    void *dependency, *executable;
};

typedef void gtr_wants_buffer(uint8_t **buffer, size_t *size, size_t *record_limit);
typedef void gtr_has_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used);
typedef void gtr_on_callback(void *context, uint32_t domain, uint32_t id, const void *data);

/* X(result, name, parameters); the first list must be there. */
#define GTR_CUPTI_MAP(X)                                                                                               \
    X(cuptiSubscribe, (void **subscriber, gtr_on_callback *callback, void *context))                                   \
    X(cuptiEnableCallback, (uint32_t enable, void *subscriber, uint32_t domain, uint32_t id))                          \
    X(cuptiActivityRegisterCallbacks, (gtr_wants_buffer *, gtr_has_buffer *))                                          \
    X(cuptiActivityEnable, (uint32_t kind))                                                                            \
    X(cuptiActivityDisable, (uint32_t kind))                                                                           \
    X(cuptiActivityFlushAll, (uint32_t flag))                                                                          \
    X(cuptiActivityGetNextRecord, (uint8_t *buffer, size_t used, void **record))                                       \
    X(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped))                            \
    X(cuptiGetCallbackName, (uint32_t domain, uint32_t id, const char **name))                                         \
    X(cuptiGetDeviceId, (void *context, uint32_t *device))                                                             \
    X(cuptiGetGraphNodeId, (void *node, uint64_t *id))                                                                 \
    X(cuptiGetResultString, (uint32_t result, const char **text))                                                      \
    X(cuptiActivityPushExternalCorrelationId, (uint32_t kind, uint64_t id))                                            \
    X(cuptiActivityPopExternalCorrelationId, (uint32_t kind, uint64_t *id))
#define GTR_CUPTI_MAYBE_MAP(X)                                                                                         \
    X(cuptiActivityRegisterTimestampCallback, (uint64_t(*clock)(void)))                                                \
    X(cuptiGetVersion, (uint32_t *version))                                                                            \
    X(cuptiActivityEnableRuntimeApi, (uint32_t call, uint8_t enable))                                                  \
    X(cuptiActivityEnableDriverApi, (uint32_t call, uint8_t enable))                                                   \
    X(cuptiSetThreadIdType, (uint32_t type))

#define GTR_DRIVER_MAP(X)                                                                                              \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDeviceGetCount, (int *count))                                                                                  \
    X(cuDeviceGetName, (char *name, int length, int device))                                                           \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                                   \
    X(cuDeviceTotalMem_v2, (size_t *bytes, int device))                                                                \
    X(cuDriverGetVersion, (int *version))                                                                              \
    X(cuGraphGetEdges, (void *graph, void **from, void **to, size_t *count))                                           \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                                                          \
    X(cuCtxSetCurrent, (void *context))                                                                                \
    X(cuModuleLoadData, (void **module, const void *image))                                                            \
    X(cuModuleGetFunction, (void **function, void *module, const char *name))                                          \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuStreamQuery, (void *stream))                                                                                   \
    X(cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,   \
                       unsigned bytes, void *stream, void **parameters, void **extra))

#define GTR_DRIVER_MAYBE_MAP(X)                                                                                        \
    X(cuFuncGetParamInfo, (void *function, size_t index, size_t *offset, size_t *size))                                \
    X(cuKernelGetParamInfo, (void *kernel, size_t index, size_t *offset, size_t *size))

#define GTR_MEMBER(name, parameters) uint32_t(*name) parameters;
struct gtr_cupti {
    void *library;
    GTR_CUPTI_MAP(GTR_MEMBER)
    GTR_CUPTI_MAYBE_MAP(GTR_MEMBER)
};
struct gtr_driver {
    void *library;
    GTR_DRIVER_MAP(GTR_MEMBER)
    GTR_DRIVER_MAYBE_MAP(GTR_MEMBER)
};
