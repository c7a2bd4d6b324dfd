/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ordered records into the ops of a program. The host's time is kept along the way: "cursor" is when, on the
 * trace's clock, a replay's host thread will be ready for the next call, given what the replay charges for calls.
 */
#include <math.h>

#include "gpusim/limits.h"
#include "traces/import/records/operands.h"
#include "traces/import/records/overhead.h"

#define NONE UINT32_MAX

#define SMALLEST_GAP_NS 500  /* shorter gaps stay with the next one: their sum is not lost */
#define QUEUE_DEPTH     1000 /* launches ahead of the GPU at which a launch call blocks (about 1,024 in all) */

/* Not recorded: CUDA's memset is a small kernel that writes 16 bytes per thread. */
#define MEMSET_THREADS   512
#define MEMSET_BLOCKS    1024
#define MEMSET_REGISTERS 16

#define COPY_KINDS 3

struct link {
    uint32_t op, next;
};

/* An op that a work became. */
struct made {
    int64_t call_ns, end_ns;
    uint32_t before; /* the op before it in its stream, NONE for none */
    bool is_copy, is_moved;
};

struct stream {
    uint32_t last, seen; /* its latest op; the latest that the host knows to be complete */
    uint32_t waits;      /* first link of what its next op waits for */
    int32_t number;
    uint32_t buffers[COPY_KINDS];
    uint64_t bytes[COPY_KINDS]; /* the greatest copy of that kind */
};

#define DELAY_COST_NS 4000 /* what the delay takes beside its length: its start and the gap behind it */

struct emitter {
    bool keeps_times[2][2]; /* [pageable][d2h] */
    const struct gsim_records *records;
    const struct gsim_steps *steps;
    const struct gsim_import_options *options;
    struct gsim_builder *builder;
    struct stream *streams;
    uint32_t *thread_waits; /* per thread: first link of what its next op waits for */
    struct made *made;      /* per op */
    int64_t *starts;        /* per work in launch order: when it started */
    struct link *links;     /* what some op will wait for */
    uint32_t *after;        /* of the op being made */
    size_t link_count, link_room, after_count, after_room;
    struct gsim_operands operands;
    struct gsim_overhead overhead;
    uint32_t open, barrier; /* with operands: first link of the ops since the last that followed all; that one */
    uint32_t host_waits; /* first link of what the host waits for */
    uint32_t work_count; /* made so far */
    uint32_t last_call; /* of the work made last */
    int64_t cursor_ns, origin_ns; /* origin: of the first launch */
    int64_t removed_ns; /* of the time up to the step at hand, the profiler's */
    bool failed;
};

static int64_t ns_of(double us)
{
    return (int64_t)(us * 1e3 + 0.5);
}

/* --- what waits for what ------------------------------------------------------------------------------------------ */
static void wait_for(struct emitter *e, uint32_t *list, uint32_t op)
{
    void *links = e->links;
    if (e->failed || e->link_count >= NONE || gsim_array_grow(&links, sizeof *e->links, e->link_count, &e->link_room)) {
        e->failed = true;
        return;
    }
    e->links = links;
    e->links[e->link_count] = (struct link){.op = op, .next = *list};
    *list = (uint32_t)e->link_count++;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Moves LIST to the "after" of the next op. */
static void take(struct emitter *e, uint32_t *list)
{
    for (uint32_t at = *list; at != NONE && !e->failed; at = e->links[at].next) {
        void *after = e->after;
        if (gsim_array_grow(&after, sizeof *e->after, e->after_count, &e->after_room)) {
            e->failed = true;
            return;
        }
        e->after = after;
        e->after[e->after_count++] = e->links[at].op;
    }
    *list = NONE;
}

/* Adds OP with the collected "after"; returns its index. */
static uint32_t add_op(struct emitter *e, struct gsim_op *op)
{
    uint32_t kept = 0;
    if (e->after_count > 1) qsort(e->after, e->after_count, sizeof *e->after, compare_numbers);
    for (size_t i = 0; i < e->after_count; i++)
        if (i == 0 || e->after[i] != e->after[kept - 1]) e->after[kept++] = e->after[i];
    op->after = e->after;
    op->after_count = kept;
    e->after_count = 0;
    uint32_t index = gsim_builder_op(e->builder, op);
    if (index == NONE) e->failed = true;
    return index;
}

/* --- the host's time -------------------------------------------------------------------------------------------- */
/* Before a call at TIME: the host's own work since the last call, and what it waited for before that. */
static void pass_time(struct emitter *e, int64_t time_ns)
{
    int64_t gap = time_ns - e->cursor_ns, removed = gap < e->removed_ns ? gap : e->removed_ns;
    if (removed > 0) e->cursor_ns += removed, gap -= removed;
    e->removed_ns = 0;
    bool works = e->options->gaps && gap > SMALLEST_GAP_NS;
    if (!works && e->host_waits == NONE) return;
    bool waits = e->host_waits != NONE;
    take(e, &e->host_waits);
    (void)add_op(e, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                      .host_us = works ? (double)gap / 1e3 : 0,
                                      .overhead = !waits, /* behind a wait the host may use what it waited for */
                                      .stream = -1});
    if (works) e->cursor_ns = time_ns;
}

