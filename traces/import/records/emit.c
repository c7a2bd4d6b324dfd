/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ordered records into the ops of a program. The host's time is kept along the way: "cursor" is when, on the
 * trace's clock, a replay's host thread will be ready for the next call, given what the replay charges for calls.
 */
#include <math.h>

#include "gpusim/energy.h"
#include "gpusim/limits.h"
#include "gpusim/order.h"
#include "traces/import/records/emitter.h"
#include "traces/kernels/names.h"

#define FAR_NS          50000 /* from there on a replayed end is not taken for the recorded one */
#define STAGED_NS       20000 /* a blocking copy that begins so late was staged by the host before */
#define MAX_PROFILED_NS 1000000 /* a launch that takes longer under a profiler takes long without it */
#define LATE_RANK 1.5 /* times as long as it takes alone, and so much more: a collective waited */
#define LATE_RANK_US 20
#define QUEUE_DEPTH     1000 /* launches ahead of the GPU at which a launch call blocks (about 1,024 in all) */

/* Not recorded: CUDA's memset is a small kernel that writes 16 bytes per thread. */
#define MEMSET_THREADS   512
#define MEMSET_BLOCKS    1024
#define MEMSET_REGISTERS 16

int64_t gsim_emit_ns(double us) { return gsim_whole(us * 1e3 + 0.5); }

/* --- what waits for what ------------------------------------------------------------------------------------------ */
void gsim_emit_wait_for(struct gsim_emitter *e, uint32_t *list, uint32_t op)
{
    if (e->failed || e->link_count >= GSIM_EMIT_NONE ||
        gsim_array_grow(&e->links, sizeof *e->links, e->link_count, &e->link_room)) {
        e->failed = true;
        return;
    }
    e->links[e->link_count] = (struct gsim_emit_link){.op = op, .next = *list};
    *list = (uint32_t)e->link_count++;
}

GSIM_ORDER_OF(compare_numbers, uint32_t)

/* Moves LIST to the "after" of the next op. */
void gsim_emit_take(struct gsim_emitter *e, uint32_t *list)
{
    for (uint32_t at = *list; at != GSIM_EMIT_NONE && !e->failed; at = e->links[at].next) {
        if (!GSIM_APPEND(e->after, e->after_count, e->after_room, e->links[at].op)) {
            e->failed = true;
            return;
        }
    }
    *list = GSIM_EMIT_NONE;
}

/* Adds OP with the collected "after"; returns its index. */
uint32_t gsim_emit_op(struct gsim_emitter *e, struct gsim_op *op)
{
    uint32_t kept = 0;
    if (e->after_count > 1) qsort(e->after, e->after_count, sizeof *e->after, compare_numbers);
    for (size_t i = 0; i < e->after_count; i++)
        if (i == 0 || e->after[i] != e->after[kept - 1]) e->after[kept++] = e->after[i];
    op->after = e->after;
    op->after_count = kept;
    e->after_count = 0;
    uint32_t index = gsim_builder_op(e->builder, op);
    if (index == GSIM_EMIT_NONE || gsim_array_grow(&e->made, sizeof *e->made, index, &e->made_room)) {
        e->failed = true;
        return GSIM_EMIT_NONE;
    }
    return index;
}

/* --- when launches are issued ------------------------------------------------------------------------------------- */
/* Whether the call returned only when the copy was done. Of pageable memory it returns when the last piece is staged,
 * some us before what the profiler takes for the copy's end. */
static bool is_blocking(const struct gsim_emitter *e, const struct gsim_activity *work)
{
    if (work->kind != GSIM_ACTIVITY_COPY || work->call == GSIM_NO_CALL) return false;
    const struct gsim_call *call = &e->records->calls[work->call];
    if (work->pageable) return call->end_ns >= work->start_ns + (work->end_ns - work->start_ns) / 2;
    return call->kind == GSIM_CALL_COPY && call->end_ns >= work->end_ns;
}

/* When a copy of pageable memory is submitted: the first piece is staged before, which takes the host no time of its
 * own in the model unless it took long. */
