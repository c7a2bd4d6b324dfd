/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grsched: GrSched, the run-time scheduler of GrCUDA (IPDPS 2021). Graph rules: frontier.h. Deviations: work
 * left pending at the end of an iteration is waited for there; in explicit memory modes copies take the place
 * of prefetches, with an event for later users on other streams; "after" counts as a dependence;
 * a program's own prefetches, which GrCUDA's programs cannot contain, are left out.
 */
#include "gpusim/placement.h"
#include "schedulers/shared/frontier.h"
#include "schedulers/shared/placedmoves.h"
#include "gpusim/schedulers/pull.h"
#include "sim/program/draw.h"

#define NONE UINT32_MAX

enum { STREAMS_ALWAYS_NEW, STREAMS_REUSE };
enum { PARENT_DISJOINT, PARENT_SAME, PARENT_EARLY_DISJOINT, PARENT_MULTI_DISJOINT };
enum { ATTACH_ALWAYS, ATTACH_AUTO, ATTACH_NEVER };

struct grsched_params {
    int new_streams, parent_stream, dependences, attach;
    bool filter;
    double cost_us, cost_spread;
};

struct stream_state {
    gsim_stream stream;
    uint32_t last_vertex, live_count; /* live: not marked finished */
    uint32_t next_free, device;
};

/* Of one GPU: streams whose work is all finished, longest free first; one for copies to others, 0: not made yet. */
struct device_state {
    uint32_t first_free, last_free;
    gsim_stream copies;
};

struct buffer_state {
    uint32_t copy_owner;    /* explicit memory: vertex whose stream carries the latest copy to the device */
    gsim_event copy_event;
    gsim_stream visible_in; /* stream it is attached to; 0: global */
    uint32_t generation;    /* of a program that is drawn: of the buffer that this is of */
};

struct grsched {
    struct gsim_run *run;
    const struct grsched_params *params;
    struct gsim_driver *driver;
    struct gsim_frontier frontier;
    struct stream_state *streams;
    size_t stream_count, stream_capacity;
    struct device_state *devices;
    uint32_t device_count, *candidates; /* all of them; room for as many again */
    struct gsim_placing *placing;  /* of several GPUs */
    struct gsim_bringer bringer;   /* and explicit memory */
    struct buffer_state *buffers;
    uint32_t live_count;
    bool attaches, failed;
};

static bool brings(const struct grsched *g) { return g->placing && g->run->memory != GSIM_MEMORY_MANAGED; }

/* --- streams ---------------------------------------------------------------------------------------- */
static gsim_stream create_stream(struct grsched *g, uint32_t device)
{
    if (g->device_count > 1) gsim_device_set(g->driver, device);
    return gsim_stream_create(g->driver, 0);
}

static uint32_t new_stream(struct grsched *g, uint32_t device)
{
    struct device_state *d = &g->devices[device];
    uint32_t found = d->first_free;
    if (g->params->new_streams == STREAMS_REUSE && found != NONE) {
        d->first_free = g->streams[found].next_free;
        if (d->first_free == NONE) d->last_free = NONE;
        return found;
    }
    if (g->stream_count == g->stream_capacity &&
        gsim_array_grow(&g->streams, sizeof(*g->streams), g->stream_count, &g->stream_capacity)) {
        g->failed = true;
        return NONE;
    }
    g->streams[g->stream_count] = (struct stream_state){create_stream(g, device), NONE, 0, NONE, device};
    return (uint32_t)g->stream_count++;
}

static uint32_t choose_device(struct grsched *g, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    if (!g->placing) return 0;
    for (uint32_t d = 0; d < g->device_count; d++) g->placing->busy_streams[d] = 0;
    for (size_t s = 0; s < g->stream_count; s++)
        g->placing->busy_streams[g->streams[s].device] += g->streams[s].live_count > 0;
    if (g->run->placement->decision_us > 0)
        gsim_host_work(g->driver, g->run->placement->decision_us, "GrCUDA placement");
    return gsim_placing_choose(g->placing, op, candidates, count);
}

