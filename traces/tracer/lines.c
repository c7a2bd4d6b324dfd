/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUPTI's records as lines of Chrome's format, with the categories and names of PyTorch's profiler, so that one reader
 * has both (traces/import/kineto.c). What that profiler does not say has names of its own: cluster, graph node id.
 */
#include "traces/tracer/tracer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define US       "%" PRIu64 ".%03u"
#define AS_US(t) (uint64_t)(t) / 1000, (unsigned)((uint64_t)(t) % 1000)

/* --- what is said once ------------------------------------------------------------------------------------------- */
static int attribute(const struct gtr *t, int which, int device)
{
    int value = 0;
    return t->driver.library && t->driver.cuDeviceGetAttribute(&value, which, device) == 0 ? value : 0;
}

static void put_device(struct gtr *t, int device)
{
    enum { /* CUdevice_attribute */
        CLOCK_KHZ = 13, SMS = 16, MEMORY_KHZ = 36, BUS_BITS = 37, L2_BYTES = 38, SM_THREADS = 39, MAJOR = 75,
        MINOR = 76, SM_BYTES = 81, SM_REGISTERS = 82, SM_BLOCKS = 106
    };
    char name[128] = "";
    size_t bytes = 0;
    (void)t->driver.cuDeviceGetName(name, sizeof name, device);
    (void)t->driver.cuDeviceTotalMem_v2(&bytes, device);
    double gbps = 2.0 * attribute(t, MEMORY_KHZ, device) * 1e3 * attribute(t, BUS_BITS, device) / 8e9;
    gtr_put(t, "%s{\"id\":%d,\"name\":", device ? "," : "", device);
    gtr_put_text(t, name);
    gtr_put(t,
            ",\"totalGlobalMem\":%zu,\"computeMajor\":%d,\"computeMinor\":%d,\"numSms\":%d,"
            "\"maxThreadsPerMultiprocessor\":%d,\"regsPerMultiprocessor\":%d,\"sharedMemPerMultiprocessor\":%d,"
            "\"maxBlocksPerMultiprocessor\":%d,\"l2Bytes\":%d,\"clockMhz\":%d,\"memoryGbps\":%.0f}",
            bytes, attribute(t, MAJOR, device), attribute(t, MINOR, device), attribute(t, SMS, device),
            attribute(t, SM_THREADS, device), attribute(t, SM_REGISTERS, device), attribute(t, SM_BYTES, device),
            attribute(t, SM_BLOCKS, device), attribute(t, L2_BYTES, device), attribute(t, CLOCK_KHZ, device) / 1000,
            gbps);
}

void gtr_put_header(struct gtr *t)
{
    struct timespec date;
    const char *cost = getenv(GTR_COST), *rank = getenv("RANK"), *world = getenv("WORLD_SIZE");
    int count = 0, version = 0;
    clock_gettime(CLOCK_REALTIME, &date);
    uint64_t epoch_ns = (uint64_t)date.tv_sec * 1000000000u + (uint64_t)date.tv_nsec - gtr_now_ns();
    if (t->driver.library) {
        (void)t->driver.cuDeviceGetCount(&count);
        (void)t->driver.cuDriverGetVersion(&version);
    }
    gtr_put(t, "[\n{\"ph\":\"M\",\"cat\":\"gpusim\",\"name\":\"header\",\"args\":{\"schema\":\"gpusim-trace/1\","
               "\"gpusim\":{\"tracer\":\"gpusim trace\"%s%s},\"baseTimeNanoseconds\":%" PRIu64
               ",\"process\":%u,\"driverVersion\":%d",
            cost && *cost ? "," : "", cost ? cost : "", epoch_ns, t->process, version);
    if (rank && world)
        gtr_put(t, ",\"distributedInfo\":{\"rank\":%ld,\"world_size\":%ld}", strtol(rank, NULL, 10),
                strtol(world, NULL, 10));
    gtr_put(t, ",\"deviceProperties\":[");
    for (int device = 0; device < count; device++) put_device(t, device);
    gtr_put(t, "]}},\n");
}

