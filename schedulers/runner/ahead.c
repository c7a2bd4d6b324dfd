/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ops that are issued as they come (runner.h): to the stream that the policy names, behind events of what they follow
 * elsewhere. The host knows of an end by synchronising: then all that the op followed has ended, too.
 */
#include "schedulers/runner/runner.h"

#include "sim/program/draw.h"

#define NONE GSIM_NO_VERTEX

struct gsim_policy_stream *gsim_policy_new_stream(struct gsim_policy_run *p, uint32_t device)
{
    struct gsim_runner *r = p->runner;
    struct gsim_policy_stream *own = GSIM_ARENA_NEW(p->run->arena, struct gsim_policy_stream);
    if (!own || gsim_array_grow(&r->streams, sizeof *r->streams, r->stream_count, &r->stream_room))
        return NULL;
    *own = (struct gsim_policy_stream){(uint32_t)r->stream_count, device, NULL};
    r->streams[r->stream_count++] = (struct gsim_runner_stream){own, gsim_runner_make_stream(r, device), NONE, 0};
    return own;
}

/* --- ends, as far as the host knows --- */

static void end(struct gsim_runner *r, uint32_t index)
{
    struct gsim_frontier *f = &r->frontier;
    f->stack_count = 0;
    for (uint32_t v = index; v != NONE; v = f->stack_count ? f->stack[--f->stack_count] : NONE) {
        struct gsim_vertex *vertex = &f->vertices[v];
        struct gsim_runner_stream *stream = &r->streams[vertex->stream_index];
        if (vertex->finished) continue;
        gsim_event_destroy(r->driver, vertex->event);
        gsim_runner_end(r, v);
        if (!--stream->live) {
            if (r->view.placing) r->view.placing->busy_streams[stream->own->device]--;
            if (r->policy->rested) r->policy->rested(&r->view, stream->own);
        }
        for (uint32_t i = 0; i < vertex->parent_count; i++) {
            if (!GSIM_APPEND(f->stack, f->stack_count, f->stack_capacity, f->parents[vertex->parent_start + i])) {
                r->failed = true;
                return;
            }
        }
    }
}

static void end_stream(struct gsim_runner *r, const struct gsim_runner_stream *s)
{
    for (uint32_t v = s->last_vertex; v != NONE && s->live && !r->failed; v = r->frontier.vertices[v].before)
        end(r, v);
}

static void synchronize_stream(struct gsim_runner *r, const struct gsim_runner_stream *s)
{
    gsim_stream_synchronize(r->driver, s->handle);
    end_stream(r, s);
}

void gsim_ahead_drain(struct gsim_runner *r)
{
    if (!r->live) return;
    for (uint32_t d = 0; d < r->view.device_count; d++) {
        if (r->view.device_count > 1) gsim_device_set(r->driver, d);
        gsim_device_synchronize(r->driver);
    }
    for (size_t s = 0; s < r->stream_count && r->live && !r->failed; s++) end_stream(r, &r->streams[s]);
}

void gsim_ahead_renumber(struct gsim_runner *r, const uint32_t *moved)
{
    for (uint32_t b = 0; b < r->buffer_room; b++)
        if (!moved) r->buffers[b].copy_owner = NONE;
        else if (r->buffers[b].copy_owner != NONE) r->buffers[b].copy_owner = moved[r->buffers[b].copy_owner];
    for (size_t s = 0; s < r->stream_count; s++)
        if (!moved) r->streams[s].last_vertex = NONE;
        else if (r->streams[s].last_vertex != NONE) r->streams[s].last_vertex = moved[r->streams[s].last_vertex];
}

/* --- device work --- */

/* Arrays that kernels may write belong to the kernel's stream; const ones are visible to all. */
static void attach(struct gsim_runner *r, const struct gsim_op *op, gsim_stream stream)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct gsim_runner_buffer *buffer = &r->buffers[op->args[a].buffer_index];
        gsim_stream wanted = op->args[a].declared_const ? 0 : stream;
        if (buffer->visible_in == wanted) continue;
        gsim_stream_attach(r->driver, op->args[a].buffer_index, wanted);
        buffer->visible_in = wanted;
    }
}

static void issue_moves(struct gsim_runner *r, uint32_t vertex, gsim_stream stream)
{
    for (size_t m = 0; m < r->move_count; m++) {
        const struct gsim_op *move = r->moves[m];
        struct gsim_runner_buffer *buffer = &r->buffers[move->args[0].buffer_index];
        bool is_prefetch = move->kind == GSIM_OP_PREFETCH;
        if (is_prefetch && r->run->compute_capability < 60) { /* no demand paging to anticipate */
            if (r->run->draw) gsim_draw_ended(r->run->draw, move, gsim_now_us(r->driver));
            continue;
        }
        gsim_op_issue(r->driver, move, stream);
        if (is_prefetch) continue;
        if (!buffer->copied) buffer->copied = gsim_event_create(r->driver, GSIM_EVENT_TIMING);
        gsim_event_record(r->driver, buffer->copied, stream);
        buffer->copy_owner = vertex;
    }
}