/* The stream of the first parent that no child has taken yet, on DEVICE; NONE: any device. NONE: there is no such
 * parent. */
static uint32_t take_parent(struct grsched *g, const struct gsim_vertex *vertex, uint32_t device)
{
    for (uint32_t i = 0; i < vertex->parent_count; i++) {
        struct gsim_vertex *parent = &g->frontier.vertices[g->frontier.parents[vertex->parent_start + i]];
        if (g->params->parent_stream != PARENT_SAME && parent->parent_stream_taken) continue;
        if (device != NONE && g->streams[parent->stream_index].device != device) continue;
        parent->parent_stream_taken = true;
        return parent->stream_index;
    }
    return NONE;
}

/* Devices of parents whose stream no child has taken yet, each once, ascending: at CANDIDATES + device_count. */
static uint32_t parents_devices(struct grsched *g, const struct gsim_vertex *vertex)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < g->device_count; d++)
        for (uint32_t i = 0; i < vertex->parent_count; i++) {
            const struct gsim_vertex *parent = &g->frontier.vertices[g->frontier.parents[vertex->parent_start + i]];
            if (parent->parent_stream_taken || g->streams[parent->stream_index].device != d) continue;
            g->candidates[g->device_count + count++] = d;
            break;
        }
    return count;
}

/* The first child inherits its parent's stream; later ones go elsewhere (disjoint). Who may inherit on several GPUs
 * asks for the GPU first and takes a parent's stream there (early), or chooses among the parents' GPUs. */
static uint32_t choose_stream(struct grsched *g, const struct gsim_vertex *vertex, const struct gsim_op *op)
{
    uint32_t device = NONE, found = NONE, parents;
    switch (g->placing                                ? g->params->parent_stream
            : g->params->parent_stream == PARENT_SAME ? PARENT_SAME
                                                      : PARENT_DISJOINT) {
    case PARENT_EARLY_DISJOINT:
        device = choose_device(g, op, g->candidates, g->device_count);
        found = take_parent(g, vertex, device);
        break;
    case PARENT_MULTI_DISJOINT:
        parents = parents_devices(g, vertex);
        if (parents) found = take_parent(g, vertex, choose_device(g, op, g->candidates + g->device_count, parents));
        break;
    default: found = take_parent(g, vertex, NONE);
    }
    if (found != NONE) return found;
    return new_stream(g, device != NONE ? device : choose_device(g, op, g->candidates, g->device_count));
}

/* --- completion, as far as the host knows ------------------------------------------------------------ */
static void finish_vertex(struct grsched *g, uint32_t index)
{
    struct gsim_frontier *f = &g->frontier;
    f->stack_count = 0;
    for (uint32_t v = index; v != NONE; v = f->stack_count ? f->stack[--f->stack_count] : NONE) {
        struct gsim_vertex *vertex = &f->vertices[v];
        if (vertex->finished) continue;
        vertex->finished = true;
        gsim_event_destroy(g->driver, vertex->event);
        g->live_count--;
        struct stream_state *stream = &g->streams[vertex->stream_index];
        if (--stream->live_count == 0 && g->params->new_streams == STREAMS_REUSE) {
            struct device_state *device = &g->devices[stream->device];
            stream->next_free = NONE;
            if (device->last_free == NONE) device->first_free = vertex->stream_index;
            else g->streams[device->last_free].next_free = vertex->stream_index;
            device->last_free = vertex->stream_index;
        }
        for (uint32_t i = 0; i < vertex->parent_count; i++) {
            if (f->stack_count == f->stack_capacity &&
                gsim_array_grow(&f->stack, sizeof(*f->stack), f->stack_count, &f->stack_capacity)) {
                g->failed = true;
                return;
            }
            f->stack[f->stack_count++] = f->parents[vertex->parent_start + i];
        }
    }
}

