/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples for trust/calibrate/profile.c: of all that a trace holds, what had nothing else to wait for. Ops are in the
 * order of their launches, so what was launched before an instant is a beginning of their list.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/base/first.h"
#include "gpusim/order.h"
#include "trust/calibrate/profile.h"

#define NONE UINT32_MAX
/* By how much longer than a launch takes to reach the GPU (2 to 7 us) a kernel must have waited to count as queued. */
#define QUEUED_US 10.0
/* Copies are looked after by polling (engine_poll_us, 8 us on an H200), and what follows them starts late. */
#define SETTLED_US 50.0
/* A synchronise call that began so shortly before the end may as well have found it. */
#define WAITED_US 1.0
/* Smaller copies may go with the commands instead of through a copy engine. */
#define MIN_BYTES 4096
/* From here on a copy within the device is all bandwidth: 1 % is latency at 2 us and 4 TB/s. */
#define D2D_BYTES 16e6
/* Of the queue's depth: near it, calls begin to take longer. */
#define QUEUE_SHARE 0.95

/* Of the ops up to one: the latest end, whose stream that is, and the latest end of any other stream. */
struct busy {
    double first_us, second_us;
    uint32_t stream;
};

struct scan {
    struct gsim_profile_samples *samples;
    const struct gsim_profile_trace *trace;
    uint32_t index; /* of the trace */
    struct busy *busy; /* by op */
    double *copies_us; /* by op: the latest end of a copy before it */
    uint32_t *before;  /* by op: the op before it in its stream */
    uint32_t *records; /* by op: event records called before its launch */
};

static void add(struct scan *s, enum gsim_profile_quantity quantity, double bytes, double value)
{
    struct gsim_profile_samples *all = s->samples;
    if (!isfinite(value)) return;
    gsim_array_grow(&all->samples, sizeof *all->samples, all->count, &all->capacity);
    all->samples[all->count++] = (struct gsim_profile_sample){quantity, s->index, bytes, value};
}

/* --- what stood before each op --- */

struct place {
    uint32_t stream, op;
};

GSIM_ORDER(compare_places, struct place, GSIM_UP(stream) GSIM_UP(op))

static void record_end(struct busy *busy, uint32_t stream, double end_us)
{
    if (isnan(end_us)) return;
    if (stream == busy->stream) {
        busy->first_us = fmax(busy->first_us, end_us);
    } else if (end_us > busy->first_us) {
        *busy = (struct busy){end_us, busy->first_us, stream};
    } else {
        busy->second_us = fmax(busy->second_us, end_us);
    }
}

/* The latest end in other streams of what was launched before US. */
static double others_until(const struct scan *s, double us, uint32_t stream)
{
    GSIM_FIRST (low, s->trace->op_count, middle, s->trace->ops[middle].launch_us < us)
    if (!low) return -INFINITY;
    return s->busy[low - 1].stream == stream ? s->busy[low - 1].second_us : s->busy[low - 1].first_us;
}

/* --- launches, starts and gaps --- */
static bool queue_was_full(const struct scan *s, uint32_t i, double depth)
{
    uint32_t most = gsim_whole_u32(depth * QUEUE_SHARE);
    return i >= most && !(s->trace->ops[i - most].start_us <= s->trace->ops[i].launch_us);
}

/* Before the launch call began, the GPU had been done with everything. */
static bool was_idle(const struct scan *s, uint32_t i)
{
    const struct gsim_recorded_op *op = &s->trace->ops[i];
    if (op->awaits_copy || op->awaited_us + SETTLED_US > op->launch_us) return false;
    return (i == 0 || s->busy[i - 1].first_us <= op->launch_us) && s->copies_us[i] + SETTLED_US <= op->launch_us;
}

