/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See schedulers/runner/runner.h. An op that waits is issued once the host knows that all it follows has ended, to a
 * stream of its own among those of its device; the host waits for whichever ends first.
 */
#include "schedulers/runner/runner.h"

#include "sim/program/draw.h"

#define NONE          GSIM_NO_VERTEX
#define LIVE_MAX      4096  /* ops that are known and have not ended */
#define AHEAD_MAX    16384 /* of those that are issued ahead: then the host waits for all */
#define VERTICES_MAX 4096  /* are kept of finished work, or as many as are live */

struct gsim_runner_slot {
    gsim_stream stream;
    gsim_event event;
    struct gsim_policy_op *op; /* NULL: it is free */
};

static bool is_over(const struct gsim_runner *r)
{
    return r->failed || r->view.error.status || gsim_driver_failed(r->driver);
}

gsim_stream gsim_runner_make_stream(struct gsim_runner *r, uint32_t device)
{
    if (r->view.device_count > 1) gsim_device_set(r->driver, device);
    return gsim_stream_create(r->driver, 0);
}

/* --- ops as vertices --- */

uint32_t gsim_runner_add(struct gsim_runner *r, const struct gsim_op *op)
{
    bool all_write = op->kind != GSIM_OP_KERNEL;
    gsim_frontier_find(&r->frontier, op, all_write);
    uint32_t vertex = gsim_frontier_add(&r->frontier, op, all_write);
    if (vertex == NONE || gsim_array_grow(&r->nodes, sizeof *r->nodes, vertex, &r->node_room)) return NONE;
    struct gsim_policy_op *made = r->free_ops;
    if (made) r->free_ops = made->next;
    else if (!(made = GSIM_ARENA_NEW(r->run->arena, struct gsim_policy_op))) return NONE;
    *made = (struct gsim_policy_op){.op = op, .number = vertex, .estimate_us = gsim_estimate_us(r->run, op)};
    r->nodes[vertex] = (struct gsim_runner_node){r->frontier.vertices[vertex].parent_count, made};
    r->live++;
    return vertex;
}

static void push(struct gsim_runner *r, uint32_t vertex)
{
    struct gsim_policy_op *op = r->nodes[vertex].op;
    op->ready_us = r->view.placing->now_us = gsim_now_us(r->driver);
    r->policy->push(&r->view, op);
}

void gsim_runner_end(struct gsim_runner *r, uint32_t vertex)
{
    struct gsim_policy_op *op = r->nodes[vertex].op;
    r->live--;
    r->frontier.vertices[vertex].finished = true;
    if (r->policy->done) r->policy->done(&r->view, op);
    for (uint32_t c = r->frontier.vertices[vertex].first_child; c != NONE && !r->is_ahead;
         c = r->frontier.children[c].next)
        if (!--r->nodes[r->frontier.children[c].vertex].waits) push(r, r->frontier.children[c].vertex);
    op->next = r->free_ops;
    r->free_ops = op;
}

/* --- data --- */

/* Copies of one buffer follow one another; between GPUs also what made the data, in whatever stream. STREAM: of copies
 * from the host. Returns the stream; records the event unless the host waits for the stream. */
static gsim_stream copy(struct gsim_runner *r, const struct gsim_op *move, const struct gsim_vertex *v,
                        gsim_stream stream)
{
    gsim_event *event = &r->buffers[move->args[0].buffer_index].copied;
    bool is_awaited = r->is_ahead && move->copy_kind == GSIM_COPY_D2H;
    if (move->copy_kind != GSIM_COPY_H2D) {
        if (!r->copies[move->device]) r->copies[move->device] = gsim_runner_make_stream(r, move->device);
        stream = r->copies[move->device];
        for (uint32_t i = 0; v && i < v->parent_count; i++) {
            const struct gsim_vertex *parent = &r->frontier.vertices[r->frontier.parents[v->parent_start + i]];
            if (!parent->finished) gsim_stream_wait_event(r->driver, stream, parent->event);
        }
    }
    if (*event) gsim_stream_wait_event(r->driver, stream, *event);
    else if (!is_awaited) *event = gsim_event_create(r->driver, r->is_ahead ? GSIM_EVENT_TIMING : GSIM_EVENT_NO_TIMING);
    gsim_op_issue(r->driver, move, stream);
    if (!is_awaited) gsim_event_record(r->driver, *event, stream);
    return stream;
}