static int64_t staged_at(const struct gsim_emitter *e, const struct gsim_activity *work, const struct gsim_call *call)
{
    uint32_t last = e->streams[work->stream].last;
    int64_t could_ns = call->start_ns + gsim_emit_ns(e->options->memcpy_us);
    if (last != GSIM_EMIT_NONE && e->made[last].end_ns > could_ns) could_ns = e->made[last].end_ns;
    return work->start_ns - could_ns < STAGED_NS || work->is_moved
               ? call->start_ns
               : work->start_ns - gsim_emit_ns(e->options->memcpy_us);
}

/* When the launch would have been issued on a host that needs CHARGE for it: a call that took longer spends the rest
 * first, unless the work's start tells that it did so behind. */
static int64_t issue_time(const struct gsim_emitter *e, const struct gsim_activity *work, const struct gsim_step *step,
                          int64_t charge_ns)
{
    if (work->call == GSIM_NO_CALL) return step->time_ns;
    const struct gsim_call *call = &e->records->calls[work->call];
    bool is_node = call->kind == GSIM_CALL_GRAPH;
    if (is_node && (!e->has_nodes || e->last_graph == work->call))
        return step->time_ns; /* launches of their own; further nodes */
    int64_t latency_ns = gsim_emit_ns(is_node ? e->options->graph_start_us : e->options->launch_to_start_us);
    if (work->pageable && is_blocking(e, work)) return staged_at(e, work, call);
    bool is_long = call->end_ns - call->start_ns >= MAX_PROFILED_NS;
    if (e->overhead.events && !is_long) return call->start_ns; /* what it took longer is the profiler's */
    int64_t done = call->end_ns;
    if (!work->is_moved && work->start_ns - latency_ns < done) done = work->start_ns - latency_ns;
    if (done - charge_ns > call->start_ns) return done - charge_ns;
    /* On a GPU that reacts sooner than the model's the host comes to the call sooner, too, so that the work starts when
     * it did. */
    int64_t early_ns = work->start_ns - latency_ns - charge_ns;
    bool is_early = early_ns < call->start_ns && work->start_ns > e->busy_ns && !work->is_moved;
    if (early_ns < e->cursor_ns) early_ns = e->cursor_ns;
    return is_early && early_ns < call->start_ns ? early_ns : call->start_ns;
}

static bool queue_was_full(const struct gsim_emitter *e, const struct gsim_call *call)
{
    return call && e->work_count >= QUEUE_DEPTH && e->starts[e->work_count - QUEUE_DEPTH] > call->start_ns;
}

/* --- works -------------------------------------------------------------------------------------------------------- */
static uint32_t kernel_of(struct gsim_emitter *e, const struct gsim_activity *work)
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
    e->records->notes->talking += !work->is_collective && gsim_talks_by_name(kernel.name);
    const struct gsim_dim3 *c = &shape->cluster;
    if (c->x && c->y && c->z && c->x * c->y * c->z > 1)
        kernel.cluster = *c;
    else if (!c->x && gsim_cluster_by_name(kernel.name, &kernel.grid, &kernel.cluster))
        e->records->notes->named_clusters++;
    if (gsim_tiles_by_name(&kernel, gsim_whole_u32(e->records->notes->sm_count))) {
        const struct gsim_product *product = gsim_records_product(e->records, work->external);
        bool is_known = product && gsim_count_tiles(&kernel, product->rows, product->columns, product->batch);
        e->records->notes->counted_tiles += is_known;
        e->records->notes->named_tiles += !is_known;
    }
    kernel.waits = gsim_waits_by_name(&kernel);
    e->records->notes->named_waits += kernel.waits;
    if (work->kind == GSIM_ACTIVITY_MEMSET) {
        uint64_t blocks = work->bytes / (16 * MEMSET_THREADS) + 1;
        kernel.grid = (struct gsim_dim3){blocks < MEMSET_BLOCKS ? (uint32_t)blocks : MEMSET_BLOCKS, 1, 1};
        kernel.block = (struct gsim_dim3){MEMSET_THREADS, 1, 1};
        kernel.regs_per_thread = MEMSET_REGISTERS;
    }
    double relative;
    bool is_estimated;
    if (e->options->device)
        e->records->notes->drawn_mj +=
            gsim_energy_of_kernel(&kernel, e->options->device, kernel.solo_us, &relative, &is_estimated);
    return gsim_builder_kernel(e->builder, &kernel);
}