static void sync_stream(struct grsched *g, uint32_t stream)
{
    gsim_stream_synchronize(g->driver, g->streams[stream].stream);
    for (uint32_t v = g->streams[stream].last_vertex; v != NONE && g->streams[stream].live_count && !g->failed;
         v = g->frontier.vertices[v].before)
        finish_vertex(g, v);
}

static void sync_device(struct grsched *g)
{
    for (uint32_t d = 0; d < g->device_count; d++) {
        if (g->device_count > 1) gsim_device_set(g->driver, d);
        gsim_device_synchronize(g->driver);
    }
    for (uint32_t s = 0; s < g->stream_count && g->live_count && !g->failed; s++)
        for (uint32_t v = g->streams[s].last_vertex; v != NONE && g->streams[s].live_count;
             v = g->frontier.vertices[v].before)
            finish_vertex(g, v);
}

/* --- device work -------------------------------------------------------------------------------------- */
/* Arrays that kernels may write belong to the kernel's stream; const ones are visible to all. */
static void attach(struct grsched *g, const struct gsim_op *op, gsim_stream stream)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct buffer_state *buffer = &g->buffers[op->args[a].buffer_index];
        gsim_stream wanted = op->args[a].declared_const ? 0 : stream;
        if (buffer->visible_in == wanted) continue;
        gsim_stream_attach(g->driver, op->args[a].buffer_index, wanted);
        buffer->visible_in = wanted;
    }
}

/* Of explicit memory on several GPUs: copies of one buffer follow one another, and what they copy. */
static void copy_placed(struct grsched *g, const struct gsim_op *move, uint32_t vertex, gsim_stream stream)
{
    const struct gsim_vertex *v = &g->frontier.vertices[vertex];
    struct buffer_state *buffer = &g->buffers[move->args[0].buffer_index];
    if (move->copy_kind == GSIM_COPY_P2P) {
        if (!g->devices[move->device].copies) g->devices[move->device].copies = create_stream(g, move->device);
        stream = g->devices[move->device].copies;
        for (uint32_t i = 0; i < v->parent_count; i++) {
            const struct gsim_vertex *parent = &g->frontier.vertices[g->frontier.parents[v->parent_start + i]];
            if (!parent->finished) gsim_stream_wait_event(g->driver, stream, parent->event);
        }
    }
    if (buffer->copy_event) gsim_stream_wait_event(g->driver, stream, buffer->copy_event);
    else buffer->copy_event = gsim_event_create(g->driver, GSIM_EVENT_TIMING);
    gsim_op_issue(g->driver, move, stream);
    gsim_event_record(g->driver, buffer->copy_event, stream);
}

/* What OP needs on its stream's GPU; the stream follows the copies of all that it uses. */
static void bring_data(struct grsched *g, const struct gsim_op *op, uint32_t vertex)
{
    const struct stream_state *state = &g->streams[g->frontier.vertices[vertex].stream_index];
    g->bringer.count = 0;
    gsim_bringer_add(&g->bringer, op, state->device);
    if (g->bringer.failed) g->failed = true;
    for (size_t i = 0; i + 1 < g->bringer.count; i++) copy_placed(g, g->bringer.ops[i], vertex, state->stream);
    for (uint32_t a = 0; a < op->arg_count; a++) {
        const struct buffer_state *buffer = &g->buffers[op->args[a].buffer_index];
        if (buffer->copy_event) gsim_stream_wait_event(g->driver, state->stream, buffer->copy_event);
    }
}

/* A const user need not follow the earlier const user whose stream carries the copy, but must follow the copy. */
static void wait_for_copies(struct grsched *g, const struct gsim_op *op, uint32_t vertex)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct buffer_state *buffer = &g->buffers[op->args[a].buffer_index];
        if (buffer->copy_owner == NONE || buffer->copy_owner == vertex) continue;
        const struct gsim_vertex *owner = &g->frontier.vertices[buffer->copy_owner];
        if (owner->finished || owner->stream_index == g->frontier.vertices[vertex].stream_index) continue;
        gsim_stream_wait_event(g->driver, g->streams[g->frontier.vertices[vertex].stream_index].stream,
                               buffer->copy_event);
    }
}

