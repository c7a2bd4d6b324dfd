/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracer within a program: the driver calls InitializeInjection() when it starts, the process's end writes the
 * rest. Whatever fails is said on stderr, and the program runs on without a recording. A forked child records nothing,
 * as CUDA does not work there either, unless it starts a program of its own.
 */
#include "sim/base/whole.h"
#include "traces/tracer/tracer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 20)
#define PERIOD_MS    200 /* what a killed program may lose */

struct gtr *gtr_active;
static struct gtr recorder; /* all zero, which a mutex may be: it takes no room in the file */

uint64_t gtr_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- libraries --------------------------------------------------------------------------------------------------- */
/* The one that the program has already, such as PyTorch's own, before any other. */
static void *find_cupti(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"};
    static const char *const folders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                          "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu"};
    const char *asked = getenv(GTR_CUPTI);
    char path[256];
    void *library = asked ? dlopen(asked, RTLD_NOW | RTLD_NODELETE) : NULL;
    for (size_t i = 0; i < 4 && !library && !asked; i++) library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = 0; i < 4 && !library && !asked; i++) library = dlopen(names[i], RTLD_NOW | RTLD_NODELETE);
    for (size_t i = 0; i < 16 && !library && !asked; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i / 4], names[i % 4]);
        library = dlopen(path, RTLD_NOW | RTLD_NODELETE);
    }
    return library;
}

bool gtr_load_cupti(struct gtr_cupti *cupti)
{
    bool is_whole = (cupti->library = find_cupti()) != NULL;
#define LOAD(name, parameters) is_whole &= (*(void **)&cupti->name = dlsym(cupti->library, #name)) != NULL;
#define LOAD_MAYBE(name, parameters) *(void **)&cupti->name = dlsym(cupti->library, #name);
    if (is_whole) {
        GTR_CUPTI_MAP(LOAD)
        GTR_CUPTI_MAYBE_MAP(LOAD_MAYBE)
    }
    return is_whole;
}

bool gtr_load_driver(struct gtr_driver *driver)
{
    const char *asked = getenv("GPUSIM_CUDA_DRIVER");
    bool is_whole = (driver->library = dlopen(asked ? asked : "libcuda.so.1", RTLD_NOW)) != NULL;
#define LOAD_DRIVER(name, parameters) is_whole &= (*(void **)&driver->name = dlsym(driver->library, #name)) != NULL;
#define LOAD_DRIVER_MAYBE(name, parameters) *(void **)&driver->name = dlsym(driver->library, #name);
    if (is_whole) {
        GTR_DRIVER_MAP(LOAD_DRIVER)
        GTR_DRIVER_MAYBE_MAP(LOAD_DRIVER_MAYBE)
    }
    if (!is_whole) driver->library = NULL;
    return is_whole;
}

/* --- buffers ----------------------------------------------------------------------------------------------------- */
static void wants_buffer(uint8_t **buffer, size_t *size, size_t *record_limit)
{
    *buffer = aligned_alloc(64, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *record_limit = 0;
}

static void has_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used)
{
    struct gtr *t = gtr_active;
    void *record = NULL;
    size_t dropped = 0;
    (void)size;
    if (t) {
        pthread_mutex_lock(&t->mutex);
        while (t->cupti.cuptiActivityGetNextRecord(buffer, used, &record) == 0) gtr_put_record(t, record);
        if (t->cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == 0) t->dropped += dropped;
        gtr_flush(t);
        pthread_mutex_unlock(&t->mutex);
    }
    free(buffer);
}

/* --- callbacks --------------------------------------------------------------------------------------------------- */
static void put_graph(struct gtr *t, void *graph)
{
    size_t count = 0;
    if (!t->driver.library || t->driver.cuGraphGetEdges(graph, NULL, NULL, &count) || !count) return;
    void **nodes = malloc(2 * count * sizeof *nodes);
    bool is_known = nodes && t->driver.cuGraphGetEdges(graph, nodes, nodes + count, &count) == 0;
    for (size_t i = 0; is_known && i < count; i++) {
        uint64_t from = 0, to = 0;
        (void)t->cupti.cuptiGetGraphNodeId(nodes[i], &from);
        (void)t->cupti.cuptiGetGraphNodeId(nodes[count + i], &to);
        gtr_put(t, "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"edge\",\"args\":{\"from\":%" PRIu64 ",\"to\":%" PRIu64
                   "}},\n", from, to);
    }
    free(nodes);
}