static uint32_t collective_of(struct gsim_emitter *e, const struct gsim_activity *work)
{
    uint32_t pair[2], channels = e->records->shapes[work->shape].grid.x;
    struct gsim_collective collective = gsim_records_collective(
        e->records, work, channels < GSIM_LIMIT_CHANNELS ? channels : GSIM_LIMIT_CHANNELS, pair);
    return gsim_builder_collective(e->builder, &collective);
}

/* The trace does not name buffers. One per stream and kind: copies that share it are in order anyway. */
static uint32_t buffer_of(struct gsim_emitter *e, struct gsim_emit_stream *stream, enum gsim_copy_kind kind)
{
    static const char *const kinds[GSIM_EMIT_COPY_KINDS] = {"h2d", "d2h", "d2d"};
    char name[40];
    if (stream->buffers[kind] != GSIM_EMIT_NONE) return stream->buffers[kind];
    snprintf(name, sizeof name, "%s of stream %d", kinds[kind], stream->number);
    enum gsim_buffer_init init = kind == GSIM_COPY_H2D ? GSIM_INIT_HOST : GSIM_INIT_DEVICE;
    return stream->buffers[kind] = gsim_builder_buffer(e->builder, name, stream->bytes[kind], init);
}

/* The order in a stream holds for every scheduler, unless data alone is to count. */
static void follow(struct gsim_emitter *e, const struct gsim_emit_stream *stream)
{
    uint32_t list = GSIM_EMIT_NONE;
    if (e->records->flow) { /* it has no operands */
        gsim_emit_take(e, &e->open);
        if (e->barrier == GSIM_EMIT_NONE) return;
        gsim_emit_wait_for(e, &list, e->barrier);
        gsim_emit_take(e, &list);
        return;
    }
    if (e->options->drops_order || stream->last == GSIM_EMIT_NONE) return;
    gsim_emit_wait_for(e, &list, stream->last);
    gsim_emit_take(e, &list);
}

/* Of a work whose launch was not recorded nothing says what it waited for: the work that ended last before it began, of
 * any stream of its GPU. */
static uint32_t ended_before(const struct gsim_emitter *e, const struct gsim_activity *work)
{
    const struct gsim_stream_key *keys = e->records->streams;
    uint32_t found = GSIM_EMIT_NONE;
    for (uint32_t s = 0; s < e->records->stream_count; s++) {
        uint32_t op = keys[s].gpu == keys[work->stream].gpu ? e->streams[s].last : GSIM_EMIT_NONE;
        while (op != GSIM_EMIT_NONE && e->made[op].end_ns > work->start_ns) op = e->made[op].before;
        if (op != GSIM_EMIT_NONE && (found == GSIM_EMIT_NONE || e->made[op].end_ns > e->made[found].end_ns)) found = op;
    }
    return found;
}

/* A work of known operands follows by data; what the streams waited for stands in these. */
static void depend(struct gsim_emitter *e, struct gsim_emit_stream *stream)
{
    uint32_t list = GSIM_EMIT_NONE;
    stream->waits = GSIM_EMIT_NONE;
    if (e->barrier == GSIM_EMIT_NONE) return;
    gsim_emit_wait_for(e, &list, e->barrier);
    gsim_emit_take(e, &list);
}

static void note_data(struct gsim_emitter *e, uint32_t index, bool has_operands)
{
    if (!e->records->flow) return;
    e->records->notes->data_works += has_operands;
    e->records->notes->dataless_works += !has_operands;
    if (has_operands) gsim_emit_wait_for(e, &e->open, index);
    else e->barrier = index;
}

/* One that stands for a wait, behind what the stream has. */
static uint32_t emit_kernel(struct gsim_emitter *e, const struct gsim_kernel *kernel, struct gsim_emit_stream *stream)
{
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .stream = stream->number};
    op.kernel_index = gsim_builder_kernel(e->builder, kernel);
    follow(e, stream);
    gsim_emit_take(e, &stream->waits);
    return gsim_emit_op(e, &op);
}

/* Before a work, what the GPU idled without a reason that the trace tells: a kernel of one warp that does nothing
 * else. */