/* Whether the call returned only when the copy was done. Of pageable memory it returns when the last piece is staged, some us before
 * what the profiler takes for the copy's end. */
static bool is_blocking(const struct emitter *e, const struct gsim_activity *work)
{
    if (work->kind != GSIM_ACTIVITY_COPY || work->call == GSIM_NO_CALL) return false;
    const struct gsim_call *call = &e->records->calls[work->call];
    if (work->pageable) return call->end_ns >= work->start_ns + (work->end_ns - work->start_ns) / 2;
    return call->kind == GSIM_CALL_COPY && call->end_ns >= work->end_ns;
}

/* When the launch would have been issued on a host that needs CHARGE for it: a call that took longer spends the rest
 * first, unless the work's start tells that it did so behind. */
static int64_t issue_time(const struct emitter *e, const struct gsim_activity *work, const struct gsim_step *step,
                          int64_t charge_ns)
{
    if (work->call == GSIM_NO_CALL || e->records->calls[work->call].kind == GSIM_CALL_GRAPH) return step->time_ns;
    const struct gsim_call *call = &e->records->calls[work->call];
    if (work->pageable && is_blocking(e, work)) return call->start_ns; /* the first piece is staged before the copy begins */
    if (e->overhead.events) return call->start_ns; /* what it took longer is the profiler's */
    int64_t done = call->end_ns;
    if (!work->is_moved && work->start_ns - ns_of(e->options->launch_to_start_us) < done)
        done = work->start_ns - ns_of(e->options->launch_to_start_us);
    return done - charge_ns > call->start_ns ? done - charge_ns : call->start_ns;
}

static bool queue_was_full(const struct emitter *e, const struct gsim_call *call)
{
    return call && e->work_count >= QUEUE_DEPTH && e->starts[e->work_count - QUEUE_DEPTH] > call->start_ns;
}

/* --- works -------------------------------------------------------------------------------------------------------- */
static uint32_t kernel_of(struct emitter *e, const struct gsim_activity *work)
{
    const struct gsim_records *r = e->records;
    const struct gsim_work_shape *shape = &r->shapes[work->shape];
    struct gsim_kernel kernel = {.name = r->names[shape->name],
                                 .grid = shape->grid,
                                 .block = shape->block,
                                 .regs_per_thread = shape->regs_per_thread,
                                 .smem_bytes = shape->smem_bytes,
                                 .solo_us = (double)work->solo_ns / 1e3,
                                 .solo_device = e->options->solo_device,
                                 .solo_profiled = true,
                                 .solo_cold = true};
    if (work->kind == GSIM_ACTIVITY_MEMSET) {
        uint64_t blocks = work->bytes / (16 * MEMSET_THREADS) + 1;
        kernel.grid = (struct gsim_dim3){blocks < MEMSET_BLOCKS ? (uint32_t)blocks : MEMSET_BLOCKS, 1, 1};
        kernel.block = (struct gsim_dim3){MEMSET_THREADS, 1, 1};
        kernel.regs_per_thread = MEMSET_REGISTERS;
    }
    return gsim_builder_kernel(e->builder, &kernel);
}