/* --- names ------------------------------------------------------------------------------------------------------- */
/* As C++ writes it, where its library is in the process. */
static char *demangle(const char *name)
{
    static char *(*known)(const char *, char *, size_t *, int *);
    static bool is_looked_up;
    int status = -1;
    if (!is_looked_up) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        if (library) *(void **)&known = dlsym(library, "__cxa_demangle");
        is_looked_up = true;
    }
    char *text = known && strncmp(name, "_Z", 2) == 0 ? known(name, NULL, NULL, &status) : NULL;
    return text ? text : strdup(name);
}

static const char *shown(struct gtr *t, const char *name)
{
    uint64_t hash = 1469598103934665603u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    struct gtr_name *slot = &t->names[hash % GTR_NAMES];
    if (!slot->mangled || strcmp(slot->mangled, name) != 0) {
        free(slot->mangled);
        free(slot->shown);
        slot->mangled = strdup(name);
        slot->shown = demangle(name);
    }
    return slot->shown ? slot->shown : name;
}

/* --- works ------------------------------------------------------------------------------------------------------- */
static void put_work(struct gtr *t, const char *category, uint64_t start, uint64_t end, const char *name)
{
    gtr_put(t, "{\"ph\":\"X\",\"cat\":\"%s\",\"ts\":" US ",\"dur\":" US ",\"name\":", category, AS_US(start),
            AS_US(end > start ? end - start : 0));
    gtr_put_text(t, name);
}

static void put_place(struct gtr *t, uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
                      uint64_t node)
{
    if (context < 64) t->context_devices[context] = device;
    gtr_put(t, ",\"pid\":%u,\"tid\":%u,\"args\":{\"device\":%u,\"context\":%u,\"stream\":%u,\"correlation\":%u", device,
            stream, device, context, stream, correlation);
    if (node) gtr_put(t, ",\"graph node id\":%" PRIu64, node);
}

static void put_kernel(struct gtr *t, const struct gtr_kernel *k)
{
    t->kernels++;
    put_work(t, "kernel", k->start, k->end, k->name ? shown(t, k->name) : "unnamed");
    put_place(t, k->device, k->context, k->stream, k->correlation, k->node);
    gtr_put(t, ",\"registers per thread\":%u,\"shared memory\":%d,\"grid\":[%d,%d,%d],\"block\":[%d,%d,%d]",
            k->registers, k->static_bytes + k->dynamic_bytes, k->grid[0], k->grid[1], k->grid[2], k->block[0],
            k->block[1], k->block[2]);
    if (k->cluster[0])
        gtr_put(t, ",\"cluster\":[%u,%u,%u]", k->cluster[0], k->cluster[1] ? k->cluster[1] : 1,
                k->cluster[2] ? k->cluster[2] : 1);
    if (k->local_thread) gtr_put(t, ",\"local memory\":%u", k->local_thread);
    const char *collective = gtr_collective_of(t, k->correlation);
    if (collective) gtr_put(t, ",%s", collective);
    gtr_put(t, "}},\n");
}

static const char *memory_name(unsigned kind)
{
    static const char *const names[] = {"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static",
                                        "Managed Static"};
    return names[kind < sizeof names / sizeof names[0] ? kind : 0];
}