void gsim_runner_bring(struct gsim_runner *r, const struct gsim_op *op, uint32_t vertex, uint32_t device,
                       gsim_stream stream)
{
    r->bringer.count = 0;
    gsim_bringer_add(&r->bringer, op, device);
    r->failed |= r->bringer.failed;
    for (size_t i = 0; i + 1 < r->bringer.count; i++)
        copy(r, r->bringer.ops[i], &r->frontier.vertices[vertex], stream);
    for (uint32_t a = 0; a < op->arg_count; a++) {
        gsim_event copied = r->buffers[op->args[a].buffer_index].copied;
        if (copied) gsim_stream_wait_event(r->driver, stream, copied);
    }
}

static void bring_back(struct gsim_runner *r, const struct gsim_op *op)
{
    r->bringer.count = 0;
    gsim_bringer_add(&r->bringer, op, 0);
    r->failed |= r->bringer.failed;
    for (size_t i = 0; i + 1 < r->bringer.count; i++) {
        gsim_stream stream = copy(r, r->bringer.ops[i], NULL, 0);
        if (r->is_ahead) gsim_stream_synchronize(r->driver, stream);
        else gsim_event_synchronize(r->driver, r->buffers[r->bringer.ops[i]->args[0].buffer_index].copied);
    }
}

/* --- ops that wait --- */

static uint32_t device_of(const struct gsim_runner *r, uint32_t slot) { return slot / (uint32_t)r->params->depth; }

static void issue(struct gsim_runner *r, struct gsim_policy_op *op, uint32_t slot)
{
    struct gsim_runner_slot *s = &r->slots[slot];
    uint32_t device = op->device = device_of(r, slot);
    gsim_placing_note(r->view.placing, op->op, device);
    r->view.placing->busy_streams[device]++;
    if (!s->stream) s->stream = gsim_runner_make_stream(r, device);
    if (r->brings) gsim_runner_bring(r, op->op, op->number, device, s->stream);
    gsim_op_issue(r->driver, op->op, s->stream);
    if (!s->event) s->event = gsim_event_create(r->driver, GSIM_EVENT_NO_TIMING);
    gsim_event_record(r->driver, s->event, s->stream);
    s->op = op;
    r->busy++;
}

/* Devices in turn, so that each has one op before any has two. */
static void fill(struct gsim_runner *r)
{
    uint32_t depth = (uint32_t)r->params->depth;
    for (uint32_t d = 0; d < depth; d++)
        for (uint32_t device = 0; device < r->view.device_count && !is_over(r); device++) {
            uint32_t slot = device * depth + d;
            struct gsim_policy_op *op = r->slots[slot].op ? NULL : r->policy->pop(&r->view, device);
            if (op) issue(r, op, slot);
        }
}

static void end(struct gsim_runner *r, uint32_t slot)
{
    struct gsim_policy_op *op = r->slots[slot].op;
    r->slots[slot].op = NULL;
    r->busy--;
    r->view.placing->busy_streams[device_of(r, slot)]--;
    gsim_runner_end(r, op->number);
    if (r->params->cost_us > 0) gsim_host_work(r->driver, r->params->cost_us / 2, "run time");
}

/* Waits until one has ended; all that have ended by then are seen. False: nothing is there to wait for. */
static bool progress(struct gsim_runner *r)
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

static void submit(struct gsim_runner *r, const struct gsim_op *op)
{
    if (r->params->cost_us > 0) gsim_host_work(r->driver, r->params->cost_us / 2, "run time");
    uint32_t vertex = gsim_runner_add(r, op);
    if (vertex == NONE) {
        r->failed = true;
        return;
    }
    if (!r->nodes[vertex].waits) push(r, vertex);
    while (r->live > LIVE_MAX && progress(r)) {}
}

static bool is_pending(const struct gsim_runner *r)
{
    for (size_t i = 0; i < r->frontier.candidate_count; i++)
        if (!r->frontier.vertices[r->frontier.candidates[i]].finished) return true;
    return false;
}

