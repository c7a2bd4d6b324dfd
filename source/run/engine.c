/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/engine.h: streams, events, copies and the waits of the host, by CUDA's rules. */
#include "source/run/engine.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "source/run/queue.h"

static struct gsim_run_engine e; /* the process has one GPU */

struct gsim_run_engine *gsim_run_engine(void) { return &e; }
struct gsim_run_shared *gsim_run_shared(void) { return e.shared; }

struct gsim_run_command *const *gsim_run_commands(size_t *count)
{
    *count = e.count;
    return e.all;
}

void gsim_run_fail(const char *what)
{
    snprintf(e.shared->failure, sizeof e.shared->failure, "%s", what);
    _exit(1);
}

void gsim_run_say(const char *format, ...)
{
    struct gsim_run_shared *s = e.shared;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(s->text + s->text_length, GSIM_RUN_TEXT - s->text_length, format, arguments);
    va_end(arguments);
    if (length > 0) s->text_length += (size_t)length;
    if (s->text_length >= GSIM_RUN_TEXT) s->text_length = GSIM_RUN_TEXT - 1;
}

/* --- commands --- */
struct gsim_run_command *gsim_run_new(enum gsim_run_kind kind, const char *name, const char *file, int line)
{
    struct gsim_run_command *c = gsim_alloc(sizeof *c);
    if (!c || gsim_array_grow(&e.all, sizeof(void *), e.count + 1, &e.room) != GSIM_OK) gsim_run_fail("out of memory");
    c->kind = kind;
    c->work.name = name;
    c->work.file = file;
    c->work.line = line;
    c->number = (uint32_t)e.count;
    c->seen = -1;
    e.all[e.count++] = c;
    return c;
}

void gsim_run_follow(struct gsim_run_command *c, struct gsim_run_command *earlier)
{
    if (!earlier) return;
    if (gsim_array_grow(&c->follows, sizeof(void *), c->follow_count + 1, &c->follow_room) != GSIM_OK)
        gsim_run_fail("out of memory");
    c->follows[c->follow_count++] = earlier;
}

uint32_t gsim_run_slot(void)
{
    if (e.slot_count == GSIM_RUN_SLOTS) gsim_run_fail("more streams than can be run here");
    return e.slot_count++;
}

static void join_clock(uint32_t *clock, uint32_t *count, const uint32_t *other, uint32_t other_count)
{
    for (uint32_t i = 0; i < other_count; i++)
        if (i >= *count || clock[i] < other[i]) clock[i] = other[i];
    if (*count < other_count) *count = other_count;
}

/* What the program itself did since the last call. */
static void flush_host(void)
{
    if (!e.settings->is_recorded || !gsim_run_host_is_dirty()) return;
    struct gsim_run_command *c = gsim_run_new(GSIM_RUN_HOST, "the host", NULL, e.last_line);
    gsim_run_collect(&c->reads, &c->writes);
    if (!(c->clock = gsim_alloc(sizeof *c->clock * GSIM_RUN_SLOTS))) gsim_run_fail("out of memory");
    join_clock(c->clock, &c->clock_count, e.host_clock, e.host_clock_count);
    c->slot = 0;
    c->position = c->clock[0] = e.segment;
    c->clock_count += !c->clock_count;
    c->is_done = true;
    gsim_run_races(c);
}