static void move_data(struct grsched *g, const struct gsim_oplist *list, uint32_t first_move, uint32_t at,
                      uint32_t vertex)
{
    gsim_stream stream = g->streams[g->frontier.vertices[vertex].stream_index].stream;
    for (uint32_t m = first_move; m < at; m++) {
        bool prefetch = list->ops[m]->kind == GSIM_OP_PREFETCH;
        if (prefetch && g->run->compute_capability < 60) { /* no demand paging to anticipate */
            if (g->run->draw) gsim_draw_ended(g->run->draw, list->ops[m], gsim_now_us(g->driver));
            continue;
        }
        gsim_op_issue(g->driver, list->ops[m], stream);
        if (prefetch) continue;
        struct buffer_state *buffer = &g->buffers[list->ops[m]->args[0].buffer_index];
        if (!buffer->copy_event) buffer->copy_event = gsim_event_create(g->driver, GSIM_EVENT_TIMING);
        gsim_event_record(g->driver, buffer->copy_event, stream);
        buffer->copy_owner = vertex;
    }
}

static double runtime_cost_us(const struct grsched *g)
{
    if (g->params->cost_spread <= 0) return g->params->cost_us;
    return g->params->cost_us * exp(g->params->cost_spread * gsim_random_normal(g->run->rng));
}

/* Order of one launch: graph, stream, attach, prefetch, waits, launch, event. */
static void launch(struct grsched *g, const struct gsim_oplist *list, uint32_t first_move, uint32_t at)
{
    const struct gsim_op *op = list->ops[at];
    bool all_write = op->kind != GSIM_OP_KERNEL;
    gsim_host_work(g->driver, runtime_cost_us(g), "GrCUDA runtime");
    gsim_frontier_find(&g->frontier, op, all_write);
    uint32_t index = gsim_frontier_add(&g->frontier, op, all_write);
    if (index == NONE) {
        g->failed = true;
        return;
    }
    struct gsim_vertex *vertex = &g->frontier.vertices[index];
    vertex->stream_index = choose_stream(g, vertex, op);
    if (vertex->stream_index == NONE) return;
    struct stream_state *state = &g->streams[vertex->stream_index];
    if (g->placing) gsim_placing_note(g->placing, op, state->device);
    if (g->attaches && !all_write) attach(g, op, state->stream);
    if (brings(g)) bring_data(g, op, index);
    else move_data(g, list, first_move, at, index);
    for (uint32_t i = 0; i < vertex->parent_count; i++) {
        const struct gsim_vertex *parent = &g->frontier.vertices[g->frontier.parents[vertex->parent_start + i]];
        if (!parent->finished && parent->stream_index != vertex->stream_index)
            gsim_stream_wait_event(g->driver, state->stream, parent->event);
    }
    if (g->run->memory != GSIM_MEMORY_MANAGED && !g->placing) wait_for_copies(g, op, index);
    gsim_op_issue(g->driver, op, state->stream);
    vertex->event = gsim_event_create(g->driver, GSIM_EVENT_TIMING);
    gsim_event_record(g->driver, vertex->event, state->stream);
    vertex->before = state->last_vertex;
    state->last_vertex = index;
    state->live_count++;
    g->live_count++;
}

/* --- host accesses -------------------------------------------------------------------------------------- */
static bool touches_global(const struct grsched *g, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++)
        if (g->buffers[op->args[a].buffer_index].visible_in == 0) return true;
    return false;
}