static void make_delay(struct gsim_emitter *e, const struct gsim_activity *work, struct gsim_emit_stream *stream)
{
    if (!work->idle_ns || e->options->drops_unexplained) return;
    /* The gaps at both its ends are part of it. */
    double length_us = (double)work->idle_ns / 1e3 - 2 * e->gap_us;
    const struct gsim_kernel kernel = {.name = "(unexplained idle)",
                                       .grid = {1, 1, 1},
                                       .block = {32, 1, 1},
                                       .regs_per_thread = 16,
                                       .solo_us = fmax(length_us, 0.001),
                                       .solo_device = e->options->solo_device,
                                       .solo_cold = true};
    uint32_t index = emit_kernel(e, &kernel, stream);
    if (e->failed) return;
    e->made[index] = (struct gsim_emit_made){
        work->start_ns - work->idle_ns, work->start_ns, work->start_ns, stream->last, work->stream, false, true};
    stream->last = index;
    if (!e->is_graph) e->cursor_ns += gsim_emit_ns(e->options->launch_us);
}

/* Of one rank alone: how long the collective waited, about. Its own time is the model's. */
static double rank_wait_us(const struct gsim_emitter *e, const struct gsim_activity *work)
{
    uint32_t pair[2];
    if (!work->is_collective || !e->nccl) return 0;
    struct gsim_collective collective = gsim_records_collective(e->records, work, 0, pair);
    uint32_t ranks = collective.group_count ? collective.group_count : e->records->notes->world;
    double us = gsim_collective_estimate_us(e->nccl, e->options->device, &collective, ranks, NULL),
           recorded_us = (double)work->solo_ns / 1e3;
    return recorded_us > LATE_RANK * us + LATE_RANK_US ? recorded_us - us - e->options->stream_gap_us : 0;
}

/* Its blocks wait on their SMs. */
static void make_rank_wait(struct gsim_emitter *e, struct gsim_activity *work, struct gsim_emit_stream *stream)
{
    const struct gsim_work_shape *shape = &e->records->shapes[work->shape];
    double us = rank_wait_us(e, work);
    if (!(us > 0)) return;
    const struct gsim_kernel kernel = {.name = GSIM_RANK_WAIT,
                                       .grid = shape->grid,
                                       .block = shape->block,
                                       .regs_per_thread = shape->regs_per_thread,
                                       .smem_bytes = shape->smem_bytes,
                                       .solo_us = us,
                                       .solo_device = e->options->solo_device,
                                       .solo_cold = true};
    uint32_t index = emit_kernel(e, &kernel, stream);
    if (e->failed) return;
    int64_t end_ns = work->start_ns + gsim_emit_ns(us);
    e->made[index] = (struct gsim_emit_made){work->start_ns, end_ns, end_ns, stream->last, work->stream, false, true};
    stream->last = index;
    work->solo_ns -= gsim_emit_ns(us + e->options->stream_gap_us);
    e->cursor_ns += gsim_emit_ns(e->options->launch_us);
    e->records->notes->rank_waits++;
}

#define SMALL_COPY                                                                                                     \
    262144 /* bytes below which a copy's start-up is most of its time: it differs from link to link and driver to      \
              driver */

static bool is_recorded(const struct gsim_emitter *e, const struct gsim_activity *work)
{
    struct gsim_import_notes *notes = e->records->notes;
    bool is_link = work->copy_kind != GSIM_COPY_D2D;
    if (work->is_peer) {
        notes->peer_copies++;
        return true;
    }
    if (work->lacks_size || e->options->copies == GSIM_COPIES_RECORDED) return true;
    if (e->options->copies == GSIM_COPIES_MODELLED || !is_link) return false;
    if (work->bytes < SMALL_COPY && !work->lacks_time) return true;
    bool is_kept = e->keeps_times[work->pageable][work->copy_kind == GSIM_COPY_D2H];
    notes->recorded_copies += is_kept;
    return is_kept;
}

/* A replay launches WORK at the cursor and runs it behind LAST of its stream. Where that is far from what was recorded
 * other things had a part in it. */
