/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner of policies (include/gpusim/policy.h). An op is issued once the host knows that all it follows has ended,
 * to a stream of its own among those of its device; the host waits for whichever ends first. Dependences by declared
 * constness: frontier.h.
 */
#include "gpusim/policy.h"

#include <string.h>

#include "schedulers/shared/frontier.h"
#include "schedulers/shared/placedmoves.h"
#include "sim/program/draw.h"

#define NONE          UINT32_MAX
#define LIVE_MOST     4096 /* ops that are known and have not ended */
#define VERTICES_MOST 4096 /* are kept of finished work, or as many as are live */

struct slot {
    gsim_stream stream;
    gsim_event event;
    struct gsim_policy_op *op; /* NULL: it is free */
    uint32_t vertex;
};

struct node {
    uint32_t waits; /* for so many others */
    struct gsim_policy_op *op;
};

struct runner {
    struct gsim_run *run;
    struct gsim_driver *driver;
    const struct gsim_policy_ops *policy;
    const struct gsim_policy_params *params;
    struct gsim_policy_run view;
    struct gsim_frontier frontier;
    struct gsim_bringer bringer;     /* of explicit memory */
    struct node *nodes;              /* by vertex */
    size_t node_room;
    struct slot *slots;              /* depth of each device */
    gsim_stream *copies;             /* by device: to others; 0: not made yet */
    gsim_event *copied;              /* by buffer: of its last copy */
    uint32_t *generations;           /* of a program that is drawn */
    struct gsim_waitable *waitables;
    uint32_t slot_count, busy, live, number, buffer_room;
    struct gsim_policy_op *free_ops;
    bool is_managed, failed;
};

static uint32_t device_of(const struct runner *r, uint32_t slot) { return slot / (uint32_t)r->params->depth; }
static bool is_over(const struct runner *r) { return r->failed || gsim_driver_failed(r->driver); }

static gsim_stream create_stream(struct runner *r, uint32_t device)
{
    if (r->view.device_count > 1) gsim_device_set(r->driver, device);
    return gsim_stream_create(r->driver, 0);
}

/* --- issuing --- */

/* Copies of one buffer follow one another. */
static void copy(struct runner *r, const struct gsim_op *move, gsim_stream stream)
{
    gsim_event *event = &r->copied[move->args[0].buffer_index];
    if (move->copy_kind != GSIM_COPY_H2D) {
        if (!r->copies[move->device]) r->copies[move->device] = create_stream(r, move->device);
        stream = r->copies[move->device];
    }
    if (*event) gsim_stream_wait_event(r->driver, stream, *event);
    else *event = gsim_event_create(r->driver, GSIM_EVENT_NO_TIMING);
    gsim_op_issue(r->driver, move, stream);
    gsim_event_record(r->driver, *event, stream);
}

static void issue(struct runner *r, struct gsim_policy_op *op, uint32_t slot, uint32_t vertex)
{
    struct slot *s = &r->slots[slot];
    uint32_t device = device_of(r, slot);
    op->device = device;
    gsim_placing_note(r->view.placing, op->op, device);
    r->view.placing->busy_streams[device]++;
    if (!s->stream) s->stream = create_stream(r, device);
    r->bringer.count = 0;
    if (!r->is_managed) gsim_bringer_add(&r->bringer, op->op, device);
    r->failed |= r->bringer.failed;
    for (size_t i = 0; i + 1 < r->bringer.count; i++) copy(r, r->bringer.ops[i], s->stream);
    for (uint32_t a = 0; !r->is_managed && a < op->op->arg_count; a++)
        if (r->copied[op->op->args[a].buffer_index])
            gsim_stream_wait_event(r->driver, s->stream, r->copied[op->op->args[a].buffer_index]);
    gsim_op_issue(r->driver, op->op, s->stream);
    if (!s->event) s->event = gsim_event_create(r->driver, GSIM_EVENT_NO_TIMING);
    gsim_event_record(r->driver, s->event, s->stream);
    s->op = op;
    s->vertex = vertex;
    r->busy++;
}

/* Devices in turn, so that each has one op before any has two. */
static void fill(struct runner *r)
{
    uint32_t depth = (uint32_t)r->params->depth;
    for (uint32_t d = 0; d < depth; d++)
        for (uint32_t device = 0; device < r->view.device_count && !is_over(r); device++) {
            uint32_t slot = device * depth + d;
            struct gsim_policy_op *op = r->slots[slot].op ? NULL : r->policy->pop(&r->view, device);
            if (op) issue(r, op, slot, (uint32_t)(op->number)); /* numbers are vertices until some are forgotten */
        }
}

/* --- ends --- */

static void push(struct runner *r, uint32_t vertex)
{
    struct gsim_policy_op *op = r->nodes[vertex].op;
    op->ready_us = r->view.placing->now_us = gsim_now_us(r->driver);
    r->policy->push(&r->view, op);
}