/* Of explicit memory on several GPUs: the host waits for what OP follows, then for the copies back. */
static void read_placed(struct grsched *g, const struct gsim_op *op)
{
    struct gsim_frontier *f = &g->frontier;
    for (size_t i = 0; i < f->candidate_count && !g->failed; i++)
        if (!f->vertices[f->candidates[i]].finished) sync_stream(g, f->vertices[f->candidates[i]].stream_index);
    g->bringer.count = 0;
    gsim_bringer_add(&g->bringer, op, 0);
    if (g->bringer.failed) g->failed = true;
    for (size_t i = 0; i + 1 < g->bringer.count; i++) {
        struct device_state *device = &g->devices[g->bringer.ops[i]->device];
        if (!device->copies) device->copies = create_stream(g, g->bringer.ops[i]->device);
        gsim_op_issue(g->driver, g->bringer.ops[i], device->copies);
        gsim_stream_synchronize(g->driver, device->copies);
    }
    gsim_op_issue(g->driver, op, 0);
}

static void access_on_host(struct grsched *g, const struct gsim_oplist *list, uint32_t first_move, uint32_t at)
{
    const struct gsim_op *op = list->ops[at];
    struct gsim_frontier *f = &g->frontier;
    if (g->placing) gsim_placing_note(g->placing, op, 0);
    struct gsim_op probe = *op;
    struct gsim_arg arg = op->arg_count ? op->args[0] : (struct gsim_arg){0};
    arg.declared_const = op->kind == GSIM_OP_HOST_READ;
    probe.args = &arg;
    gsim_frontier_find(f, &probe, false);
    /* Before Pascal the host may not touch globally visible data while any kernel runs. */
    if (g->attaches && g->live_count && op->arg_count && touches_global(g, op)) sync_device(g);
    if (brings(g)) {
        read_placed(g, op);
        return;
    }
    uint32_t carrier = f->candidate_count ? f->vertices[f->candidates[0]].stream_index : 0;
    gsim_stream stream = g->stream_count ? g->streams[carrier].stream : 0;
    if (first_move < at) /* the copy back follows all that made its data */
        for (size_t i = 1; i < f->candidate_count; i++) {
            const struct gsim_vertex *parent = &f->vertices[f->candidates[i]];
            if (!parent->finished && parent->stream_index != carrier)
                gsim_stream_wait_event(g->driver, stream, parent->event);
        }
    for (uint32_t m = first_move; m < at; m++) gsim_op_issue(g->driver, list->ops[m], stream);
    bool copied = first_move < at;
    for (size_t i = 0; i < f->candidate_count && !g->failed; i++) {
        const struct gsim_vertex *parent = &f->vertices[f->candidates[i]];
        if (parent->finished) continue;
        copied = copied && parent->stream_index != carrier;
        sync_stream(g, parent->stream_index);
    }
    if (copied) gsim_stream_synchronize(g->driver, stream);
    gsim_op_issue(g->driver, op, 0);
}

static void run_iteration(struct grsched *g, const struct gsim_oplist *list)
{
    uint32_t first_move = 0;
    for (uint32_t i = 0; i < list->op_count && !g->failed; i++) {
        if (gsim_op_is_move(g->run, list->ops[i])) continue;
        if (gsim_op_is_host(list->ops[i])) access_on_host(g, list, first_move, i);
        else launch(g, list, first_move, i);
        first_move = i + 1;
        if (g->frontier.failed) g->failed = true;
    }
    if (g->live_count) sync_device(g);
}

/* --- a program that is drawn ------------------------------------------------------------------------------ */
#define VERTICES_MOST 4096  /* are kept of finished work, or as many as are live */
#define LIVE_MOST     16384 /* of work that the host does not know to have finished */

static void forget_all(struct grsched *g, uint32_t buffer_count)
{
    gsim_frontier_reset(&g->frontier);
    for (uint32_t b = 0; b < buffer_count; b++) g->buffers[b].copy_owner = NONE;
    for (size_t s = 0; s < g->stream_count; s++) g->streams[s].last_vertex = NONE;
}

/* Memory grows with what is in flight: finished work is forgotten, and of a program that never waits the host does from
 * time to time. */