static int64_t replayed_end(const struct gsim_emitter *e, const struct gsim_activity *work, uint32_t last,
                            int64_t charge_ns)
{
    bool is_copy = work->kind == GSIM_ACTIVITY_COPY, was_copy = last != GSIM_EMIT_NONE && e->made[last].is_copy;
    double gap_us = is_copy && !was_copy   ? e->options->kernel_to_copy_us
                    : !is_copy && was_copy ? e->options->copy_to_kernel_us
                                           : e->gap_us;
    if (gap_us <= 0) gap_us = e->gap_us;
    int64_t start_ns = e->cursor_ns + charge_ns + (is_copy ? 0 : gsim_emit_ns(e->options->launch_to_start_us));
    if (e->has_nodes) return work->end_ns; /* its nodes are given the gaps that were recorded */
    if (last != GSIM_EMIT_NONE && e->made[last].replayed_ns + gsim_emit_ns(gap_us) > start_ns)
        start_ns = e->made[last].replayed_ns + gsim_emit_ns(gap_us);
    int64_t off_ns = start_ns + work->solo_ns - work->end_ns;
    bool is_near = off_ns < FAR_NS && off_ns > -FAR_NS && work->kind != GSIM_ACTIVITY_MEMSET;
    return is_near && e->options->launch_us > 0 ? start_ns + work->solo_ns : work->end_ns;
}

/* What a replay takes for the launch of a graph, with its first node; 0 with the others. */
static int64_t graph_charge(const struct gsim_emitter *e, const struct gsim_step *step, uint32_t call)
{
    const struct gsim_step *end = e->steps->steps + e->steps->count;
    uint32_t nodes = 0;
    const int64_t time_ns = step->time_ns; /* all nodes' */
    if (e->last_graph == call) return 0;
    for (; step < end && step->time_ns == time_ns; step++)
        nodes += step->kind == GSIM_STEP_WORK && e->records->works[step->index].call == call;
    return gsim_emit_ns(e->options->graph_launch_us + nodes * e->options->graph_launch_node_us);
}

/* Before the first launch of a step: a graph saves the operator that makes it, not what the program does ahead of
 * that. */
static void lead_in(struct gsim_emitter *e, const struct gsim_call *call, int64_t time_ns)
{
    int64_t began_ns = gsim_overhead_operator(&e->overhead, call);
    if (began_ns <= e->cursor_ns || began_ns >= time_ns) return;
    gsim_emit_pass_time(e, call->thread, began_ns);
    e->is_woken = false;
}

/* --- works, after all --- */
static void make_work(struct gsim_emitter *e, const struct gsim_step *step)
{
    const struct gsim_activity *work = &e->records->works[step->index];
    const struct gsim_call *call = work->call == GSIM_NO_CALL ? NULL : &e->records->calls[work->call];
    struct gsim_emit_stream *stream = &e->streams[work->stream];
    bool is_copy = work->kind == GSIM_ACTIVITY_COPY, was_full = queue_was_full(e, call);
    bool is_node = e->is_graph && call && call->kind == GSIM_CALL_GRAPH;
    int64_t charge = is_node ? graph_charge(e, step, work->call)
                             : gsim_emit_ns(is_copy ? e->options->memcpy_us : e->options->launch_us);
    uint32_t ended = call ? GSIM_EMIT_NONE : ended_before(e, work);
    int64_t time = ended != GSIM_EMIT_NONE ? e->cursor_ns
                   : was_full              ? step->time_ns
                                           : issue_time(e, work, step, charge);
    if (call && !e->work_count && e->is_woken) lead_in(e, call, time);
    gsim_emit_thread_waits(e, work->thread, time);
    gsim_emit_pass_time(e, call ? call->thread : 0, time);
    if (e->failed) return;
    gsim_emit_graph(e, step);
    make_delay(e, work, stream);
    if (e->failed) return;
    struct gsim_activity split = *work;
    make_rank_wait(e, &split, stream);
    if (e->failed) return;
    work = &split;
    struct gsim_op op = {.kind = is_copy ? GSIM_OP_COPY : GSIM_OP_KERNEL,
                         .stream = stream->number,
                         .priority = stream->priority};
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
        op.kernel_index = work->is_collective && e->options->is_rank ? collective_of(e, work) : kernel_of(e, work);
    }
    bool has_operands = gsim_operands_of(&e->operands, work, &op.args, &op.arg_count);
    if (stream->waits != GSIM_EMIT_NONE && e->launch.call == GSIM_NO_CALL)
        charge += gsim_emit_ns(e->options->event_record_us + e->options->stream_wait_us);
    uint32_t waits = stream->waits;
    if (has_operands) {
        depend(e, stream);
    } else {
        follow(e, stream);
        gsim_emit_take(e, &stream->waits);
        if (ended != GSIM_EMIT_NONE && !e->options->drops_order) {
            uint32_t list = GSIM_EMIT_NONE;
            gsim_emit_wait_for(e, &list, ended);
            gsim_emit_take(e, &list);
        }
    }
    uint32_t index = gsim_emit_op(e, &op);
    if (e->failed) return;
    note_data(e, index, has_operands);
    e->made[index] = (struct gsim_emit_made){step->time_ns, work->end_ns, replayed_end(e, work, stream->last, charge),
                                             stream->last,  work->stream, is_copy,
                                             work->is_moved};
    stream->last = index;
    gsim_emit_graph_made(e, work, index);
    stream->thread = work->thread;
    e->starts[e->work_count++] = work->start_ns;
    if (work->end_ns > e->busy_ns) e->busy_ns = work->end_ns;
    if (e->options->times) gsim_emit_keep_times(e, step, index, waits);
    if (e->options->origin) gsim_emit_keep_origin(e, index, work->external);
    e->cursor_ns += charge;
    e->last_graph = is_node ? work->call : GSIM_NO_CALL;
    e->is_woken = false;
    if (was_full && call->end_ns > e->cursor_ns) e->cursor_ns = call->end_ns;
    if (!is_blocking(e, work)) return;
    gsim_emit_wait_for(e, &e->host_waits, index);
    stream->seen = index;
    /* Of pageable memory the call itself ends with the copy, or some us before; a graph's end is waited for. */
    bool is_own_end = work->pageable && !e->has_nodes;
    int64_t back_ns = e->made[index].replayed_ns +
                      gsim_emit_ns(is_own_end ? e->options->sync_idle_us : e->options->sync_return_us);
    gsim_emit_return(e, call, work->end_ns > call->end_ns ? call->end_ns : back_ns, GSIM_SPAN_CALL);
}