/* A const user need not follow the earlier const user whose stream carries the copy, but must follow the copy. */
static void wait_for_copies(struct gsim_runner *r, const struct gsim_op *op, uint32_t vertex, gsim_stream stream)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        const struct gsim_runner_buffer *buffer = &r->buffers[op->args[a].buffer_index];
        if (buffer->copy_owner == NONE || buffer->copy_owner == vertex) continue;
        const struct gsim_vertex *owner = &r->frontier.vertices[buffer->copy_owner];
        if (owner->finished || owner->stream_index == r->frontier.vertices[vertex].stream_index) continue;
        gsim_stream_wait_event(r->driver, stream, buffer->copied);
    }
}

static const struct gsim_policy_stream *choose_stream(struct gsim_runner *r, uint32_t index)
{
    const struct gsim_vertex *vertex = &r->frontier.vertices[index];
    struct gsim_policy_op *op = r->nodes[index].op;
    for (uint32_t i = 0; i < vertex->parent_count; i++) {
        if (gsim_array_grow(&r->parents, sizeof(struct gsim_policy_op *), i, &r->parent_room)) return NULL;
        r->parents[i] = r->nodes[r->frontier.parents[vertex->parent_start + i]].op;
    }
    op->parents = r->parents;
    op->parent_count = vertex->parent_count;
    return op->stream = r->policy->stream(&r->view, op);
}

/* Order of one launch: graph, stream, attach, moves, waits, launch, event. */
void gsim_ahead_launch(struct gsim_runner *r, const struct gsim_op *op)
{
    if (r->policy->came) r->policy->came(&r->view);
    uint32_t index = gsim_runner_add(r, op);
    const struct gsim_policy_stream *chosen = index == NONE ? NULL : choose_stream(r, index);
    if (!chosen) {
        r->failed = true;
        return;
    }
    struct gsim_vertex *vertex = &r->frontier.vertices[index];
    struct gsim_runner_stream *stream = &r->streams[chosen->number];
    vertex->stream_index = chosen->number;
    r->nodes[index].op->device = chosen->device;
    if (r->view.placing) gsim_placing_note(r->view.placing, op, chosen->device);
    if (r->view.attaches && op->kind == GSIM_OP_KERNEL) attach(r, op, stream->handle);
    if (r->brings) gsim_runner_bring(r, op, index, chosen->device, stream->handle);
    else issue_moves(r, index, stream->handle);
    for (uint32_t i = 0; i < vertex->parent_count; i++) {
        const struct gsim_vertex *parent = &r->frontier.vertices[r->frontier.parents[vertex->parent_start + i]];
        if (!parent->finished && parent->stream_index != chosen->number)
            gsim_stream_wait_event(r->driver, stream->handle, parent->event);
    }
    if (!r->is_managed && !r->brings) wait_for_copies(r, op, index, stream->handle);
    gsim_op_issue(r->driver, op, stream->handle);
    vertex->event = gsim_event_create(r->driver, GSIM_EVENT_TIMING);
    gsim_event_record(r->driver, vertex->event, stream->handle);
    vertex->before = stream->last_vertex;
    stream->last_vertex = index;
    if (!stream->live++ && r->view.placing) r->view.placing->busy_streams[chosen->device]++;
}

/* --- the host --- */

static bool touches_global(const struct gsim_runner *r, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++)
        if (!r->buffers[op->args[a].buffer_index].visible_in) return true;
    return false;
}

void gsim_ahead_wait(struct gsim_runner *r, const struct gsim_op *op)
{
    const struct gsim_frontier *f = &r->frontier;
    /* Before Pascal the host may not touch globally visible data while any kernel runs. */
    if (r->view.attaches && op->arg_count && touches_global(r, op)) gsim_ahead_drain(r);
    uint32_t carrier = f->candidate_count ? f->vertices[f->candidates[0]].stream_index : 0;
    gsim_stream stream = r->stream_count ? r->streams[carrier].handle : 0;
    bool copied = r->move_count > 0;
    for (size_t i = 1; copied && i < f->candidate_count; i++) { /* the copy back follows all that made its data */
        const struct gsim_vertex *parent = &f->vertices[f->candidates[i]];
        if (!parent->finished && parent->stream_index != carrier)
            gsim_stream_wait_event(r->driver, stream, parent->event);
    }
    for (size_t m = 0; m < r->move_count; m++) gsim_op_issue(r->driver, r->moves[m], stream);
    for (size_t i = 0; i < f->candidate_count && !r->failed; i++) {
        const struct gsim_vertex *parent = &f->vertices[f->candidates[i]];
        if (parent->finished) continue;
        copied = copied && parent->stream_index != carrier;
        synchronize_stream(r, &r->streams[parent->stream_index]);
    }
    if (copied) gsim_stream_synchronize(r->driver, stream);
}