static void forget_finished(struct grsched *g)
{
    struct gsim_frontier *f = &g->frontier;
    if (g->live_count > LIVE_MOST) sync_device(g);
    if (g->failed || f->vertex_count <= VERTICES_MOST || f->vertex_count / 2 < g->live_count) return;
    for (size_t s = 0; s < g->stream_count; s++) gsim_frontier_skip_finished(f, &g->streams[s].last_vertex);
    const uint32_t *moved = gsim_frontier_compact(f);
    if (!moved) return;
    for (uint32_t b = 0; b < g->run->draw->tables->buffer_room; b++)
        if (g->buffers[b].copy_owner != NONE) g->buffers[b].copy_owner = moved[g->buffers[b].copy_owner];
    for (size_t s = 0; s < g->stream_count; s++)
        if (g->streams[s].last_vertex != NONE) g->streams[s].last_vertex = moved[g->streams[s].last_vertex];
}

static void look_at_buffers(struct grsched *g, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t b = op->args[a].buffer_index, generation = gsim_draw_generation(g->run->draw, b);
        if (g->buffers[b].generation == generation) continue;
        g->buffers[b] = (struct buffer_state){.copy_owner = NONE,
                                              .generation = generation}; /* with an event of its own, as in any place */
        gsim_frontier_forget(&g->frontier, b);
        if (g->placing) gsim_placing_forget(g->placing, b);
        if (brings(g)) gsim_bringer_forget(&g->bringer, b);
    }
}

static void leave_out(void *data, const struct gsim_op *op) { gsim_frontier_leave_out(data, op); }

static enum gsim_status draw(struct grsched *g, struct gsim_error *error)
{
    struct gsim_pull *pull = gsim_pull_create(g->run, true);
    struct gsim_oplist list;
    if (!pull) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_pull_tell(pull, leave_out, &g->frontier);
    gsim_iteration_begin(g->driver, 0);
    forget_all(g, g->run->draw->tables->buffer_room);
    while (!g->failed && gsim_pull_next(pull, &list)) {
        uint32_t last = list.op_count - 1;
        look_at_buffers(g, list.ops[last]);
        for (uint32_t m = 0; m < last && brings(g); m++)
            gsim_draw_ended(g->run->draw, list.ops[m], gsim_now_us(g->driver));
        if (gsim_op_is_host(list.ops[last])) access_on_host(g, &list, 0, last);
        else launch(g, &list, 0, last);
        forget_finished(g);
        if (g->frontier.failed) g->failed = true;
    }
    if (g->live_count) sync_device(g);
    gsim_iteration_end(g->driver, 0);
    enum gsim_status status = gsim_pull_status(pull, error);
    gsim_pull_destroy(pull);
    return status;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_lowering *lowering = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    run->state = lowering;
    if (run->draw) return GSIM_OK;
    return gsim_moves_lower(run, GSIM_MOVES_AUTOMATIC, lowering, error); /* it prefetches by itself */
}