/* --- all of it -------------------------------------------------------------------------------------------------- */
/* The trace's own numbers where those of the streams that work are distinct and small enough, else in order of first
 * appearance. */
static void number_streams(struct gsim_emitter *e)
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
        for (uint32_t p = 0; p < r->recorded.priority_count; p++) {
            const struct gsim_priority *found = &r->recorded.priorities[p];
            if (found->context == keys[s].context && found->number == keys[s].number)
                e->streams[s].priority = found->priority;
        }
    for (uint32_t s = 0; s < r->stream_count; s++)
        if (e->streams[s].number >= 0) e->streams[s].number = is_plain ? (int32_t)keys[s].number : next++;
}

static enum gsim_status start(struct gsim_emitter *e)
{
    const struct gsim_records *r = e->records;
    const struct gsim_steps *steps = e->steps;
    e->streams = gsim_alloc(sizeof *e->streams * ((size_t)r->stream_count + 1));
    e->thread_waits = gsim_alloc(sizeof *e->thread_waits * ((size_t)steps->thread_count + 1));
    e->thread_back_ns = gsim_alloc(sizeof *e->thread_back_ns * ((size_t)steps->thread_count + 1));
    e->launch.streams = gsim_alloc(sizeof *e->launch.streams * ((size_t)r->stream_count + 1));
    e->starts = gsim_alloc(sizeof *e->starts * ((size_t)steps->work_count + 1));
    e->builder = gsim_builder_create(e->options->name);
    if (!e->streams || !e->launch.streams || !e->thread_waits || !e->thread_back_ns || !e->starts || !e->builder)
        return gsim_no_memory(r->error);
    for (uint32_t s = 0; s < r->stream_count; s++) {
        e->streams[s] =
            (struct gsim_emit_stream){.last = GSIM_EMIT_NONE, .seen = GSIM_EMIT_NONE, .waits = GSIM_EMIT_NONE};
        for (int kind = 0; kind < GSIM_EMIT_COPY_KINDS; kind++) e->streams[s].buffers[kind] = GSIM_EMIT_NONE;
    }
    for (uint32_t t = 0; t < steps->thread_count; t++) e->thread_waits[t] = GSIM_EMIT_NONE;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->steps[i].kind != GSIM_STEP_WORK) continue;
        const struct gsim_activity *work = &r->works[steps->steps[i].index];
        uint64_t *bytes = &e->streams[work->stream].bytes[work->copy_kind];
        if (work->kind == GSIM_ACTIVITY_COPY && work->bytes >= *bytes) *bytes = work->bytes ? work->bytes : 1;
    }
    const struct gsim_import_notes *notes = r->notes;
    double found_us = e->has_nodes ? notes->node_gap_us : notes->stream_gap_us;
    e->gap_us = found_us > 0 ? found_us : e->has_nodes ? e->options->graph_node_gap_us : e->options->stream_gap_us;
    number_streams(e);
    gsim_records_compare_rates(r, e->keeps_times);
    if (!gsim_overhead_init(&e->overhead, r, steps)) return gsim_no_memory(r->error);
    return gsim_operands_init(&e->operands, r, e->builder);
}