static void add_kernel(struct scan *s, uint32_t i, double depth)
{
    const struct gsim_recorded_op *op = &s->trace->ops[i];
    const struct gsim_recorded_op *before = s->before[i] == NONE ? NULL : &s->trace->ops[s->before[i]];
    if (op->is_memset || isnan(op->returned_us)) return;
    if (!queue_was_full(s, i, depth)) add(s, GSIM_PROFILE_LAUNCH, 0, op->returned_us - op->launch_us);
    if (isnan(op->start_us)) return;
    if (was_idle(s, i)) {
        add(s, GSIM_PROFILE_START, 0, op->start_us - op->returned_us);
        return;
    }
    bool is_behind = before && before->is_kernel && !before->is_memset && s->records[i] == s->records[s->before[i]];
    double others_us = others_until(s, op->start_us, op->stream);
    if (isnan(op->awaited_us) && !op->awaits_copy && is_behind && op->returned_us + QUEUED_US <= before->end_us &&
        others_us <= before->end_us)
        add(s, GSIM_PROFILE_STREAM_GAP, 0, op->start_us - before->end_us);
    else if (!op->awaits_copy && op->returned_us + QUEUED_US <= op->awaited_us && others_us <= op->awaited_us &&
             (!before || before->end_us + QUEUED_US <= op->awaited_us))
        add(s, GSIM_PROFILE_EVENT_GAP, 0, op->start_us - op->awaited_us);
}

/* --- copies --- */
static void add_copy(struct scan *s, const struct gsim_recorded_op *op)
{
    static const enum gsim_profile_quantity quantities[2][2] = {{GSIM_PROFILE_H2D, GSIM_PROFILE_D2H},
                                                                {GSIM_PROFILE_PAGEABLE_H2D, GSIM_PROFILE_PAGEABLE_D2H}};
    double us = op->end_us - op->start_us;
    if (op->copy_kind != GSIM_COPY_D2D)
        add(s, quantities[op->is_pageable][op->copy_kind == GSIM_COPY_D2H], (double)op->bytes, us);
    else if ((double)op->bytes >= D2D_BYTES) add(s, GSIM_PROFILE_D2D, 0, 2e-3 * (double)op->bytes / us);
}

struct copy {
    double start_us;
    uint32_t op;
};

GSIM_ORDER(compare_copies, struct copy, GSIM_UP(start_us) GSIM_UP(op))

/* Those that no other copy overlaps: links are shared. */
static void add_copies(struct scan *s)
{
    const struct gsim_profile_trace *t = s->trace;
    struct copy *copies = gsim_alloc(sizeof *copies * ((size_t)t->op_count + 1));
    uint32_t count = 0;
    double busy_us = -INFINITY;
    for (uint32_t i = 0; i < t->op_count; i++)
        if (!t->ops[i].is_kernel && !isnan(t->ops[i].start_us)) copies[count++] = (struct copy){t->ops[i].start_us, i};
    if (count) qsort(copies, count, sizeof *copies, compare_copies);
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_recorded_op *op = &t->ops[copies[i].op];
        bool is_alone = busy_us <= op->start_us && (i + 1 == count || copies[i + 1].start_us >= op->end_us);
        busy_us = fmax(busy_us, op->end_us);
        if (is_alone && !op->is_managed && op->bytes > MIN_BYTES && op->end_us > op->start_us) add_copy(s, op);
    }
    gsim_free(copies);
}

/* Pinned copies whose call returned before they were done: others block. */
static void add_submission(struct scan *s, uint32_t i, double depth)
{
    const struct gsim_recorded_op *op = &s->trace->ops[i];
    if (op->is_pageable || op->is_managed || op->copy_kind == GSIM_COPY_D2D || queue_was_full(s, i, depth)) return;
    if (op->returned_us < op->end_us) add(s, GSIM_PROFILE_MEMCPY, 0, op->returned_us - op->launch_us);
}

/* --- other calls --- */
static void add_sync(struct scan *s, const struct gsim_host_call *call)
{
    if (call->is_unknown || isnan(call->awaited_us)) return; /* or of work that the trace does not have */
    if (call->awaited_us > call->start_us + WAITED_US && call->awaited_us <= call->end_us)
        add(s, GSIM_PROFILE_SYNC_RETURN, 0, call->end_us - call->awaited_us);
    else if (call->awaited_us + QUEUED_US <= call->start_us)
        add(s, GSIM_PROFILE_SYNC_IDLE, 0, call->end_us - call->start_us);
}

/* Only cudaEventCreate says that its event has timing; where the events were made otherwise, or before the trace began,
 * the records' cost could be either kind's. */