static void end(struct runner *r, uint32_t slot)
{
    struct slot *s = &r->slots[slot];
    struct gsim_policy_op *op = s->op;
    uint32_t vertex = s->vertex;
    s->op = NULL;
    r->busy--;
    r->live--;
    r->view.placing->busy_streams[device_of(r, slot)]--;
    r->frontier.vertices[vertex].finished = true;
    if (r->policy->done) r->policy->done(&r->view, op);
    for (uint32_t c = r->frontier.vertices[vertex].first_child; c != NONE; c = r->frontier.children[c].next) {
        uint32_t child = r->frontier.children[c].vertex;
        if (!--r->nodes[child].waits) push(r, child);
    }
    op->next = r->free_ops;
    r->free_ops = op;
    if (r->params->cost_us > 0) gsim_host_work(r->driver, r->params->cost_us / 2, "run time");
}

/* Waits until one has ended; all that have ended by then are seen. False: nothing is there to wait for. */
static bool progress(struct runner *r)
{
    fill(r);
    if (!r->busy || is_over(r)) return false;
    uint32_t count = 0, first = 0;
    for (uint32_t i = 0; i < r->slot_count; i++)
        if (r->slots[i].op) r->waitables[count++] = (struct gsim_waitable){GSIM_WAITABLE_EVENT, r->slots[i].event};
    if (GSIM_DRIVER_HAS(r->driver, wait_any)) first = gsim_wait_any(r->driver, r->waitables, count, GSIM_NO_TIMEOUT);
    else gsim_event_synchronize(r->driver, r->waitables[0].handle);
    if (is_over(r) || first >= count) return false;
    for (uint32_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].op || r->slots[i].event != r->waitables[first].handle) continue;
        end(r, i);
        return true;
    }
    return false;
}

/* --- ops as they come --- */

static struct gsim_policy_op *new_op(struct runner *r, const struct gsim_op *op)
{
    struct gsim_policy_op *made = r->free_ops;
    if (made) r->free_ops = made->next;
    else if (!(made = GSIM_ARENA_NEW(r->run->arena, struct gsim_policy_op))) r->failed = true;
    if (made) *made = (struct gsim_policy_op){.op = op, .estimate_us = gsim_estimate_us(r->run, op)};
    return made;
}

static void submit(struct runner *r, const struct gsim_op *op)
{
    if (r->params->cost_us > 0) gsim_host_work(r->driver, r->params->cost_us / 2, "run time");
    gsim_frontier_find(&r->frontier, op, op->kind != GSIM_OP_KERNEL);
    uint32_t vertex = gsim_frontier_add(&r->frontier, op, op->kind != GSIM_OP_KERNEL);
    if (vertex == NONE ||
        (vertex >= r->node_room && gsim_array_grow(&r->nodes, sizeof *r->nodes, vertex, &r->node_room))) {
        r->failed = true;
        return;
    }
    struct gsim_policy_op *made = new_op(r, op);
    if (!made) return;
    made->number = vertex;
    r->nodes[vertex] = (struct node){r->frontier.vertices[vertex].parent_count, made};
    r->live++;
    if (!r->nodes[vertex].waits) push(r, vertex);
    while (r->live > LIVE_MOST && progress(r)) {}
}

static bool is_pending(const struct runner *r)
{
    for (size_t i = 0; i < r->frontier.candidate_count; i++)
        if (!r->frontier.vertices[r->frontier.candidates[i]].finished) return true;
    return false;
}

/* The host does its own op once all that it follows has ended, and the copies back have come. */
static void do_on_host(struct runner *r, const struct gsim_op *op)
{
    struct gsim_op probe = *op;
    struct gsim_arg arg = op->arg_count ? op->args[0] : (struct gsim_arg){0};
    arg.declared_const = op->kind == GSIM_OP_HOST_READ;
    probe.args = &arg;
    gsim_frontier_find(&r->frontier, &probe, false);
    while (is_pending(r) && progress(r)) {}
    gsim_placing_note(r->view.placing, op, 0);
    r->bringer.count = 0;
    if (!r->is_managed) gsim_bringer_add(&r->bringer, op, 0);
    r->failed |= r->bringer.failed;
    for (size_t i = 0; i + 1 < r->bringer.count; i++) {
        copy(r, r->bringer.ops[i], 0);
        gsim_event_synchronize(r->driver, r->copied[r->bringer.ops[i]->args[0].buffer_index]);
    }
    gsim_op_issue(r->driver, op, 0);
}

static void take(struct runner *r, const struct gsim_op *op)
{
    if (gsim_op_is_host(op)) do_on_host(r, op);
    else if (op->kind != GSIM_OP_PREFETCH || gsim_moves_keep_prefetches(r->run)) submit(r, op);
    else if (r->run->draw) gsim_frontier_leave_out(&r->frontier, op);
    r->failed |= r->frontier.failed;
}

