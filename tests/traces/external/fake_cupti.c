/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUPTI and CUDA's driver as the tracer sees them, where there is no GPU: the device is a thread that runs what
 * fake_launch() gave it, 20 us a kernel, and gives records as CUPTI does. For tests/traces/tracer/test_inject.c.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/tracer/cupti.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST   4096
#define KERNEL_NS 20000
#define ADDRESS   21474836480u /* 5 << 32 */

static gtr_on_callback *callback;
static gtr_wants_buffer *wants;
static gtr_has_buffer *has;
static uint64_t (*clock_ns)(void);
static bool enabled[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static union record {
    uint32_t kind;
    struct gtr_kernel kernel;
    struct gtr_copy copy;
    struct gtr_api api;
    struct gtr_sync sync;
    struct gtr_event event;
    struct gtr_marker marker;
    struct gtr_memory memory;
    struct gtr_stream stream;
} records[MOST];
static size_t count, queued, ran;
static uint32_t queue[MOST], correlation;
static bool has_thread, watched[1500]; /* driver's calls with a callback */

static void add(const union record *record)
{
    if (record->kind < 64 && enabled[record->kind] && count < MOST) records[count++] = *record;
}

/* --- the device --- */
static void *device(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (ran == queued) pthread_cond_wait(&change, &mutex);
        uint64_t start = clock_ns ? clock_ns() : 1;
        uint32_t call = queue[ran % MOST];
        pthread_mutex_unlock(&mutex);
        const struct timespec kernel = {0, KERNEL_NS};
        nanosleep(&kernel, NULL);
        pthread_mutex_lock(&mutex);
        add(&(union record){.kernel = {.kind = GTR_KERNEL, .registers = 24, .start = start, .end = start + KERNEL_NS,
                                       .device = 0, .context = 1, .stream = 7 + call % 2, .grid = {12, 2, 1},
                                       .block = {128, 1, 1}, .static_bytes = 16, .dynamic_bytes = 1008,
                                       .correlation = call, .name = "_Z4sumsPfi", .cluster = {2, 1, 1}}});
        ran++;
        pthread_cond_broadcast(&change);
    }
    return unused;
}

static uint64_t now(void) { return clock_ns ? clock_ns() : 1; }

static void call_record(uint32_t kind, uint32_t id, uint32_t call, uint64_t start, uint64_t end)
{
    add(&(union record){.api = {kind, id, start, end, 1, 77, call, 0}});
}


/* cudaLaunchKernel, which makes the driver's call. */
EXPORT void fake_launch(void);
void fake_launch(void)
{
    pthread_mutex_lock(&mutex);
    if (!has_thread) {
        pthread_t thread;
        has_thread = pthread_create(&thread, NULL, device, NULL) == 0 && pthread_detach(thread) == 0;
    }
    uint64_t start = now(), given = ADDRESS + 256;
    int number = 5;
    void *values[2] = {&given, &number};
    struct {
        void *function;
        unsigned shape[7];
        void *stream, **parameters, **extra;
    } parameters = {.function = values, .parameters = values};
    struct gtr_callback call = {.parameters = &parameters, .symbol = "_Z4sumsPfi", .correlation = ++correlation};
    queue[queued++ % MOST] = correlation;
    bool is_watched = watched[307];
    call_record(GTR_DRIVER, 307, correlation, start + 1, start + 2);
    call_record(GTR_RUNTIME, 211, correlation, start, start + 3);
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&mutex);
    if (is_watched) callback(NULL, GTR_DOMAIN_DRIVER, 307, &call);
}

EXPORT void fake_allocate(void);
void fake_allocate(void)
{
    pthread_mutex_lock(&mutex);
    add(&(union record){.memory = {.kind = GTR_MEMORY, .type = GTR_ALLOCATED, .memory = 3, .address = ADDRESS,
                                   .bytes = 65536, .time = now()}});
    pthread_mutex_unlock(&mutex);
}

EXPORT void fake_wait(void);
void fake_wait(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t start = now();
    while (ran < queued) pthread_cond_wait(&change, &mutex);
    call_record(GTR_RUNTIME, 165, ++correlation, start, now());
    pthread_mutex_unlock(&mutex);
    if (callback) callback(NULL, GTR_DOMAIN_SYNC, GTR_CONTEXT_SYNCHRONIZED, "");
}

/* Stream 8 waits for what stream 7 holds; a range; a stream's priority; memory. */
EXPORT void fake_rest(void);
void fake_rest(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t time = now();
    add(&(union record){.event = {.kind = GTR_EVENT, .correlation = ++correlation, .context = 1, .stream = 7,
                                  .event = 3, .sync_id = 41}});
    add(&(union record){.sync = {.kind = GTR_SYNC, .type = GTR_SYNC_WAIT, .start = time, .end = time + 5,
                                 .correlation = ++correlation, .context = 1, .stream = 8, .event = 3, .sync_id = 41}});
    add(&(union record){.marker = {.kind = GTR_MARKER, .flags = GTR_MARK_START, .time = time, .id = 9, .object = 2,
                                   .thread = 77, .name = "load \"a\\b\""}});
    add(&(union record){.marker = {.kind = GTR_MARKER, .flags = GTR_MARK_END, .time = time + 900, .id = 9}});
    add(&(union record){.stream = {GTR_STREAM, 1, 8, (uint32_t)-5, 1, 0}});
    pthread_mutex_unlock(&mutex);
}