/* The trace does not name buffers. One per stream and kind: copies that share it are in order anyway. */
static uint32_t buffer_of(struct emitter *e, struct stream *stream, enum gsim_copy_kind kind)
{
    static const char *const kinds[COPY_KINDS] = {"h2d", "d2h", "d2d"};
    char name[40];
    if (stream->buffers[kind] != NONE) return stream->buffers[kind];
    snprintf(name, sizeof name, "%s of stream %d", kinds[kind], stream->number);
    enum gsim_buffer_init init = kind == GSIM_COPY_H2D ? GSIM_INIT_HOST : GSIM_INIT_DEVICE;
    return stream->buffers[kind] = gsim_builder_buffer(e->builder, name, stream->bytes[kind], init);
}

/* --- what was measured, for who wants to compare or calibrate --------------------------------------------------------- */
static double us_of(const struct emitter *e, int64_t time_ns)
{
    return (double)(time_ns - e->origin_ns) / 1e3;
}

/* What of other streams OP waits for on the device: the links of WAITS. */
static void note_awaited(const struct emitter *e, uint32_t waits, struct gsim_recorded_op *op)
{
    for (uint32_t at = waits; at != NONE; at = e->links[at].next) {
        const struct made *made = &e->made[e->links[at].op];
        op->awaits_copy |= made->is_copy;
        double end_us = us_of(e, made->end_ns);
        if (!made->is_copy && !(op->awaited_us > end_us)) op->awaited_us = end_us;
    }
}

/* WAITS: first link of what it waits for. */
static void keep_times(struct emitter *e, const struct gsim_step *step, uint32_t op, uint32_t waits)
{
    struct gsim_import_times *times = e->options->times;
    const struct gsim_activity *work = &e->records->works[step->index];
    const struct gsim_call *call = work->call == GSIM_NO_CALL ? NULL : &e->records->calls[work->call];
    bool is_shared = call && work->call == e->last_call, has_end = call && call->kind != GSIM_CALL_GRAPH && call->end_ns > call->start_ns;
    void *ops = times->ops;
    if (gsim_array_grow(&ops, sizeof *times->ops, times->count, &times->room)) {
        e->failed = true;
        return;
    }
    times->ops = ops;
    struct gsim_recorded_op *kept = &times->ops[times->count++];
    *kept = (struct gsim_recorded_op){
        .is_kernel = work->kind != GSIM_ACTIVITY_COPY,
        .copy_kind = (enum gsim_copy_kind)work->copy_kind,
        .op = op,
        .bytes = work->bytes,
        .stream = (uint32_t)e->streams[work->stream].number,
        .launch_us = us_of(e, step->time_ns),
        .start_us = work->is_moved ? NAN : us_of(e, work->start_ns),
        .end_us = work->is_moved ? NAN : us_of(e, work->end_ns),
        .returned_us = has_end && !is_shared ? us_of(e, call->end_ns) : NAN,
        .awaited_us = NAN,
        .is_memset = work->kind == GSIM_ACTIVITY_MEMSET,
        .is_pageable = work->pageable,
        .is_managed = work->is_managed,
    };
    note_awaited(e, waits, kept);
    if (is_shared) kept[-1].returned_us = NAN;
    e->last_call = work->call;
}

static void keep_call(struct emitter *e, const struct gsim_host_call *call)
{
    struct gsim_import_times *times = e->options->times;
    void *calls = times->calls;
    if (call->end_us <= call->start_us) return;
    e->failed |= gsim_array_grow(&calls, sizeof *times->calls, times->call_count, &times->call_room) != 0;
    times->calls = calls;
    if (!e->failed) times->calls[times->call_count++] = *call;
}

static int compare_host_calls(const void *left, const void *right)
{
    const struct gsim_host_call *a = left, *b = right;
    if (a->start_us != b->start_us) return a->start_us < b->start_us ? -1 : 1;
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : (a->end_us > b->end_us) - (a->end_us < b->end_us);
}

