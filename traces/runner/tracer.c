/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUPTI gives its buffers to callbacks without a user pointer: so the one tracer that may be active is reached through
 * ACTIVE, the only global of ours. Calls are tied to activities by external correlation; a graph's activities carry
 * the number of the node in the instantiated graph, which resource callbacks tie to the node it was cloned from.
 */
#include "traces/runner/tracer.h"

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include "gpusim/memory.h"
#include "gpusim/order.h"

#define BUFFER_BYTES (4u << 20)

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel_activity;
#else
typedef CUpti_ActivityKernel9 kernel_activity;
#endif
#if CUPTI_API_VERSION >= 24
typedef CUpti_ActivityMemcpy6 memcpy_activity;
#else
typedef CUpti_ActivityMemcpy5 memcpy_activity;
#endif

#define CUPTI_MAP(X)                                                                                                   \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityRegisterTimestampCallback) X(cuptiActivityEnable) X(cuptiActivityDisable) X(cuptiActivityFlushAll)  \
        X(cuptiActivityGetNextRecord) X(cuptiActivityGetNumDroppedRecords) X(cuptiActivityPushExternalCorrelationId)   \
            X(cuptiActivityPopExternalCorrelationId) X(cuptiGetGraphNodeId) X(cuptiSubscribe) X(cuptiUnsubscribe)      \
                X(cuptiEnableCallback) X(cuptiGetResultString)

struct cupti {
    void *library;
#define MEMBER(name) __typeof__(&name) name;
    CUPTI_MAP(MEMBER)
#undef MEMBER
};

struct pair {
    uint64_t from, to;
};

struct pairs {
    struct pair *items;
    size_t count, capacity;
};

struct gsim_tracer {
    struct cupti cupti;
    CUpti_SubscriberHandle subscriber;
    pthread_mutex_t mutex;
    struct gsim_tracer_activity *activities; /* call holds CUPTI's correlation until stop */
    size_t count, capacity, dropped;
    struct pairs calls;  /* correlation -> pushed call */
    struct pairs clones; /* node of an instantiated graph -> node it was cloned from */
    bool is_recording;
};

static struct gsim_tracer *active;
static bool is_registered; /* CUPTI takes the two callbacks once in a process */

int64_t gsim_runner_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t CUPTIAPI timestamp(void) { return (uint64_t)gsim_runner_now_ns(); }

static void add_pair(struct pairs *pairs, uint64_t from, uint64_t to)
{
    (void)GSIM_APPEND(pairs->items, pairs->count, pairs->capacity, (struct pair){from, to});
}

static void add_activity(struct gsim_tracer *t, const struct gsim_tracer_activity *activity)
{
    (void)GSIM_APPEND(t->activities, t->count, t->capacity, *activity);
}

static void read_record(struct gsim_tracer *t, const CUpti_Activity *record)
{
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const kernel_activity *k = (const kernel_activity *)record;
        add_activity(t, &(struct gsim_tracer_activity){.call = k->correlationId,
                                                       .node = k->graphNodeId,
                                                       .start_ns = (int64_t)k->start,
                                                       .end_ns = (int64_t)k->end,
                                                       .registers = k->registersPerThread,
                                                       .smem_bytes = k->staticSharedMemory + k->dynamicSharedMemory});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const memcpy_activity *m = (const memcpy_activity *)record;
        add_activity(t, &(struct gsim_tracer_activity){.call = m->correlationId,
                                                       .node = m->graphNodeId,
                                                       .start_ns = (int64_t)m->start,
                                                       .end_ns = (int64_t)m->end,
                                                       .bytes = m->bytes,
                                                       .is_copy = true});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const CUpti_ActivityExternalCorrelation *e = (const CUpti_ActivityExternalCorrelation *)record;
        add_pair(&t->calls, e->correlationId, e->externalId);
    }
}

static void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *size, size_t *record_limit)
{
    *buffer = aligned_alloc(64, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *record_limit = 0;
}

static void CUPTIAPI buffer_full(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t used)
{
    struct gsim_tracer *t = active;
    CUpti_Activity *record = NULL;
    size_t dropped = 0;
    (void)size;
    if (t) {
        pthread_mutex_lock(&t->mutex);
        while (t->cupti.cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) read_record(t, record);
        if (t->cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
            t->dropped += dropped;
        pthread_mutex_unlock(&t->mutex);
    }
    free(buffer);
}

static void CUPTIAPI on_resource(void *argument, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    struct gsim_tracer *t = argument;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return;
    const CUpti_GraphData *graph = ((const CUpti_ResourceData *)data)->resourceDescriptor;
    uint64_t clone = 0, original = 0;
    if (t->cupti.cuptiGetGraphNodeId(graph->node, &clone) != CUPTI_SUCCESS ||
        t->cupti.cuptiGetGraphNodeId(graph->originalNode, &original) != CUPTI_SUCCESS)
        return;
    pthread_mutex_lock(&t->mutex);
    add_pair(&t->clones, clone, original);
    pthread_mutex_unlock(&t->mutex);
}

static bool load(struct cupti *cupti)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !cupti->library; i++)
        cupti->library = dlopen(names[i], RTLD_NOW);
    if (!cupti->library) return false;
#define LOAD(name)                                                                                                     \
    *(void **)&cupti->name = dlsym(cupti->library, #name);                                                             \
    if (!cupti->name) return false;
    CUPTI_MAP(LOAD)
#undef LOAD
    return true;
}

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_RUNTIME};