static void on_resource(struct gtr *t, uint32_t id, const struct gtr_resource *resource)
{
    const struct gtr_graph *graph = resource->descriptor;
    uint64_t clone = 0, original = 0;
    if (!graph) return;
    if (id == GTR_NODE_CLONED && (t->cupti.cuptiGetGraphNodeId(graph->node, &clone) ||
                                  t->cupti.cuptiGetGraphNodeId(graph->original_node, &original)))
        return;
    pthread_mutex_lock(&t->mutex);
    if (id == GTR_NODE_CLONED)
        gtr_put(t, "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"node\",\"args\":{\"node\":%" PRIu64 ",\"of\":%" PRIu64
                   "}},\n", clone, original);
    if (id == GTR_GRAPH_MADE) put_graph(t, graph->graph);
    pthread_mutex_unlock(&t->mutex);
}

/* When the host had waited, counted alike with and without a recording: what a step takes without one. */
static void on_sync(struct gtr *t)
{
    pthread_mutex_lock(&t->mutex);
    uint64_t now = gtr_now_ns();
    if ((uint32_t)gettid() == t->process)
        gtr_put(t, "{\"ph\":\"M\",\"cat\":\"waited\",\"name\":\"%s\",\"ts\":%" PRIu64 ".%03u},\n",
                getenv(GTR_MODE) ? "untraced" : "traced", now / 1000, (unsigned)(now % 1000));
    pthread_mutex_unlock(&t->mutex);
}

static const uint32_t kinds[] = {GTR_KERNEL, GTR_COPY, GTR_PEER_COPY, GTR_MEMSET,   GTR_EVENT,
                                 GTR_STREAM, GTR_SYNC, GTR_MARKER,    GTR_EXTERNAL, GTR_MEMORY};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