static void keep_calls(struct emitter *e)
{
    static const int8_t kinds[] = {[GSIM_CALL_EVENT_CREATE] = GSIM_HOST_EVENT_CREATE + 1,
                                   [GSIM_CALL_EVENT_CREATE_FLAGS] = GSIM_HOST_EVENT_CREATE_FLAGS + 1,
                                   [GSIM_CALL_EVENT_DESTROY] = GSIM_HOST_EVENT_DESTROY + 1,
                                   [GSIM_CALL_STREAM_CREATE] = GSIM_HOST_STREAM_CREATE + 1,
                                   [GSIM_CALL_WAIT] = GSIM_HOST_STREAM_WAIT + 1,
                                   [GSIM_CALL_EVENT_RECORD] = GSIM_HOST_EVENT_RECORD + 1};
    struct gsim_import_times *times = e->options->times;
    for (uint32_t i = 0; i < e->records->call_count && !e->failed; i++) {
        const struct gsim_call *call = &e->records->calls[i];
        int kind = (size_t)call->kind < sizeof kinds / sizeof kinds[0] ? kinds[call->kind] - 1 : -1;
        if (kind >= 0)
            keep_call(e, &(struct gsim_host_call){(enum gsim_host_call_kind)kind, false, us_of(e, call->start_ns), us_of(e, call->end_ns), NAN});
    }
    if (times->call_count) qsort(times->calls, times->call_count, sizeof *times->calls, compare_host_calls);
}

/* The order in a stream holds for every scheduler, unless data alone is to count. */
static void follow(struct emitter *e, const struct stream *stream)
{
    uint32_t list = NONE;
    if (e->records->flow) { /* it has no operands */
        take(e, &e->open);
        if (e->barrier == NONE) return;
        wait_for(e, &list, e->barrier);
        take(e, &list);
        return;
    }
    if (e->options->drops_order || stream->last == NONE) return;
    wait_for(e, &list, stream->last);
    take(e, &list);
}

/* A work of known operands follows by data; what the streams waited for stands in these. */
static void depend(struct emitter *e, struct stream *stream, const struct gsim_activity *work)
{
    uint32_t list = NONE;
    stream->waits = e->thread_waits[work->thread] = NONE;
    if (e->barrier == NONE) return;
    wait_for(e, &list, e->barrier);
    take(e, &list);
}

static void note_data(struct emitter *e, uint32_t index, bool has_operands)
{
    if (!e->records->flow) return;
    e->records->notes->data_works += has_operands;
    e->records->notes->dataless_works += !has_operands;
    if (has_operands)
        wait_for(e, &e->open, index);
    else
        e->barrier = index;
}

/* Before a work, what the GPU idled without a reason that the trace tells: a kernel of one warp that does nothing else. */
static void make_delay(struct emitter *e, const struct gsim_activity *work, struct stream *stream)
{
    if (!work->idle_ns || e->options->drops_unexplained) return;
    const struct gsim_kernel kernel = {.name = "(unexplained idle)",
                                       .grid = {1, 1, 1},
                                       .block = {32, 1, 1},
                                       .regs_per_thread = 16,
                                       .solo_us = ((double)work->idle_ns - DELAY_COST_NS) / 1e3,
                                       .solo_device = e->options->solo_device,
                                       .solo_cold = true};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .stream = stream->number};
    op.kernel_index = gsim_builder_kernel(e->builder, &kernel);
    follow(e, stream);
    take(e, &stream->waits);
    uint32_t index = add_op(e, &op);
    if (e->failed) return;
    e->made[index] = (struct made){work->start_ns - work->idle_ns, work->start_ns, stream->last, false, true};
    stream->last = index;
}

static bool is_recorded(const struct emitter *e, const struct gsim_activity *work)
{
    struct gsim_import_notes *notes = e->records->notes;
    bool is_link = work->copy_kind != GSIM_COPY_D2D;
    if (work->is_peer) {
        notes->peer_copies++;
        return true;
    }
    if (work->lacks_size || e->options->copies == GSIM_COPIES_RECORDED) return true;
    if (e->options->copies == GSIM_COPIES_MODELLED || !is_link) return false;
    bool is_kept = e->keeps_times[work->pageable][work->copy_kind == GSIM_COPY_D2H];
    notes->recorded_copies += is_kept;
    return is_kept;
}