static void drain(struct gsim_runner *r)
{
    if (r->is_ahead) gsim_ahead_drain(r);
    while (!r->is_ahead && r->live && progress(r)) {}
    if (r->live && !is_over(r))
        gsim_error_set(&r->view.error, GSIM_INPUT, "the policy gives no op, and %u are left", r->live);
}

/* --- ops as they come --- */

/* The host does its own op once all that it follows has ended, and the copies back have come. */
static void do_on_host(struct gsim_runner *r, const struct gsim_op *op)
{
    struct gsim_op probe = *op;
    struct gsim_arg arg = op->arg_count ? op->args[0] : (struct gsim_arg){0};
    arg.declared_const = op->kind == GSIM_OP_HOST_READ;
    probe.args = &arg;
    gsim_frontier_find(&r->frontier, &probe, false);
    if (r->is_ahead) gsim_ahead_wait(r, op);
    else while (is_pending(r) && progress(r)) {}
    if (r->view.placing) gsim_placing_note(r->view.placing, op, 0);
    if (r->brings) bring_back(r, op);
    gsim_op_issue(r->driver, op, 0);
}

/* Of the program's prefetches, those that nobody follows; who issues ahead prefetches by a rule of its own. */
static bool is_left_out(const struct gsim_runner *r, const struct gsim_op *op)
{
    return op->kind == GSIM_OP_PREFETCH && (r->is_ahead || !gsim_moves_keep_prefetches(r->run));
}

static void issue_op(struct gsim_runner *r, const struct gsim_op *op)
{
    r->move_count = 0;
    r->failed |= r->walk && !gsim_moves_walk_add(r->walk, op, &r->moves, &r->move_count, &r->move_room);
    if (r->failed) return;
    if (gsim_op_is_host(op)) do_on_host(r, op);
    else if (is_left_out(r, op) && r->run->draw) gsim_frontier_leave_out(&r->frontier, op);
    else if (r->is_ahead && !is_left_out(r, op)) gsim_ahead_launch(r, op);
    else if (!is_left_out(r, op)) submit(r, op);
    r->failed |= r->frontier.failed;
}

static void forget_all(struct gsim_runner *r)
{
    gsim_frontier_reset(&r->frontier);
    if (r->is_ahead) gsim_ahead_renumber(r, NULL);
}

static void run_known(struct gsim_runner *r)
{
    for (uint32_t b = 0; r->walk && b < r->buffer_room; b++) gsim_moves_walk_begin(r->walk, b);
    for (uint32_t i = 0; i < r->run->iterations && !is_over(r); i++) {
        gsim_iteration_begin(r->driver, i);
        forget_all(r);
        if (r->walk) gsim_moves_walk_restart(r->walk);
        for (uint32_t o = 0; o < r->run->program->op_count && !is_over(r); o++) issue_op(r, &r->run->program->ops[o]);
        drain(r);
        gsim_iteration_end(r->driver, i);
    }
}

/* --- a program that is drawn --- */

/* Another buffer may have got the place. */
static void check_generation(struct gsim_runner *r, uint32_t b)
{
    uint32_t generation = gsim_draw_generation(r->run->draw, b);
    if (r->buffers[b].generation == generation) return;
    r->buffers[b] = (struct gsim_runner_buffer){.generation = generation, .copy_owner = NONE};
    gsim_frontier_forget(&r->frontier, b);
    if (r->walk) gsim_moves_walk_begin(r->walk, b);
    if (r->view.placing) gsim_placing_forget(r->view.placing, b);
    if (r->brings) gsim_bringer_forget(&r->bringer, b);
}

static void check_generations(struct gsim_runner *r, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) check_generation(r, op->args[a].buffer_index);
    for (uint32_t b = 0; op->is_unknown && b < r->run->program->buffer_count; b++)
        if (gsim_draw_owns(r->run->draw, b)) check_generation(r, b);
}

/* Memory grows with what is in flight: finished work is forgotten, and of a program that never waits the host does from
 * time to time. */