bool gtr_is_trivial(const char *name)
{
    static const char *const begins[] = {"cudaGet",       "cudaPeek",      "cudaFuncGet",    "cudaStreamIsCapturing",
                                         "cudaStreamGet", "cudaDeviceGet", "cudaPointerGet", "cudaOccupancy",
                                         "cudaThreadExchange", "cuGet",    "cuKernelGet",    "cuFuncGet",
                                         "cuFuncIs",      "cuCtxGet",      "cuCtxSetCurrent", "cuCtxPush",
                                         "cuCtxPop",      "cuDeviceGet",   "cuDevicePrimaryCtxGet", "cuPointerGet",
                                         "cuOccupancy",   "cuStreamGet",   "cuStreamIsCapturing", "cuThreadExchange",
                                         "cuModuleGet",   "cuLibraryGet",  "cudaSetDevice",  "cudaDriverGet",
                                         "cudaRuntimeGet", "__cuda"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

/* Calls one by one where CUPTI can (12 and later): those left out then cost nothing. Of a program that runs, CUPTI 13.0
 * then gives none: there all are recorded. */
static void enable_calls(struct gtr *t, enum gtr_domain domain, uint32_t (*set)(uint32_t call, uint8_t enable),
                         bool is_on)
{
    uint32_t kind = domain == GTR_DOMAIN_DRIVER ? GTR_DRIVER : GTR_RUNTIME;
    if (!set) (void)(is_on ? t->cupti.cuptiActivityEnable(kind) : t->cupti.cuptiActivityDisable(kind));
    for (uint32_t call = 1; set && call < GTR_CALLS; call++) {
        const char *name = NULL;
        if (t->cupti.cuptiGetCallbackName(domain, call, &name) == 0 && name && !gtr_is_trivial(name))
            (void)set(call, is_on);
    }
}

static void enable(struct gtr *t, bool is_on)
{
    for (size_t i = 0; i < KIND_COUNT && t->is_on != is_on; i++)
        (void)(is_on ? t->cupti.cuptiActivityEnable(kinds[i]) : t->cupti.cuptiActivityDisable(kinds[i]));
    if (t->is_on == is_on) return;
    bool is_late = getenv(GTR_RANGE) != NULL;
    enable_calls(t, GTR_DOMAIN_RUNTIME, is_late ? NULL : t->cupti.cuptiActivityEnableRuntimeApi, is_on);
    enable_calls(t, GTR_DOMAIN_DRIVER, is_late ? NULL : t->cupti.cuptiActivityEnableDriverApi, is_on);
    t->is_on = is_on;
}

static void on_callback(void *context, uint32_t domain, uint32_t id, const void *data)
{
    struct gtr *t = gtr_active;
    (void)context;
    if (!t) return;
    if (domain == GTR_DOMAIN_RESOURCE) on_resource(t, id, data);
    if (domain == GTR_DOMAIN_SYNC) on_sync(t);
    if (domain != GTR_DOMAIN_DRIVER || ((const struct gtr_callback *)data)->site != 0) return;
    if (id == GTR_PROFILER_START || id == GTR_PROFILER_STOP) enable(t, id == GTR_PROFILER_START);
    else gtr_on_launch(t, id, data);
}

/* --- from start to end ------------------------------------------------------------------------------------------- */
static bool fail(const struct gtr *t, const char *what, uint32_t result)
{
    const char *text = "unknown error";
    (void)t->cupti.cuptiGetResultString(result, &text);
    fprintf(stderr, "gpusim trace: no recording of process %u: CUPTI refuses to %s: %s\n", t->process, what, text);
    return false;
}

bool gtr_start(struct gtr *t)
{
    const char *range = getenv(GTR_RANGE);
    bool only_waits = getenv(GTR_MODE) != NULL, by_calls = range && strcmp(range, "profiler") == 0;
    uint32_t version = 0;
    if (t->cupti.cuptiGetVersion) (void)t->cupti.cuptiGetVersion(&version);
    t->has_sync_ids = version >= 130000;
    t->is_untraced = only_waits;
    t->has_header |= only_waits; /* its lines go behind those of a recording */
    uint32_t result = t->cupti.cuptiSubscribe(&t->subscriber, on_callback, NULL);
    if (result) return fail(t, "subscribe (is another profiler in the program?)", result);
    if (t->cupti.cuptiSetThreadIdType) (void)t->cupti.cuptiSetThreadIdType(1); /* the system's numbers */
    (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_SYNC, GTR_STREAM_SYNCHRONIZED);
    (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_SYNC, GTR_CONTEXT_SYNCHRONIZED);
    if (only_waits || getenv(GTR_ARGUMENTS)) gtr_watch_launches(t, !only_waits);
    if (only_waits) return true;
    if (t->cupti.cuptiActivityRegisterTimestampCallback)
        (void)t->cupti.cuptiActivityRegisterTimestampCallback(gtr_now_ns);
    result = t->cupti.cuptiActivityRegisterCallbacks(wants_buffer, has_buffer);
    if (result) return fail(t, "give records", result);
    (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_RESOURCE, GTR_NODE_CLONED);
    (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_RESOURCE, GTR_GRAPH_MADE);
    if (by_calls) {
        (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_DRIVER, GTR_PROFILER_START);
        (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_DRIVER, GTR_PROFILER_STOP);
    } else if ((result = t->cupti.cuptiActivityEnable(GTR_KERNEL)) != 0) {
        return fail(t, "record kernels", result);
    } else if (range) {
        (void)t->cupti.cuptiActivityDisable(GTR_KERNEL);
    } else {
        enable(t, true);
    }
    return true;
}

void gtr_stop(struct gtr *t)
{
    if (!getenv(GTR_MODE)) (void)t->cupti.cuptiActivityFlushAll(1);
    pthread_mutex_lock(&t->mutex);
    gtr_put_inner(t);
    gtr_put_launched(t);
    if (t->kernels + t->copies + t->memsets + t->calls)
        gtr_put(t,
                "{\"ph\":\"M\",\"cat\":\"gpusim\",\"name\":\"end\",\"args\":{\"kernels\":%" PRIu64
                ",\"copies\":%" PRIu64 ",\"memsets\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"dropped\":%" PRIu64 "}},\n",
                t->kernels, t->copies, t->memsets, t->calls, t->dropped);
    gtr_flush(t);
    pthread_mutex_unlock(&t->mutex);
}

static void at_exit(void)
{
    struct gtr *t = gtr_active;
    if (!t || (uint32_t)getpid() != t->process) return;
    gtr_stop(t);
    gtr_active = NULL;
    if (t->dropped)
        fprintf(stderr, "gpusim trace: CUPTI dropped %" PRIu64 " records of process %u: the recording has gaps\n",
                t->dropped, t->process);
}

static void in_child(void)
{
    if (recorder.file >= 0) close(recorder.file);
    recorder.file = -1;
    gtr_active = NULL;
}

/* Writes what is complete, so that a killed program leaves it. */
static void *keep_flushing(void *context)
{
    struct gtr *t = context;
    const struct timespec period = {0, PERIOD_MS * 1000000L};
    while (gtr_active) {
        nanosleep(&period, NULL);
        if (gtr_active && t->is_on) (void)t->cupti.cuptiActivityFlushAll(0);
    }
    return NULL;
}

/* Records between two times, by a thread that sleeps until then. */
static void *keep_range(void *context)
{
    struct gtr *t = context;
    char *end = NULL;
    const char *range = getenv(GTR_RANGE);
    double from_s = strtod(range, &end), to_s = *end == ':' && end[1] ? strtod(end + 1, NULL) : 0;
    for (int i = 0; i < 2; i++) {
        double at_s = i ? to_s : from_s, now_s = (double)(gtr_now_ns() - t->started_ns) / 1e9;
        if (i && to_s <= 0) break;
        struct timespec rest = {gsim_whole(at_s - now_s), 0};
        rest.tv_nsec = gsim_whole((at_s - now_s - (double)rest.tv_sec) * 1e9);
        if (at_s > now_s) nanosleep(&rest, NULL);
        if (gtr_active) enable(t, i == 0);
    }
    return NULL;
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    struct gtr *t = &recorder;
    const char *path = getenv(GTR_OUT), *range = getenv(GTR_RANGE);
    pthread_t thread;
    if (!path || gtr_active) return 1;
    t->file = -1;
    t->process = (uint32_t)getpid();
    t->started_ns = gtr_now_ns();
    if (!gtr_load_cupti(&t->cupti)) {
        fprintf(stderr, "gpusim trace: no recording of process %u: cannot load libcupti (%s); %s names it\n",
                t->process, dlerror(), GTR_CUPTI);
        return 1;
    }
    (void)gtr_load_driver(&t->driver);
    if (!gtr_open(t, path)) return 1;
    gtr_active = t;
    if (!gtr_start(t)) {
        gtr_active = NULL;
        return 1;
    }
    atexit(at_exit);
    pthread_atfork(NULL, NULL, in_child);
    sigset_t all, before; /* the program's signals are for its own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool by_time = range && strcmp(range, "profiler") != 0;
    if (by_time && pthread_create(&thread, NULL, keep_range, t) == 0) pthread_detach(thread);
    if (!getenv(GTR_MODE) && pthread_create(&thread, NULL, keep_flushing, t) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return 1;
}

/* NVTX takes CUPTI for its tool (NVTX_INJECTION64_PATH names this library). */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(void *give);
int InitializeInjectionNvtx2(void *give)
{
    int (*start)(void *) = NULL;
    void *library = getenv(GTR_OUT) && !getenv(GTR_MODE) ? find_cupti() : NULL;
    if (library) *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    return start ? start(give) : 0;
}