/* --- CUPTI --- */
EXPORT uint32_t cuptiSubscribe(void **subscriber, gtr_on_callback *on, void *context);
uint32_t cuptiSubscribe(void **subscriber, gtr_on_callback *on, void *context)
{
    (void)context;
    if (getenv("FAKE_BUSY")) return 39;
    *subscriber = (void *)1;
    callback = on;
    return 0;
}
#define NOTHING(name, parameters)                                                                                      \
    EXPORT uint32_t name parameters;                                                                                   \
    uint32_t name parameters
#define UNUSED(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
NOTHING(cuptiEnableCallback, (uint32_t on, void *s, uint32_t d, uint32_t i)) 
{
    if (d == GTR_DOMAIN_DRIVER && i < 1500) watched[i] = on;
    return (void)s, 0u;
}
NOTHING(cuptiActivityRegisterCallbacks, (gtr_wants_buffer * w, gtr_has_buffer *h)) { return wants = w, has = h, 0u; }
NOTHING(cuptiActivityRegisterTimestampCallback, (uint64_t(*c)(void))) { return clock_ns = c, 0u; }
NOTHING(cuptiActivityEnable, (uint32_t kind)) { return enabled[kind] = true, 0u; }
NOTHING(cuptiActivityDisable, (uint32_t kind)) { return enabled[kind] = false, 0u; }
NOTHING(cuptiGetVersion, (uint32_t * version)) { return *version = 130000, 0u; }
NOTHING(cuptiGetDeviceId, (void *context, uint32_t *id)) { return (void)context, *id = 0, 0u; }
NOTHING(cuptiGetGraphNodeId, (void *node, uint64_t *id)) { return *id = (uint64_t)(uintptr_t)node, 0u; }
NOTHING(cuptiActivityPushExternalCorrelationId, (uint32_t kind, uint64_t id)) { return (void)kind, (void)id, 0u; }
NOTHING(cuptiActivityPopExternalCorrelationId, (uint32_t kind, uint64_t *id)) { return (void)kind, (void)id, 0u; }
NOTHING(cuptiGetResultString, (uint32_t result, const char **text)) { return (void)result, *text = "BUSY", 0u; }
NOTHING(cuptiActivityGetNumDroppedRecords, (void *c, uint32_t s, size_t *n)) { return (void)c, (void)s, *n = 0, 0u; }

NOTHING(cuptiGetCallbackName, (uint32_t domain, uint32_t id, const char **name))
{
    *name = domain == GTR_DOMAIN_DRIVER ? "cuLaunchKernel"
            : id == 211                 ? "cudaLaunchKernel_v7000"
                                        : "cudaDeviceSynchronize_v3020";
    return id == 307 || id == 211 || id == 165 ? 0 : 1;
}

NOTHING(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t used, void **record))
{
    union record *next = *record ? (union record *)*record + 1 : (union record *)buffer;
    if ((uint8_t *)next >= buffer + used) return 12;
    *record = next;
    return 0;
}

NOTHING(cuptiActivityFlushAll, (uint32_t flag))
{
    (void)flag;
    for (;;) {
        uint8_t *buffer = NULL;
        size_t size = 0, limit, given = 0;
        pthread_mutex_lock(&mutex);
        if (count && wants) wants(&buffer, &size, &limit);
        while (given < count && (given + 1) * sizeof records[0] <= size) given++;
        if (given) memcpy(buffer, records, given * sizeof records[0]);
        memmove(records, records + given, (count - given) * sizeof records[0]);
        count -= given;
        pthread_mutex_unlock(&mutex);
        if (!given) return 0;
        has(NULL, 0, buffer, size, given * sizeof records[0]);
    }
}

/* --- the driver --- */
NOTHING(cuInit, (unsigned flags)) { return (void)flags, 0u; }
NOTHING(cuDeviceGetCount, (int *n)) { return *n = 1, 0u; }
NOTHING(cuDeviceGetName, (char *name, int length, int d))
{
    return (void)d, snprintf(name, (size_t)length, "NVIDIA H100 80GB HBM3"), 0u;
}
NOTHING(cuDeviceGetAttribute, (int *value, int which, int d))
{
    return (void)d, *value = which == 75 ? 9 : which == 16 ? 132 : 0, 0u;
}
NOTHING(cuDeviceTotalMem_v2, (size_t * bytes, int d)) { return (void)d, *bytes = (size_t)80 << 30, 0u; }
NOTHING(cuDriverGetVersion, (int *version)) { return *version = 13000, 0u; }
NOTHING(cuGraphGetEdges, (void *g, void **f, void **t, size_t *n)) { return (void)g, (void)f, (void)t, *n = 0, 0u; }
NOTHING(cuDevicePrimaryCtxRetain, (void **context, int d)) { return (void)d, *context = (void *)1, 0u; }
NOTHING(cuCtxSetCurrent, (void *context)) { return (void)context, 0u; }
NOTHING(cuModuleLoadData, (void **module, const void *image)) { return (void)image, *module = (void *)1, 0u; }
NOTHING(cuModuleGetFunction, (void **f, void *m, const char *n)) { return (void)m, (void)n, *f = (void *)1, 0u; }
NOTHING(cuCtxSynchronize, (void)) { return 0; }
NOTHING(cuFuncGetParamInfo, (void *f, size_t index, size_t *offset, size_t *size))
{
    return (void)f, *offset = 8 * index, *size = index ? 4 : 8, index < 2 ? 0u : 1u;
}
NOTHING(cuStreamQuery, (void *stream)) { return (void)stream, 0u; }
NOTHING(cuLaunchKernel, (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned bytes, void *stream, void **parameters, void **extra))
{
    UNUSED(f, gx, gy, gz);
    UNUSED(bx, by, bz, bytes);
    UNUSED(stream, parameters, extra, 0);
    return 0;
}