/* --- execution --- */
static uint64_t hash_of(uint64_t hash, const void *at, size_t bytes)
{
    const unsigned char *byte = at;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

static void do_copy(struct gsim_run_command *c)
{
    const struct gpusim_run_copy *p = &c->copy;
    uint64_t hash = 14695981039346656037u;
    for (size_t y = 0; y < p->height; y++) {
        char *to = (char *)p->to + y * p->to_pitch;
        const char *from = c->staged ? (char *)c->staged + y * p->width
                           : p->from ? (const char *)p->from + y * p->from_pitch
                                     : NULL;
        if (c->is_to_device) gsim_run_record(to, p->width, 1);
        if (c->is_from_device) gsim_run_record(from, p->width, 0);
        if (from) memmove(to, from, p->width);
        else memset(to, p->value, p->width);
        if (c->seen >= 0) hash = hash_of(hash, to, p->width);
    }
    if (c->seen >= 0 && c->seen < GSIM_RUN_SEEN) e.shared->seen[c->seen].hash = hash + !hash;
    gsim_free(c->staged);
    c->staged = NULL;
}

static void tell(unsigned what, unsigned line, double x, double y, double z)
{
    struct gsim_run_shared *s = e.shared;
    if (s->fact_count < GSIM_RUN_FACTS)
        s->facts[s->fact_count] = (struct gsim_cuda_fact){what, line, s->fact_count, 0, {x, y, z}};
    s->fact_count += s->fact_count <= GSIM_RUN_FACTS; /* one more: there was no room */
}

/* The memory that a launch used, each once. */
static void tell_spans(const struct gsim_run_spans *spans, unsigned what, unsigned launch)
{
    const struct gsim_run_allocation *last = NULL;
    for (size_t i = 0; i < spans->count && spans->at[i].begin < GSIM_RUN_ARENA; i++) {
        const struct gsim_run_allocation *own = gsim_run_allocation_at(spans->at[i].begin);
        if (own && own != last) tell(what, launch, (double)(uintptr_t)own->begin, 0, 0);
        last = own;
    }
}

static void execute(struct gsim_run_command *c)
{
    e.run.in_kernel = 1;
    switch (c->kind) {
    case GSIM_RUN_KERNEL:
        if (c->work.block[0]) gsim_run_grid(&e.run, &c->work);
        else c->work.call(c->work.closure);
        break;
    case GSIM_RUN_COPY:
    case GSIM_RUN_FILL:
        do_copy(c);
        break;
    case GSIM_RUN_MARK:
    case GSIM_RUN_HOST:
        break;
    }
    e.run.in_kernel = 0;
    c->is_done = true;
    gsim_free(c->follows);
    c->follows = NULL;
    c->follow_count = 0;
    if (!e.settings->is_recorded || c->kind == GSIM_RUN_MARK) return;
    gsim_run_collect(&c->reads, &c->writes);
    if (c->kind == GSIM_RUN_KERNEL && c->work.block[0]) {
        tell(GSIM_FACT_LAUNCH, (unsigned)c->work.line, c->number, 0, 0);
        tell_spans(&c->reads, GSIM_FACT_READ, c->number);
        tell_spans(&c->writes, GSIM_FACT_WRITE, c->number);
    }
    gsim_run_races(c);
}

static bool is_ready(const struct gsim_run_command *c)
{
    for (size_t i = 0; i < c->follow_count; i++)
        if (!c->follows[i]->is_done) return false;
    return true;
}

/* The first of a queue that is not done; NULL: none. */
static struct gsim_run_command *head(uint32_t slot)
{
    struct gsim_run_queue *q = &e.queues[slot];
    while (q->first < q->count && q->at[q->first]->is_done) q->first++;
    return q->first < q->count ? q->at[q->first] : NULL;
}

static uint32_t draw(uint32_t below)
{
    e.state = e.state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(e.state >> 33) % below;
}

/* One command that can be executed, of any queue, or of all but one, or of one alone. False: there is none. */
static bool step(uint32_t but, uint32_t only)
{
    uint32_t first = e.settings->order == GSIM_RUN_RANDOM ? draw(e.slot_count) : 0;
    for (uint32_t i = 0; i < e.slot_count; i++) {
        uint32_t slot = (first + i) % e.slot_count;
        struct gsim_run_command *c = slot == but || (only && slot != only) ? NULL : head(slot);
        if (!c || !is_ready(c)) continue;
        execute(c);
        return true;
    }
    return false;
}

/* What an order lets the GPU do until the program's next call. */
static void pump(void)
{
    uint32_t slot = e.settings->seed;
    switch (e.settings->order) {
    case GSIM_RUN_EARLY:
        while (step(0, 0)) continue;
        break;
    case GSIM_RUN_LATE:
        break;
    case GSIM_RUN_LAGS:
        while (step(slot, 0)) continue;
        break;
    case GSIM_RUN_LEADS:
        while (step(0, slot)) continue;
        break;
    case GSIM_RUN_RANDOM:
        while (draw(8) < e.eagerness && step(0, 0)) continue;
        if (!draw(16)) e.eagerness = draw(9);
        break;
    }
}

/* C and what it follows, nothing else. */
static void finish(struct gsim_run_command *c)
{
    if (e.settings->order == GSIM_RUN_RANDOM)
        while (!c->is_done && draw(4) && step(0, 0)) continue;
    struct gsim_run_command **stack = NULL;
    size_t count = 0, room = 0;
    while (c && !c->is_done) {
        struct gsim_run_command *next = NULL;
        for (size_t i = 0; i < c->follow_count && !next; i++)
            if (!c->follows[i]->is_done) next = c->follows[i];
        if (next) {
            if (gsim_array_grow(&stack, sizeof(void *), count + 1, &room) != GSIM_OK) gsim_run_fail("out of memory");
            stack[count++] = c;
            c = next;
            continue;
        }
        execute(c);
        c = count ? stack[--count] : NULL;
    }
    gsim_free(stack);
}

void gsim_run_wait(struct gsim_run_command *c)
{
    if (!c) return;
    finish(c);
    join_clock(e.host_clock, &e.host_clock_count, c->clock, c->clock_count);
    if (e.settings->is_recorded) gsim_run_races_prune(e.host_clock, e.host_clock_count);
}

/* Behind what it follows; its place in SLOT. */
void gsim_run_put(struct gsim_run_command *c, uint32_t slot)
{
    struct gsim_run_queue *q = &e.queues[slot];
    gsim_run_follow(c, q->count ? q->at[q->count - 1] : NULL);
    if (!(c->clock = gsim_alloc(sizeof *c->clock * GSIM_RUN_SLOTS)) ||
        gsim_array_grow(&q->at, sizeof(void *), q->count + 1, &q->room) != GSIM_OK)
        gsim_run_fail("out of memory");
    join_clock(c->clock, &c->clock_count, e.host_clock, e.host_clock_count);
    for (size_t i = 0; i < c->follow_count; i++)
        join_clock(c->clock, &c->clock_count, c->follows[i]->clock, c->follows[i]->clock_count);
    q->at[q->count++] = c;
    c->slot = slot;
    c->position = c->clock[slot] = (uint32_t)q->count;
    c->clock[0] = e.segment;
    if (c->clock_count < slot + 1) c->clock_count = slot + 1;
    e.segment++;
}

/* The default stream waits for all streams that block, and they for it. */
void gsim_run_enqueue(struct gsim_run_command *c, struct gsim_run_stream *s)
{
    if (s->graph) {
        gsim_run_capture(c, s);
        return;
    }
    if (s == e.streams) {
        for (uint32_t i = 1; i < e.stream_count; i++) {
            if (e.streams[i].graph) gsim_run_fail("a call in the default stream while another stream is captured");
            if (e.streams[i].is_blocking) gsim_run_follow(c, e.streams[i].last);
        }
    } else if (s->is_blocking) {
        gsim_run_follow(c, e.streams[0].last);
    }
    gsim_run_put(c, s->slot);
    s->last = c;
    pump();
}

struct gsim_run_stream *gsim_run_stream_of(const void *handle)
{
    uintptr_t number = (uintptr_t)handle;
    if (number <= 1) return &e.streams[0]; /* cudaStreamLegacy is 1 */
    number -= GSIM_RUN_HANDLE;
    if (number >= e.stream_count) gsim_run_fail("a call with a stream that does not exist");
    return &e.streams[number];
}

void gsim_run_begin(const char *file, int line)
{
    (void)file;
    flush_host();
    e.last_line = line;
    if (!e.run.in_kernel) pump();
}

void gsim_run_wait_all(void)
{
    for (uint32_t i = 0; i < e.stream_count; i++) {
        if (e.streams[i].graph) gsim_run_fail("the host waits while a stream is captured");
        gsim_run_wait(e.streams[i].last);
    }
}

/* --- kernels and copies --- */
static int launch(const struct gpusim_run_work *work)
{
    uint64_t threads = (uint64_t)work->block[0] * work->block[1] * work->block[2];
    bool is_kernel = work->block[0] || work->grid[0];
    gsim_run_begin(work->file, work->line);
    if (is_kernel && (!threads || threads > 1024 || !work->grid[0] || !work->grid[1] || !work->grid[2] ||
                      work->shared_bytes > (size_t)228 << 10))
        return 9; /* cudaErrorInvalidConfiguration */
    struct gsim_run_command *c = gsim_run_new(GSIM_RUN_KERNEL, work->name, work->file, work->line);
    c->work = *work;
    e.shared->kernels += is_kernel;
    gsim_run_enqueue(c, gsim_run_stream_of(work->stream));
    return 0;
}

static void stage(struct gsim_run_command *c)
{
    const struct gpusim_run_copy *p = &c->copy;
    if (!(c->staged = gsim_alloc(p->width * p->height + 1))) gsim_run_fail("out of memory");
    for (size_t y = 0; y < p->height; y++)
        memcpy((char *)c->staged + y * p->width, (const char *)p->from + y * p->from_pitch, p->width);
}

/* Of memory that is not in the arena, what the call says: 1 to the device, 2 from it. */
static int side(const void *at, bool says_host)
{
    int kind = gsim_run_memory_kind(at);
    return kind >= 0 || says_host ? kind : GPUSIM_DEVICE_MEMORY;
}

static int copy(const struct gpusim_run_copy *p)
{
    int to = side(p->to, p->kind != 1 && p->kind != 3),
        from = p->from ? side(p->from, p->kind < 2 || p->kind == 4) : -2;
    struct gsim_run_stream *s = gsim_run_stream_of(p->stream);
    gsim_run_begin(p->file, p->line);
    if (!p->width || !p->height) return 0;
    if (!p->to) return 1;
    struct gsim_run_command *c = gsim_run_new(p->from ? GSIM_RUN_COPY : GSIM_RUN_FILL, p->name, p->file, p->line);
    c->copy = *p;
    c->is_to_device = to >= 0;
    c->is_from_device = from >= 0;
    c->is_to_host = p->from && (to == -1 || to == GPUSIM_PINNED_MEMORY);
    *(p->from ? &e.shared->copies : &e.shared->fills) += 1;
    if (s->graph) {
        if (!p->is_async) gsim_run_fail("a copy that the host waits for while a stream is captured");
        gsim_run_enqueue(c, s);
        return 0;
    }
    gsim_run_will_be_seen(c);
    if (from == -1 && to != -1) {
        if (!p->is_async) gsim_run_wait(s->last);
        stage(c);
    }
    gsim_run_enqueue(c, s);
    bool is_pageable_read = to == -1, is_waited = from == -1 && to == -1;
    bool is_sync =
        !p->is_async && (from == GPUSIM_PINNED_MEMORY || to == GPUSIM_PINNED_MEMORY || from == GPUSIM_MANAGED_MEMORY ||
                         (p->from && to == GPUSIM_MANAGED_MEMORY && from != -1));
    if (is_pageable_read || is_waited || is_sync) gsim_run_wait(c);
    return 0;
}

void gsim_run_will_be_seen(struct gsim_run_command *c)
{
    struct gsim_run_shared *s = e.shared;
    if (!c->is_to_host) return;
    if (s->seen_count == GSIM_RUN_SEEN) {
        s->is_partial = true;
        return;
    }
    s->seen[s->seen_count].line = c->work.line;
    c->seen = s->seen_count++;
}

static int allocate(void **memory, size_t bytes, int kind, const char *file, int line)
{
    gsim_run_begin(file, line);
    int result = gsim_run_allocate(memory, bytes, kind, file, line);
    tell(GSIM_FACT_ALLOCATION, (unsigned)line, (double)(uintptr_t)*memory, (double)bytes, 0);
    return result;
}

static long clock_ns(void) { return 1000000000000000l + 1000 * (long)e.clock_calls++; }

/* --- the table --- */
bool gsim_run_engine_init(const struct gsim_run_settings *settings, struct gsim_run_shared *shared)
{
    e.settings = settings;
    e.shared = shared;
    e.state = settings->seed * 0x9e3779b97f4a7c15u + 1;
    e.eagerness = draw(9);
    e.slot_count = 1; /* the host's */
    e.streams[0] = (struct gsim_run_stream){.is_blocking = true, .slot = gsim_run_slot()};
    e.stream_count = 1;
    e.segment = 1;
    e.run.allocate = allocate;
    e.run.pin = gsim_run_pin;
    e.run.copy = copy;
    e.run.launch = launch;
    e.run.call = gsim_run_call;
    e.run.host_access = gsim_run_host_access;
    e.run.barrier = gsim_run_barrier;
    e.run.lanes = gsim_run_lanes;
    e.run.move = gsim_run_move;
    e.run.fill = gsim_run_fill;
    e.run.clock_ns = clock_ns;
    e.run.told = tell;
    e.run.fail = gsim_run_fail;
    return gsim_run_memory_init(&e.run, settings->is_recorded, settings->limit_bytes);
}

void gsim_run_engine_end(void)
{
    flush_host();
    e.shared->streams = e.slot_count;
    e.shared->has_ended = true;
}