static void forget(struct gsim_runner *r)
{
    struct gsim_frontier *f = &r->frontier;
    if (r->live > AHEAD_MAX) drain(r);
    if (r->failed || f->vertex_count <= VERTICES_MAX || f->vertex_count / 2 < r->live) return;
    for (size_t s = 0; s < r->stream_count; s++) gsim_frontier_skip_finished(f, &r->streams[s].last_vertex);
    uint32_t count = (uint32_t)f->vertex_count;
    const uint32_t *moved = gsim_frontier_compact(f);
    for (uint32_t v = 0; moved && v < count; v++) {
        if (moved[v] == NONE) continue;
        r->nodes[moved[v]] = r->nodes[v];
        r->nodes[moved[v]].op->number = moved[v];
    }
    if (moved && r->is_ahead) gsim_ahead_renumber(r, moved);
    r->failed |= f->failed;
}

static enum gsim_status run_drawn(struct gsim_runner *r, struct gsim_error *error)
{
    struct gsim_draw *draw = r->run->draw;
    gsim_iteration_begin(r->driver, 0);
    forget_all(r);
    for (const struct gsim_op *op; !is_over(r) && (op = gsim_draw_op(draw));) {
        bool ends = gsim_op_is_host(op) || is_left_out(r, op);
        check_generations(r, op);
        issue_op(r, op);
        if (ends) gsim_draw_ended(draw, op, gsim_now_us(r->driver));
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
    if (!params) return gsim_no_memory(error);
    gsim_params_set_defaults(run->placement->params, params);
    run->placement_params = params;
    return GSIM_OK;
}

static bool make_tables(struct gsim_runner *r)
{
    struct gsim_arena *arena = r->run->arena;
    r->buffer_room = r->run->draw ? r->run->draw->tables->buffer_room : r->run->program->buffer_count;
    r->buffers = GSIM_ARENA_ARRAY(arena, struct gsim_runner_buffer, (size_t)r->buffer_room + 1);
    r->copies = GSIM_ARENA_ARRAY(arena, gsim_stream, r->view.device_count);
    r->slot_count = r->is_ahead ? 0 : r->view.device_count * (uint32_t)r->params->depth;
    r->slots = GSIM_ARENA_ARRAY(arena, struct gsim_runner_slot, r->slot_count);
    r->waitables = GSIM_ARENA_ARRAY(arena, struct gsim_waitable, r->slot_count);
    if (arena->failed || !gsim_frontier_init(&r->frontier, r->run->program, r->run->draw)) return false;
    r->frontier.with_const = !r->view.ignores_const;
    r->frontier.filter = !r->view.keeps_parents;
    r->brings = !r->is_managed && r->view.placing;
    if (r->brings) return gsim_bringer_init(&r->bringer, r->run);
    return !r->is_ahead || (r->walk = gsim_moves_walk_create(r->run, r->buffer_room, true));
}

enum gsim_status gsim_policy_execute(struct gsim_run *run, const struct gsim_policy_ops *policy,
                                     struct gsim_error *error)
{
    struct gsim_runner r = {.run = run,
                            .driver = run->driver,
                            .policy = policy,
                            .params = run->params,
                            .is_ahead = policy->stream,
                            .is_managed = run->memory == GSIM_MEMORY_MANAGED};
    enum gsim_status status = GSIM_OK;
    if (!run->device_count) run->device_count = 1;
    if (!r.is_ahead) status = default_placement(run, error);
    r.view = (struct gsim_policy_run){.run = run, .params = run->params, .runner = &r};
    r.view.device_count = run->placement ? run->device_count : 1;
    if (!status && policy->init) status = policy->init(&r.view, error);
    if (!status && (!r.is_ahead || r.view.device_count > 1) &&
        !(r.view.placing = gsim_placing_create(run, r.view.by_declaration, error)))
        status = error->status;
    if (!status && !make_tables(&r)) r.failed = true;
    if (!status && !r.failed) {
        if (r.view.device_count > 1) gsim_peers_enable(run->driver);
        if (run->draw) status = run_drawn(&r, error);
        else run_known(&r);
    }
    gsim_frontier_release(&r.frontier);
    gsim_bringer_release(&r.bringer);
    gsim_moves_walk_destroy(r.walk);
    gsim_placing_release(r.view.placing);
    void *owned[] = {r.nodes, r.moves, r.streams, r.parents};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) gsim_free(owned[i]);
    if (status) return status;
    if (r.view.error.status) return gsim_error_set(error, r.view.error.status, "%s", r.view.error.message);
    return r.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling") : gsim_run_status(run, error);
}