static void add_calls(struct scan *s)
{
    static const int quantities[] = {[GSIM_HOST_EVENT_CREATE] = GSIM_PROFILE_EVENT_CREATE,
                                     [GSIM_HOST_EVENT_CREATE_FLAGS] = GSIM_PROFILE_EVENT_CREATE,
                                     [GSIM_HOST_EVENT_DESTROY] = GSIM_PROFILE_EVENT_DESTROY,
                                     [GSIM_HOST_STREAM_CREATE] = GSIM_PROFILE_STREAM_CREATE,
                                     [GSIM_HOST_STREAM_WAIT] = GSIM_PROFILE_STREAM_WAIT,
                                     [GSIM_HOST_EVENT_RECORD] = GSIM_PROFILE_EVENT_RECORD};
    const struct gsim_profile_trace *t = s->trace;
    uint32_t timed = 0, flagged = 0, untold = 0;
    for (uint32_t i = 0; i < t->call_count; i++) {
        timed += t->calls[i].kind == GSIM_HOST_EVENT_CREATE;
        flagged += t->calls[i].kind == GSIM_HOST_EVENT_CREATE_FLAGS;
    }
    for (uint32_t i = 0; i < t->call_count; i++) {
        const struct gsim_host_call *call = &t->calls[i];
        bool is_untold = call->kind == GSIM_HOST_EVENT_RECORD && (!timed || flagged);
        untold += is_untold;
        if (is_untold) continue;
        if (call->kind == GSIM_HOST_SYNC) add_sync(s, call);
        else add(s, (enum gsim_profile_quantity)quantities[call->kind], 0, call->end_us - call->start_us);
    }
    s->samples->traces[s->index].has_timing = timed && !flagged;
    s->samples->traces[s->index].untold_records = untold;
}

/* --- all of it --- */
static void add_source(struct gsim_profile_samples *all, const struct gsim_profile_trace *t)
{
    gsim_array_grow(&all->traces, sizeof *all->traces, all->trace_count, &all->trace_capacity);
    all->traces[all->trace_count++] = (struct gsim_profile_source){
        gsim_arena_strdup(&all->arena, t->file), gsim_arena_strdup(&all->arena, t->gpu),
        gsim_arena_strdup(&all->arena, t->date), t->tracer, t->sm_count, t->memory_bytes, false, 0};
}

void gsim_profile_samples_add(struct gsim_profile_samples *all, const struct gsim_profile_trace *trace,
                              double queue_depth)
{
    struct gsim_arena arena = {0};
    struct scan s = {.samples = all, .trace = trace, .index = (uint32_t)all->trace_count};
    size_t room = (size_t)trace->op_count + 1;
    s.busy = GSIM_ARENA_ARRAY(&arena, struct busy, room);
    s.copies_us = GSIM_ARENA_ARRAY(&arena, double, room);
    s.before = GSIM_ARENA_ARRAY(&arena, uint32_t, room);
    s.records = GSIM_ARENA_ARRAY(&arena, uint32_t, room);
    add_source(all, trace);
    uint32_t count = s.trace->op_count;
    struct place *places = gsim_alloc(sizeof *places * ((size_t)count + 1));
    for (uint32_t i = 0; i < count; i++) places[i] = (struct place){s.trace->ops[i].stream, i};
    if (count) qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++)
        s.before[places[i].op] = i && places[i - 1].stream == places[i].stream ? places[i - 1].op : NONE;
    gsim_free(places);
    const struct gsim_profile_trace *t = s.trace;
    struct busy busy = {-INFINITY, -INFINITY, NONE};
    double copies_us = -INFINITY;
    uint32_t calls = 0, records = 0;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct gsim_recorded_op *op = &t->ops[i];
        for (; calls < t->call_count && t->calls[calls].start_us < op->launch_us; calls++)
            records += t->calls[calls].kind == GSIM_HOST_EVENT_RECORD;
        s.records[i] = records;
        s.copies_us[i] = copies_us;
        if (!op->is_kernel && op->end_us > copies_us) copies_us = op->end_us;
        record_end(&busy, op->stream, op->end_us);
        s.busy[i] = busy;
    }
    for (uint32_t i = 0; i < trace->op_count; i++)
        (trace->ops[i].is_kernel ? add_kernel : add_submission)(&s, i, queue_depth);
    add_copies(&s);
    add_calls(&s);
    gsim_arena_release(&arena);
}

void gsim_profile_samples_release(struct gsim_profile_samples *all)
{
    gsim_free(all->samples);
    gsim_free(all->traces);
    gsim_arena_release(&all->arena);
    *all = (struct gsim_profile_samples){0};
}