static enum gsim_status open_devices(struct grsched *g, struct gsim_error *error)
{
    struct gsim_run *run = g->run;
    g->devices = GSIM_ARENA_ARRAY(run->arena, struct device_state, g->device_count);
    g->candidates = GSIM_ARENA_ARRAY(run->arena, uint32_t, 2 * (size_t)g->device_count);
    if (!g->devices || !g->candidates) return gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling");
    for (uint32_t d = 0; d < g->device_count; d++) {
        g->devices[d] = (struct device_state){.first_free = NONE, .last_free = NONE};
        g->candidates[d] = d;
    }
    if (g->device_count == 1) return GSIM_OK;
    gsim_peers_enable(run->driver);
    if (!(g->placing = gsim_placing_create(run, true, error))) return error->status;
    if (!brings(g) || gsim_bringer_init(&g->bringer, run)) return GSIM_OK;
    gsim_placing_release(g->placing);
    return gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling");
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_lowering *lowering = run->state;
    const struct grsched_params *params = run->params;
    struct grsched g = {
        .run = run, .params = params, .driver = run->driver, .device_count = run->placement ? run->device_count : 1};
    g.attaches = run->memory == GSIM_MEMORY_MANAGED &&
                 (params->attach == ATTACH_ALWAYS || (params->attach == ATTACH_AUTO && run->compute_capability < 60));
    g.buffers = GSIM_ARENA_ARRAY(run->arena, struct buffer_state,
                                 (size_t)(run->draw ? run->draw->tables->buffer_room : run->program->buffer_count) + 1);
    if (open_devices(&g, error)) return error->status;
    g.failed = !g.buffers || !gsim_frontier_init(&g.frontier, run->program, run->draw);
    if (!g.failed) {
        g.frontier.with_const = params->dependences == 0;
        g.frontier.filter = params->filter;
    }
    enum gsim_status status = run->draw && !g.failed ? draw(&g, error) : GSIM_OK;
    for (uint32_t i = 0; !run->draw && i < run->iterations && !g.failed && !gsim_driver_failed(run->driver); i++) {
        gsim_iteration_begin(run->driver, i);
        gsim_frontier_reset(&g.frontier);
        for (uint32_t b = 0; b < run->program->buffer_count; b++) g.buffers[b].copy_owner = NONE;
        for (size_t s = 0; s < g.stream_count; s++) g.streams[s].last_vertex = NONE;
        run_iteration(&g, i == 0 ? &lowering->first : &lowering->steady);
        gsim_iteration_end(run->driver, i);
    }
    gsim_frontier_release(&g.frontier);
    gsim_placing_release(g.placing);
    gsim_bringer_release(&g.bringer);
    gsim_free(g.streams);
    if (g.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling");
    return status ? status : gsim_run_status(run, error);
}

static const struct gsim_param params_table[] = {
    {"new_streams", GSIM_PARAM_CHOICE, offsetof(struct grsched_params, new_streams), STREAMS_ALWAYS_NEW, 0, 1, "",
     "always-new|reuse", "stream of a kernel without parents: a new one (published runs), or the longest free one"},
    {"parent_stream", GSIM_PARAM_CHOICE, offsetof(struct grsched_params, parent_stream), PARENT_DISJOINT, 0, 3, "",
     "disjoint|same-as-parent|multigpu-early-disjoint|multigpu-disjoint",
     "stream of a kernel with parents: the first parent's not yet inherited (published runs), or the first parent's; "
     "of several GPUs "
     "one on the GPU that the placement names, or names among those of such parents"},
    {"dependences", GSIM_PARAM_CHOICE, offsetof(struct grsched_params, dependences), 0, 0, 1, "", "with-const|no-const",
     "whether two const uses of an array are independent (published runs) or not"},
    {"filter", GSIM_PARAM_BOOL, offsetof(struct grsched_params, filter), 1, 0, 1, "", NULL,
     "drop parents that another parent already follows (with-const only)"},
    {"attach", GSIM_PARAM_CHOICE, offsetof(struct grsched_params, attach), ATTACH_ALWAYS, 0, 2, "", "always|auto|never",
     "cudaStreamAttachMemAsync of managed arrays: always (published runs force it), before Pascal only, never"},
    {"cost_us", GSIM_PARAM_REAL, offsetof(struct grsched_params, cost_us), 10, 0, 10000, "us", NULL,
     "run-time work per kernel beside its CUDA calls; median of stream assignment alone 1.9 to 9.5 in the authors' log "
     "(2 V100, 2023), 10 with graph and bookkeeping is our assumption"},
    {"cost_spread", GSIM_PARAM_REAL, offsetof(struct grsched_params, cost_spread), 0, 0, 3, "", NULL,
     "sigma of a lognormal factor on cost_us with median 1; 0.62 matches the log's 90th percentiles"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_grsched = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
    .name = "grsched",
    .summary = "GrCUDA's run-time scheduler: dependences from arguments, streams inherited from parents",
    .source = "GrCUDA, IPDPS 2021, arXiv 2012.09646; github.com/AlbertoParravicini/grcuda",
    .shape = GSIM_SHAPE_CONCURRENT,
    .places = true,
    .takes_source = true,
    .params_size = sizeof(struct grsched_params),
    .params = params_table,
    .prepare = prepare,
    .execute = execute,
};