static void stop_recording(struct gsim_tracer *t)
{
    if (!t->is_recording) return;
    cudaDeviceSynchronize();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) t->cupti.cuptiActivityDisable(kinds[i]);
    t->cupti.cuptiActivityFlushAll(1);
    if (t->subscriber) t->cupti.cuptiUnsubscribe(t->subscriber);
    t->is_recording = false;
    active = NULL;
}

enum gsim_status gsim_tracer_start(struct gsim_tracer **tracer, struct gsim_error *error)
{
    struct gsim_tracer *t = *tracer = gsim_alloc(sizeof *t);
    GSIM_INVARIANT(!active);
    pthread_mutex_init(&t->mutex, NULL);
    if (!load(&t->cupti))
        return gsim_error_set(error, GSIM_SIM,
                              "cannot load libcupti (%s): tracing needs CUDA's profiling library on the library path",
                              dlerror());
    active = t;
    t->is_recording = true;
    CUptiResult result = CUPTI_SUCCESS;
    if (!is_registered) result = t->cupti.cuptiActivityRegisterTimestampCallback(timestamp);
    if (!is_registered && result == CUPTI_SUCCESS)
        result = t->cupti.cuptiActivityRegisterCallbacks(buffer_wanted, buffer_full);
    is_registered = result == CUPTI_SUCCESS;
    if (result == CUPTI_SUCCESS) result = t->cupti.cuptiSubscribe(&t->subscriber, on_resource, t);
    if (result == CUPTI_SUCCESS)
        result = t->cupti.cuptiEnableCallback(1, t->subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                              CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && result == CUPTI_SUCCESS; i++)
        result = t->cupti.cuptiActivityEnable(kinds[i]);
    if (result == CUPTI_SUCCESS) return GSIM_OK;
    const char *text = "unknown error";
    t->cupti.cuptiGetResultString(result, &text);
    stop_recording(t);
    return gsim_error_set(error, GSIM_SIM, "CUPTI refuses to record: %s", text);
}

void gsim_tracer_push(struct gsim_tracer *tracer, uint64_t call)
{
    tracer->cupti.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, call);
}

void gsim_tracer_pop(struct gsim_tracer *tracer)
{
    uint64_t call;
    tracer->cupti.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &call);
}

uint64_t gsim_tracer_node(struct gsim_tracer *tracer, cudaGraphNode_t node)
{
    uint64_t id = 0;
    return tracer->cupti.cuptiGetGraphNodeId((CUgraphNode)node, &id) == CUPTI_SUCCESS ? id : 0;
}

GSIM_ORDER(compare_pairs, struct pair, GSIM_UP(from))

GSIM_ORDER(compare_ends, struct gsim_tracer_activity, GSIM_UP(end_ns) GSIM_UP(start_ns))

static const struct pair *find(const struct pairs *pairs, uint64_t from)
{
    struct pair key = {from, 0};
    return pairs->count ? bsearch(&key, pairs->items, pairs->count, sizeof key, compare_pairs) : NULL;
}

void gsim_tracer_stop(struct gsim_tracer *tracer, const struct gsim_tracer_activity **list, size_t *count,
                      size_t *dropped)
{
    stop_recording(tracer);
    if (tracer->calls.count)
        qsort(tracer->calls.items, tracer->calls.count, sizeof *tracer->calls.items, compare_pairs);
    if (tracer->clones.count)
        qsort(tracer->clones.items, tracer->clones.count, sizeof *tracer->clones.items, compare_pairs);
    size_t kept = 0;
    for (size_t i = 0; i < tracer->count; i++) {
        struct gsim_tracer_activity *activity = &tracer->activities[i];
        const struct pair *call = find(&tracer->calls, activity->call), *node;
        if (!call) continue; /* made by nobody we know: the runtime's own */
        activity->call = call->to;
        while (activity->node && (node = find(&tracer->clones, activity->node)) && node->to != activity->node)
            activity->node = node->to;
        tracer->activities[kept++] = *activity;
    }
    if (kept) qsort(tracer->activities, kept, sizeof *tracer->activities, compare_ends);
    *list = tracer->activities;
    *count = kept;
    *dropped = tracer->dropped;
}

void gsim_tracer_destroy(struct gsim_tracer *tracer)
{
    if (!tracer) return;
    stop_recording(tracer);
    pthread_mutex_destroy(&tracer->mutex);
    gsim_free(tracer->activities);
    gsim_free(tracer->calls.items);
    gsim_free(tracer->clones.items);
    gsim_free(tracer);
}