enum gsim_status gsim_records_emit(const struct gsim_records *records, const struct gsim_steps *steps,
                                   const struct gsim_import_options *options, struct gsim_program *program)
{
    struct gsim_emitter e = {.records = records,
                             .steps = steps,
                             .options = options,
                             .host_waits = GSIM_EMIT_NONE,
                             .open = GSIM_EMIT_NONE,
                             .barrier = GSIM_EMIT_NONE,
                             .last_call = GSIM_NO_CALL,
                             .last_graph = GSIM_NO_CALL,
                             .launch.call = GSIM_NO_CALL,
                             .is_graph = gsim_import_is_graph(records->notes)};
    e.has_nodes = e.is_graph && options->replays_graphs;
    if (options->splits_waits && records->collective_count && !options->is_rank && options->device)
        e.nccl = gsim_collective_numbers(options->device);
    enum gsim_status status = start(&e);
    if (steps->count) e.cursor_ns = e.origin_ns = steps->steps[0].time_ns; /* ranges begin with a work */
    e.is_woken = steps->until_ns != 0; /* by the step before */
    if (e.is_woken) e.cursor_ns = e.origin_ns = steps->from_ns;
    for (uint32_t i = 0; status == GSIM_OK && i < steps->count && !e.failed; i++) {
        e.removed_ns += gsim_overhead_before(&e.overhead, &steps->steps[i], steps->steps[i].time_ns);
        switch (steps->steps[i].kind) {
        case GSIM_STEP_WORK:
            make_work(&e, &steps->steps[i]);
            break;
        case GSIM_STEP_SYNC:
            gsim_emit_sync(&e, &steps->steps[i]);
            break;
        case GSIM_STEP_WAIT:
            gsim_emit_wait(&e, &steps->steps[i]);
            break;
        }
    }
    if (status == GSIM_OK && !e.failed && steps->until_ns) {
        e.removed_ns += gsim_overhead_until(&e.overhead, steps->until_ns);
        gsim_emit_pass_time(&e, e.host_thread, steps->until_ns);
    }
    for (uint32_t i = steps->count; status == GSIM_OK && options->times && i < steps->count + steps->tail_count; i++)
        if (steps->steps[i].kind == GSIM_STEP_SYNC) gsim_emit_keep_sync(&e, &records->calls[steps->steps[i].index]);
    if (status == GSIM_OK && !e.failed && options->times) gsim_emit_keep_calls(&e);
    if (status == GSIM_OK && options->times && options->is_rank)
        status = gsim_records_keep_gradients(records, e.origin_ns);
    if (e.failed && status == GSIM_OK) status = gsim_no_memory(records->error);
    if (status == GSIM_OK) {
        for (uint32_t s = 0; s < records->stream_count; s++)
            records->notes->streams += e.streams[s].last != GSIM_EMIT_NONE;
        status = gsim_builder_finish(e.builder, 1, program, records->error);
        e.builder = NULL;
    }
    gsim_builder_destroy(e.builder);
    gsim_operands_release(&e.operands);
    gsim_overhead_release(&e.overhead);
    gsim_free(e.streams);
    gsim_free(e.thread_waits);
    gsim_free(e.launch.streams);
    gsim_free(e.launch.nodes);
    gsim_free(e.thread_back_ns);
    gsim_free(e.made);
    gsim_free(e.starts);
    gsim_free(e.links);
    gsim_free(e.after);
    gsim_free(e.nccl);
    return status;
}