/* --- works, after all -------------------------------------------------------------------------------------------------- */
static void make_work(struct emitter *e, const struct gsim_step *step)
{
    const struct gsim_activity *work = &e->records->works[step->index];
    const struct gsim_call *call = work->call == GSIM_NO_CALL ? NULL : &e->records->calls[work->call];
    struct stream *stream = &e->streams[work->stream];
    bool is_copy = work->kind == GSIM_ACTIVITY_COPY, was_full = queue_was_full(e, call);
    int64_t charge = ns_of(is_copy ? e->options->memcpy_us : e->options->launch_us);
    int64_t time = was_full ? step->time_ns : issue_time(e, work, step, charge);
    pass_time(e, time);
    if (e->failed) return;
    make_delay(e, work, stream);
    if (e->failed) return;
    struct gsim_op op = {.kind = is_copy ? GSIM_OP_COPY : GSIM_OP_KERNEL, .stream = stream->number};
    struct gsim_arg arg = {.reads = work->copy_kind != GSIM_COPY_H2D, .writes = work->copy_kind != GSIM_COPY_D2H};
    if (is_copy) {
        arg.buffer_index = buffer_of(e, stream, (enum gsim_copy_kind)work->copy_kind);
        op.args = &arg;
        op.arg_count = 1;
        op.copy_kind = (enum gsim_copy_kind)work->copy_kind;
        op.bytes = work->bytes ? work->bytes : 1;
        if (work->copy_kind != GSIM_COPY_D2D && (work->pageable || work->pinned))
            op.copy_memory = work->pageable ? GSIM_COPY_MEMORY_PAGEABLE : GSIM_COPY_MEMORY_PINNED;
        if (is_recorded(e, work)) op.copy_us = (double)work->solo_ns / 1e3;
    } else {
        op.kernel_index = kernel_of(e, work);
    }
    bool has_operands = gsim_operands_of(&e->operands, work, &op.args, &op.arg_count);
    if (stream->waits != NONE || e->thread_waits[work->thread] != NONE)
        charge += ns_of(e->options->event_record_us + e->options->stream_wait_us);
    uint32_t waits = stream->waits;
    if (has_operands) {
        depend(e, stream, work);
    } else {
        follow(e, stream);
        take(e, &stream->waits);
        take(e, &e->thread_waits[work->thread]);
    }
    uint32_t index = add_op(e, &op);
    if (e->failed) return;
    note_data(e, index, has_operands);
    e->made[index] = (struct made){step->time_ns, work->end_ns, stream->last, is_copy, work->is_moved};
    stream->last = index;
    e->starts[e->work_count++] = work->start_ns;
    if (e->options->times) keep_times(e, step, index, waits);
    e->cursor_ns += charge;
    if (was_full && call->end_ns > e->cursor_ns) e->cursor_ns = call->end_ns;
    if (!is_blocking(e, work)) return;
    wait_for(e, &e->host_waits, index);
    stream->seen = index;
    e->cursor_ns = call->end_ns;
}

/* --- synchronisation -------------------------------------------------------------------------------------------- */
static const struct gsim_sync *sync_of(const struct emitter *e, const struct gsim_call *call)
{
    uint32_t low = 0, high = e->records->sync_count; /* sorted by process and correlation */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct gsim_sync *sync = &e->records->syncs[middle];
        if (sync->process < call->process || (sync->process == call->process && sync->correlation < call->correlation))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == e->records->sync_count || !call->correlation) return NULL;
    const struct gsim_sync *sync = &e->records->syncs[low];
    return sync->process == call->process && sync->correlation == call->correlation ? sync : NULL;
}

/* The latest op of STREAM that a call which returned at END_NS can have waited for. */
static uint32_t finished_by(const struct emitter *e, const struct stream *stream, int64_t end_ns)
{
    uint32_t op = stream->last;
    while (op != NONE && op != stream->seen && e->made[op].end_ns > end_ns) op = e->made[op].before;
    return op;
}

/* Times are kept of calls behind the last work, too. */
static void keep_sync(struct emitter *e, const struct gsim_call *call)
{
    const struct gsim_sync *sync = sync_of(e, call);
    bool is_device = call->kind == GSIM_CALL_SYNC_DEVICE;
    bool is_known = is_device || (call->kind == GSIM_CALL_SYNC_STREAM && sync && sync->kind == GSIM_SYNC_STREAM);
    struct gsim_host_call kept = {GSIM_HOST_SYNC, !is_known, us_of(e, call->start_ns), us_of(e, call->end_ns), NAN};
    for (uint32_t s = 0; s < e->records->stream_count && is_known; s++) {
        uint32_t last = is_device || sync->stream == s ? e->streams[s].last : NONE;
        if (last == NONE) continue;
        double end_us = us_of(e, e->made[last].end_ns);
        if (!(kept.awaited_us > end_us)) kept.awaited_us = end_us;
        kept.is_unknown |= e->made[last].is_moved;
    }
    keep_call(e, &kept);
}