static void drain(struct runner *r)
{
    while (r->live && progress(r)) {}
    if (r->live && !is_over(r)) GSIM_BUG("a policy holds %u ops back", r->live);
}

static void run_known(struct runner *r)
{
    for (uint32_t i = 0; i < r->run->iterations && !is_over(r); i++) {
        gsim_iteration_begin(r->driver, i);
        gsim_frontier_reset(&r->frontier);
        for (uint32_t o = 0; o < r->run->program->op_count && !is_over(r); o++) take(r, &r->run->program->ops[o]);
        drain(r);
        gsim_iteration_end(r->driver, i);
    }
}

static void look_at_buffers(struct runner *r, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t b = op->args[a].buffer_index, generation = gsim_draw_generation(r->run->draw, b);
        if (r->generations[b] == generation) continue;
        r->generations[b] = generation;
        r->copied[b] = 0;
        gsim_frontier_forget(&r->frontier, b);
        gsim_placing_forget(r->view.placing, b);
        if (!r->is_managed) gsim_bringer_forget(&r->bringer, b);
    }
}

/* Memory grows with what is in flight: when all has ended, all is forgotten. */
static void forget(struct runner *r)
{
    if (r->frontier.vertex_count <= VERTICES_MOST) return;
    drain(r);
    gsim_frontier_reset(&r->frontier);
}

static enum gsim_status run_drawn(struct runner *r, struct gsim_error *error)
{
    struct gsim_draw *draw = r->run->draw;
    gsim_iteration_begin(r->driver, 0);
    for (const struct gsim_op *op; !is_over(r) && (op = gsim_draw_op(draw));) {
        bool is_left = gsim_op_is_host(op) || (op->kind == GSIM_OP_PREFETCH && !gsim_moves_keep_prefetches(r->run));
        look_at_buffers(r, op);
        take(r, op);
        if (is_left) gsim_draw_ended(draw, op, gsim_now_us(r->driver));
        forget(r);
    }
    drain(r);
    gsim_iteration_end(r->driver, 0);
    return draw->error.status
               ? gsim_error_set(error, draw->error.status, "%s: %s", draw->source->name, draw->error.message)
               : GSIM_OK;
}

/* --- the run --- */

static enum gsim_status default_placement(struct gsim_run *run, struct gsim_error *error)
{
    if (!run->placement) run->placement = gsim_placement_find("dmda");
    if (run->placement_params || !run->placement->params) return GSIM_OK;
    void *params = gsim_arena_alloc(run->arena, run->placement->params_size);
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_params_set_defaults(run->placement->params, params);
    run->placement_params = params;
    return GSIM_OK;
}

static bool make_tables(struct runner *r)
{
    struct gsim_arena *arena = r->run->arena;
    r->buffer_room = r->run->draw ? r->run->draw->tables->buffer_room : r->run->program->buffer_count;
    r->slot_count = r->view.device_count * (uint32_t)r->params->depth;
    r->slots = GSIM_ARENA_ARRAY(arena, struct slot, r->slot_count);
    r->waitables = GSIM_ARENA_ARRAY(arena, struct gsim_waitable, r->slot_count);
    r->copies = GSIM_ARENA_ARRAY(arena, gsim_stream, r->view.device_count);
    r->copied = GSIM_ARENA_ARRAY(arena, gsim_event, (size_t)r->buffer_room + 1);
    r->generations = GSIM_ARENA_ARRAY(arena, uint32_t, (size_t)r->buffer_room + 1);
    if (arena->failed || !gsim_frontier_init(&r->frontier, r->run->program, r->run->draw)) return false;
    return r->is_managed || gsim_bringer_init(&r->bringer, r->run);
}

enum gsim_status gsim_policy_execute(struct gsim_run *run, const struct gsim_policy_ops *policy,
                                     struct gsim_error *error)
{
    struct runner r = {.run = run,
                       .driver = run->driver,
                       .policy = policy,
                       .params = run->params,
                       .is_managed = run->memory == GSIM_MEMORY_MANAGED};
    if (!run->device_count) run->device_count = 1;
    enum gsim_status status = default_placement(run, error);
    r.view = (struct gsim_policy_run){.run = run, .params = run->params, .device_count = run->device_count};
    if (!status && !(r.view.placing = gsim_placing_create(run, false, error))) status = error->status;
    if (!status && !make_tables(&r)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling");
    if (!status && policy->init) status = policy->init(&r.view, error);
    if (!status) {
        gsim_peers_enable(run->driver);
        if (run->draw) status = run_drawn(&r, error);
        else run_known(&r);
    }
    gsim_frontier_release(&r.frontier);
    gsim_bringer_release(&r.bringer);
    gsim_placing_release(r.view.placing);
    gsim_free(r.nodes);
    if (status) return status;
    return r.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling") : gsim_run_status(run, error);
}