static const char *copy_name(unsigned kind)
{
    static const char *const names[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                        "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    return names[kind < sizeof names / sizeof names[0] ? kind : 0];
}

static void put_copy(struct gtr *t, const struct gtr_copy *c)
{
    char name[80];
    t->copies++;
    snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", copy_name(c->copy), memory_name(c->from), memory_name(c->to));
    put_work(t, "gpu_memcpy", c->start, c->end, name);
    put_place(t, c->device, c->context, c->stream, c->correlation, c->node);
    gtr_put(t, ",\"bytes\":%" PRIu64 "}},\n", c->bytes);
}

static void put_peer_copy(struct gtr *t, const struct gtr_peer_copy *c)
{
    char name[80];
    t->copies++;
    snprintf(name, sizeof name, "Memcpy PtoP (%s -> %s)", memory_name(c->from), memory_name(c->to));
    put_work(t, "gpu_memcpy", c->start, c->end, name);
    put_place(t, c->device, c->context, c->stream, c->correlation, c->node);
    gtr_put(t, ",\"bytes\":%" PRIu64 ",\"from device\":%u,\"to device\":%u}},\n", c->bytes, c->from_device,
            c->to_device);
}

static void put_memset(struct gtr *t, const struct gtr_memset *m)
{
    char name[80];
    t->memsets++;
    snprintf(name, sizeof name, "Memset (%s)", memory_name(m->memory));
    put_work(t, "gpu_memset", m->start, m->end, name);
    put_place(t, m->device, m->context, m->stream, m->correlation, m->node);
    gtr_put(t, ",\"bytes\":%" PRIu64 "}},\n", m->bytes);
}

/* --- calls: the driver's within the run time's are counted, not written ------------------------------------------- */
static void put_call(struct gtr *t, const struct gtr_api *c, uint32_t inner)
{
    const char *name = NULL;
    bool is_driver = c->kind == GTR_DRIVER;
    (void)t->cupti.cuptiGetCallbackName(is_driver ? GTR_DOMAIN_DRIVER : GTR_DOMAIN_RUNTIME, c->call, &name);
    if (name && gtr_is_trivial(name)) return;
    t->calls++;
    char plain[96]; /* without _v7000, _ptsz */
    snprintf(plain, sizeof plain, "%s", name ? name : "unnamed");
    char *suffix = strrchr(plain, '_');
    while (suffix && (strcmp(suffix, "_ptsz") == 0 || strcmp(suffix, "_ptds") == 0 ||
                      (suffix[1] == 'v' && strspn(suffix + 2, "0123456789") == strlen(suffix + 2)))) {
        *suffix = '\0';
        suffix = strrchr(plain, '_');
    }
    put_work(t, is_driver ? "cuda_driver" : "cuda_runtime", c->start, c->end, plain);
    gtr_put(t, ",\"pid\":%u,\"tid\":%u,\"args\":{\"correlation\":%u", c->process, c->thread, c->correlation);
    if (inner) gtr_put(t, ",\"inner\":%u", inner);
    if (c->result) gtr_put(t, ",\"result\":%u", c->result);
    gtr_put(t, "}},\n");
}

static void release_inner(struct gtr *t, struct gtr_inner *inner)
{
    for (uint32_t i = 0; i < inner->count; i++) put_call(t, &inner->calls[i], 0);
    inner->count = 0;
}

void gtr_put_inner(struct gtr *t)
{
    for (uint32_t i = 0; i < GTR_THREADS; i++) release_inner(t, &t->inner[i]);
}

static void write_call(struct gtr *t, const struct gtr_api *call)
{
    struct gtr_inner *inner = &t->inner[call->thread % GTR_THREADS];
    if (inner->thread != call->thread || inner->count == sizeof inner->calls / sizeof inner->calls[0])
        release_inner(t, inner);
    inner->thread = call->thread;
    if (call->kind == GTR_DRIVER) {
        inner->calls[inner->count++] = *call;
        return;
    }
    uint32_t within = inner->count;
    while (within && inner->calls[within - 1].start >= call->start && inner->calls[within - 1].end <= call->end)
        within--;
    uint32_t count = inner->count - within;
    inner->count = within;
    release_inner(t, inner);
    put_call(t, call, count);
}

/* --- waits ------------------------------------------------------------------------------------------------------- */
static uint64_t event_key(uint32_t context, uint32_t event)
{
    return (uint64_t)1 << 63 | (uint64_t)context << 32 | event;
}

static void write_event(struct gtr *t, const struct gtr_event *e)
{
    uint64_t id = t->has_sync_ids ? e->sync_id : event_key(e->context, e->event);
    t->events[id % GTR_EVENTS] = (struct gtr_noted_event){id, e->stream, e->correlation};
}

static void put_sync(struct gtr *t, const struct gtr_sync *s)
{
    static const char *const names[] = {"Unknown", "Event Synchronize", "Stream Wait Event", "Stream Synchronize",
                                        "Context Synchronize"};
    const char *name = names[s->type < 5 ? s->type : 0];
    uint64_t id = t->has_sync_ids ? s->sync_id : event_key(s->context, s->event);
    const struct gtr_noted_event *e = &t->events[id % GTR_EVENTS];
    put_work(t, "cuda_sync", s->start, s->end, name);
    gtr_put(t, ",\"pid\":%u,\"tid\":%u,\"args\":{\"cuda_sync_kind\":\"%s\",\"device\":%u,\"context\":%u,"
               "\"correlation\":%u",
            s->context, s->stream, name, s->context < 64 ? t->context_devices[s->context] : 0, s->context,
            s->correlation);
    if ((s->type == GTR_SYNC_WAIT || s->type == GTR_SYNC_STREAM) && s->stream != UINT32_MAX)
        gtr_put(t, ",\"stream\":%u", s->stream);
    if ((s->type == GTR_SYNC_WAIT || s->type == GTR_SYNC_EVENT) && e->id == id)
        gtr_put(t, ",\"wait_on_stream\":%u,\"wait_on_cuda_event_record_corr_id\":%u", e->stream, e->correlation);
    gtr_put(t, "}},\n");
}

/* --- what the program names, and the rest ------------------------------------------------------------------------ */
static void begin_mark(struct gtr *t, const struct gtr_marker *m)
{
    if (t->mark_count == t->mark_room) {
        size_t room = t->mark_room ? 2 * t->mark_room : 64;
        struct gtr_open_mark *marks = realloc(t->marks, room * sizeof *marks);
        if (!marks) return;
        t->marks = marks;
        t->mark_room = room;
    }
    t->marks[t->mark_count++] =
        (struct gtr_open_mark){m->id, m->object == 2 ? m->thread : 0, m->time, m->name ? strdup(m->name) : NULL};
}

static void write_mark(struct gtr *t, const struct gtr_marker *m)
{
    if (m->flags & GTR_MARK_START) begin_mark(t, m);
    if (!(m->flags & GTR_MARK_END)) return;
    size_t i = t->mark_count;
    while (i && t->marks[i - 1].id != m->id) i--;
    if (!i) return;
    struct gtr_open_mark *mark = &t->marks[i - 1];
    if (mark->name) {
        put_work(t, "user_annotation", mark->time, m->time, mark->name);
        gtr_put(t, ",\"pid\":%u,\"tid\":%u", t->process, mark->thread);
        if (m->domain && *m->domain) {
            gtr_put(t, ",\"args\":{\"domain\":");
            gtr_put_text(t, m->domain);
            gtr_put(t, "}");
        }
        gtr_put(t, "},\n");
    }
    free(mark->name);
    *mark = t->marks[--t->mark_count];
}

static void put_memory(struct gtr *t, const struct gtr_memory *m)
{
    gtr_put(t, "{\"ph\":\"i\",\"cat\":\"memory\",\"name\":\"%s\",\"ts\":" US ",\"pid\":%u,\"tid\":0,\"args\":{"
               "\"address\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"memory\":\"%s\",\"device\":%u,\"correlation\":%u}},\n",
            m->type == GTR_ALLOCATED ? "allocate" : "release", AS_US(m->time), m->process, m->address, m->bytes,
            memory_name(m->memory), m->device, m->correlation);
}

static void write_external(struct gtr *t, const struct gtr_external *e)
{
    struct gtr_noted_collective *noted = &t->collectives[e->external % 1024];
    if (noted->external == e->external) noted->correlation = e->correlation;
}

void gtr_put_record(struct gtr *t, const void *record)
{
    switch (*(const uint32_t *)record) {
    case GTR_KERNEL: put_kernel(t, record); break;
    case GTR_COPY: put_copy(t, record); break;
    case GTR_PEER_COPY: put_peer_copy(t, record); break;
    case GTR_MEMSET: put_memset(t, record); break;
    case GTR_DRIVER:
    case GTR_RUNTIME: write_call(t, record); break;
    case GTR_SYNC: put_sync(t, record); break;
    case GTR_EVENT: write_event(t, record); break;
    case GTR_MARKER: write_mark(t, record); break;
    case GTR_MEMORY: put_memory(t, record); break;
    case GTR_EXTERNAL: write_external(t, record); break;
    case GTR_STREAM: {
        const struct gtr_stream *s = record;
        gtr_put(t, "{\"ph\":\"M\",\"cat\":\"stream\",\"name\":\"stream\",\"args\":{\"context\":%u,\"stream\":%u,"
                   "\"priority\":%d}},\n",
                s->context, s->stream, (int)s->priority);
        break;
    }
    default: break;
    }
}