/* A synchronising call. Where the next launch is another thread's, only this thread's next op waits. */
static void make_sync(struct emitter *e, const struct gsim_step *step)
{
    const struct gsim_call *call = &e->records->calls[step->index];
    const struct gsim_sync *sync = sync_of(e, call);
    int64_t last_ns = INT64_MIN;
    uint32_t waits = NONE;
    bool is_device = call->kind == GSIM_CALL_SYNC_DEVICE;
    bool is_known = call->kind == GSIM_CALL_SYNC_STREAM && sync && sync->kind == GSIM_SYNC_STREAM;
    pass_time(e, call->start_ns);
    if (e->options->times) keep_sync(e, call);
    for (uint32_t s = 0; s < e->records->stream_count && !e->failed; s++) {
        struct stream *stream = &e->streams[s];
        if (is_known && sync->stream != s) continue;
        uint32_t op = is_device || is_known ? stream->last : finished_by(e, stream, call->end_ns);
        if (op == NONE || op == stream->seen) continue;
        if (e->made[op].end_ns > last_ns) last_ns = e->made[op].end_ns;
        wait_for(e, &waits, op);
    }
    for (uint32_t at = e->open; at != NONE && !e->failed && (is_device || is_known); at = e->links[at].next) wait_for(e, &waits, e->links[at].op);
    if (waits == NONE || e->failed) return;
    if (step->next_thread != GSIM_NO_CALL && step->thread != GSIM_NO_CALL && step->thread != step->next_thread) {
        for (uint32_t at = waits; at != NONE && !e->failed; at = e->links[at].next)
            wait_for(e, &e->thread_waits[step->thread], e->links[at].op);
        return;
    }
    for (uint32_t at = waits; at != NONE && !e->failed; at = e->links[at].next)
        wait_for(e, &e->host_waits, e->links[at].op);
    for (uint32_t s = 0; s < e->records->stream_count; s++) {
        struct stream *stream = &e->streams[s];
        if (is_known && sync->stream != s) continue;
        stream->seen = is_device || is_known ? stream->last : finished_by(e, stream, call->end_ns);
    }
    /* A replay that is late makes up for it while it waits. */
    if (last_ns > call->start_ns || e->cursor_ns < call->end_ns) e->cursor_ns = call->end_ns;
}

static void make_wait(struct emitter *e, const struct gsim_step *step)
{
    const struct gsim_sync *sync = &e->records->syncs[step->index];
    if (sync->stream == sync->source || sync->source == GSIM_NO_STREAM || sync->stream == GSIM_NO_STREAM) return;
    uint32_t record =
        gsim_records_find_call(e->records, sync->process, sync->record, step->time_ns);
    int64_t by_ns = record == GSIM_NO_CALL ? step->time_ns : e->records->calls[record].start_ns;
    uint32_t op = e->streams[sync->source].last;
    while (op != NONE && e->made[op].call_ns > by_ns) op = e->made[op].before;
    if (op != NONE && op != e->streams[sync->source].seen) wait_for(e, &e->streams[sync->stream].waits, op);
}

/* --- all of it -------------------------------------------------------------------------------------------------- */
/* The trace's own numbers where those of the streams that work are distinct and small enough, else in order of first appearance. */
static void number_streams(struct emitter *e)
{
    const struct gsim_records *r = e->records;
    const struct gsim_stream_key *keys = r->streams;
    bool is_plain = r->stream_count <= 1024;
    int32_t next = 0;
    for (uint32_t s = 0; s < r->stream_count; s++) e->streams[s].number = -1;
    for (uint32_t i = 0; i < r->work_count; i++) e->streams[r->works[i].stream].number = 0;
    for (uint32_t s = 0; s < r->stream_count && is_plain; s++) {
        is_plain = e->streams[s].number < 0 || keys[s].number <= GSIM_LIMIT_STREAM;
        for (uint32_t t = 0; t < s && is_plain; t++)
            is_plain = e->streams[s].number < 0 || e->streams[t].number < 0 || keys[t].number != keys[s].number;
    }
    for (uint32_t s = 0; s < r->stream_count; s++)
        if (e->streams[s].number >= 0) e->streams[s].number = is_plain ? (int32_t)keys[s].number : next++;
}

static enum gsim_status start(struct emitter *e)
{
    const struct gsim_records *r = e->records;
    const struct gsim_steps *steps = e->steps;
    e->streams = gsim_alloc(sizeof *e->streams * ((size_t)r->stream_count + 1));
    e->thread_waits = gsim_alloc(sizeof *e->thread_waits * ((size_t)steps->thread_count + 1));
    e->made = gsim_alloc(sizeof *e->made * (3 * (size_t)steps->count + 2));
    e->starts = gsim_alloc(sizeof *e->starts * ((size_t)steps->work_count + 1));
    e->builder = gsim_builder_create(e->options->name);
    if (!e->streams || !e->thread_waits || !e->made || !e->starts || !e->builder)
        return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    for (uint32_t s = 0; s < r->stream_count; s++) {
        e->streams[s] = (struct stream){.last = NONE, .seen = NONE, .waits = NONE};
        for (int kind = 0; kind < COPY_KINDS; kind++) e->streams[s].buffers[kind] = NONE;
    }
    for (uint32_t t = 0; t < steps->thread_count; t++) e->thread_waits[t] = NONE;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->steps[i].kind != GSIM_STEP_WORK) continue;
        const struct gsim_activity *work = &r->works[steps->steps[i].index];
        uint64_t *bytes = &e->streams[work->stream].bytes[work->copy_kind];
        if (work->kind == GSIM_ACTIVITY_COPY && work->bytes >= *bytes) *bytes = work->bytes ? work->bytes : 1;
    }
    number_streams(e);
    gsim_records_compare_rates(r, e->keeps_times);
    if (!gsim_overhead_init(&e->overhead, r)) return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    return gsim_operands_init(&e->operands, r, e->builder);
}

enum gsim_status gsim_records_emit(const struct gsim_records *records, const struct gsim_steps *steps,
                                   const struct gsim_import_options *options, struct gsim_program *program)
{
    struct emitter e = {.records = records, .steps = steps, .options = options, .host_waits = NONE, .open = NONE, .barrier = NONE, .last_call = GSIM_NO_CALL};
    enum gsim_status status = start(&e);
    if (steps->count) e.cursor_ns = e.origin_ns = steps->steps[0].time_ns; /* ranges begin with a work */
    for (uint32_t i = 0; status == GSIM_OK && i < steps->count && !e.failed; i++) {
        e.removed_ns += gsim_overhead_before(&e.overhead, &steps->steps[i], steps->steps[i].time_ns);
        switch (steps->steps[i].kind) {
        case GSIM_STEP_WORK:
            make_work(&e, &steps->steps[i]);
            break;
        case GSIM_STEP_SYNC:
            make_sync(&e, &steps->steps[i]);
            break;
        case GSIM_STEP_WAIT:
            make_wait(&e, &steps->steps[i]);
            break;
        }
    }
    for (uint32_t i = steps->count; status == GSIM_OK && options->times && i < steps->count + steps->tail_count; i++)
        if (steps->steps[i].kind == GSIM_STEP_SYNC) keep_sync(&e, &records->calls[steps->steps[i].index]);
    if (status == GSIM_OK && !e.failed && options->times) keep_calls(&e);
    if (e.failed && status == GSIM_OK) status = gsim_error_set(records->error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) {
        for (uint32_t s = 0; s < records->stream_count; s++) records->notes->streams += e.streams[s].last != NONE;
        status = gsim_builder_finish(e.builder, 1, program, records->error);
        e.builder = NULL;
    }
    gsim_builder_destroy(e.builder);
    gsim_operands_release(&e.operands);
    gsim_overhead_release(&e.overhead);
    gsim_free(e.streams);
    gsim_free(e.thread_waits);
    gsim_free(e.made);
    gsim_free(e.starts);
    gsim_free(e.links);
    gsim_free(e.after);
    return status;
}
