/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan builder: walks the issue order once and turns every dependence into stream order, an event or a
 * host synchronisation. The executor is planrun.c.
 */
#include "gpusim/schedulers/plan.h"

#include <string.h>

#define NONE UINT32_MAX

struct numbers {
    uint32_t *items;
    size_t count, capacity;
};

struct builder {
    const struct gsim_plan_choice *choice;
    const struct gsim_dag *dag;
    struct gsim_plan *plan;
    uint32_t *position;  /* per node: place in its stream, from 1; 0: not issued yet */
    uint32_t *step_of;   /* per node */
    uint32_t *previous;  /* per node: the node before it in its stream, NONE for none */
    uint32_t *event_of;  /* per node: its event, NONE for none (not with event_per_edge) */
    uint32_t *tail;      /* per stream: its latest node */
    uint32_t *host_seen; /* per stream: positions up to here are complete in the host's eyes */
    uint32_t *best;      /* per stream: the kept predecessor of the current node, and for which node */
    uint32_t *best_for;
    uint32_t *column;    /* GSIM_PRUNE_CLOCK: per stream that has ops, its place among these; there are column_count */
    uint32_t *clock;     /* column_count x column_count, what each of them has observed */
    uint32_t *snapshot;  /* per node: row in snapshots, NONE for none */
    uint32_t column_count;
    struct numbers snapshots;
    struct numbers waits, wait_nodes, syncs, recorded, stack, kept;
    bool failed;
};

static void push(struct builder *b, struct numbers *list, uint32_t item)
{
    if (list->count == list->capacity &&
        gsim_array_grow(&list->items, sizeof(*list->items), list->count, &list->capacity)) {
        b->failed = true;
        return;
    }
    list->items[list->count++] = item;
}

static bool host_has_seen(const struct builder *b, uint32_t node)
{
    return b->position[node] <= b->host_seen[b->choice->stream_of[node]];
}

/* The host knows that NODE is complete: so is all before it in its stream and all that these waited for.
 * Every node is passed once per plan. */
static void host_sees(struct builder *b, uint32_t node)
{
    b->stack.count = 0;
    push(b, &b->stack, node);
    while (b->stack.count && !b->failed) {
        uint32_t top = b->stack.items[--b->stack.count];
        uint32_t stream = b->choice->stream_of[top], from = b->host_seen[stream];
        if (b->position[top] <= from) continue;
        b->host_seen[stream] = b->position[top];
        for (uint32_t n = top; n != NONE && b->position[n] > from; n = b->previous[n]) {
            uint32_t step = b->step_of[n];
            for (uint32_t w = b->plan->wait_start[step]; w < b->plan->wait_start[step + 1]; w++)
                if (!host_has_seen(b, b->wait_nodes.items[w])) push(b, &b->stack, b->wait_nodes.items[w]);
        }
    }
}

static void sync_host(struct builder *b, uint32_t node)
{
    const struct gsim_dag *dag = b->dag;
    for (uint32_t e = dag->pred_start[node]; e < dag->pred_start[node + 1] && !b->failed; e++) {
        uint32_t pred = dag->preds[e];
        if (gsim_op_is_host(b->choice->list->ops[pred]) || host_has_seen(b, pred)) continue;
        uint32_t stream = b->choice->stream_of[pred];
        push(b, &b->syncs, b->choice->device_syncs ? GSIM_PLAN_DEVICE : stream);
        if (!b->choice->device_syncs) {
            host_sees(b, b->tail[stream]);
            continue;
        }
        for (uint32_t s = 0; s < b->choice->stream_count; s++)
            if (b->tail[s] != NONE) b->host_seen[s] = b->position[b->tail[s]];
    }
}

static uint32_t *clock_of(struct builder *b, uint32_t stream)
{
    return b->clock + (size_t)b->column[stream] * b->column_count;
}

static void observe(struct builder *b, uint32_t stream, uint32_t pred)
{
    if (!b->clock) return;
    uint32_t *clock = clock_of(b, stream), from = b->column[b->choice->stream_of[pred]];
    const uint32_t *seen = b->snapshots.items + (size_t)b->snapshot[pred] * b->column_count;
    for (uint32_t s = 0; s < b->column_count; s++)
        if (seen[s] > clock[s]) clock[s] = seen[s];
    if (b->position[pred] > clock[from]) clock[from] = b->position[pred];
}

static void add_wait(struct builder *b, uint32_t stream, uint32_t pred)
{
    uint32_t event = b->choice->event_per_edge ? NONE : b->event_of[pred];
    if (b->clock && clock_of(b, stream)[b->column[b->choice->stream_of[pred]]] >= b->position[pred]) return;
    if (event == NONE) {
        event = b->plan->event_count++;
        b->event_of[pred] = event;
        push(b, &b->recorded, b->step_of[pred]);
    }
    push(b, &b->waits, event);
    push(b, &b->wait_nodes, pred);
    observe(b, stream, pred);
}

static void wait_for_preds(struct builder *b, uint32_t node, uint32_t stream)
{
    const struct gsim_plan_choice *choice = b->choice;
    const struct gsim_dag *dag = b->dag;
    b->kept.count = 0;
    for (uint32_t e = dag->pred_start[node]; e < dag->pred_start[node + 1] && !b->failed; e++) {
        uint32_t pred = dag->preds[e], from = choice->stream_of[pred];
        if (gsim_op_is_host(choice->list->ops[pred]) || from == stream) continue;
        if (choice->prune == GSIM_PRUNE_NONE) {
            push(b, &b->kept, pred);
            continue;
        }
        if (host_has_seen(b, pred)) continue;
        if (b->best_for[from] != node) {
            b->best_for[from] = node;
            b->best[from] = pred;
            push(b, &b->kept, from);
        } else if (b->position[pred] > b->position[b->best[from]]) {
            b->best[from] = pred;
        }
    }
    if (choice->prune != GSIM_PRUNE_NONE)
        for (size_t k = 0; k < b->kept.count; k++) b->kept.items[k] = b->best[b->kept.items[k]];
    /* Latest issued first: what a wait implies was always issued before what it waits for. */
    for (size_t i = 1; b->clock && i < b->kept.count; i++)
        for (size_t j = i; j > 0 && b->step_of[b->kept.items[j - 1]] < b->step_of[b->kept.items[j]]; j--) {
            uint32_t swap = b->kept.items[j];
            b->kept.items[j] = b->kept.items[j - 1];
            b->kept.items[j - 1] = swap;
        }
    for (size_t k = 0; k < b->kept.count && !b->failed; k++) add_wait(b, stream, b->kept.items[k]);
}

/* What the node's stream had observed when it was issued, for those that may wait for it. */
static void keep_snapshot(struct builder *b, uint32_t node, uint32_t stream)
{
    const struct gsim_dag *dag = b->dag;
    bool needed = false;
    for (uint32_t e = dag->succ_start[node]; e < dag->succ_start[node + 1] && !needed; e++)
        needed = b->choice->stream_of[dag->succs[e]] != stream;
    if (!b->clock || !needed) return;
    b->snapshot[node] = (uint32_t)(b->snapshots.count / b->column_count);
    for (uint32_t s = 0; s < b->column_count && !b->failed; s++) push(b, &b->snapshots, clock_of(b, stream)[s]);
}

static void add_steps(struct builder *b)
{
    const struct gsim_plan_choice *choice = b->choice;
    struct gsim_plan *plan = b->plan;
    for (uint32_t step = 0; step < plan->step_count && !b->failed; step++) {
        uint32_t node = choice->order ? choice->order[step] : step;
        const struct gsim_op *op = choice->list->ops[node];
        bool host = gsim_op_is_host(op);
        uint32_t stream = host ? GSIM_PLAN_HOST : choice->stream_of[node];
        plan->ops[step] = op;
        plan->streams[step] = stream;
        b->step_of[node] = step;
        if (host) sync_host(b, node);
        else wait_for_preds(b, node, stream);
        plan->wait_start[step + 1] = (uint32_t)b->waits.count;
        plan->sync_start[step + 1] = (uint32_t)b->syncs.count;
        if (host) continue;
        b->previous[node] = b->tail[stream];
        b->position[node] = b->tail[stream] == NONE ? 1 : b->position[b->tail[stream]] + 1;
        b->tail[stream] = node;
        if (b->clock) keep_snapshot(b, node, stream);
    }
    for (uint32_t s = 0; s < choice->stream_count; s++)
        if (b->tail[s] != NONE && !host_has_seen(b, b->tail[s])) plan->final_sync = true;
}

static uint32_t *keep(struct builder *b, struct gsim_arena *arena, const struct numbers *list)
{
    uint32_t *items = GSIM_ARENA_ARRAY(arena, uint32_t, list->count + 1);
    if (!items) b->failed = true;
    else if (list->count) memcpy(items, list->items, sizeof(*items) * list->count);
    return items;
}

static void keep_lists(struct builder *b, struct gsim_arena *arena)
{
    struct gsim_plan *plan = b->plan;
    plan->waits = keep(b, arena, &b->waits);
    plan->syncs = keep(b, arena, &b->syncs);
    plan->records = GSIM_ARENA_ARRAY(arena, uint32_t, b->recorded.count + 1);
    if (!plan->records) b->failed = true;
    if (b->failed) return;
    /* Event e is recorded after step recorded[e]: a counting sort by step. */
    for (size_t e = 0; e < b->recorded.count; e++) plan->record_start[b->recorded.items[e] + 1]++;
    for (uint32_t s = 0; s < plan->step_count; s++) plan->record_start[s + 1] += plan->record_start[s];
    for (size_t e = 0; e < b->recorded.count; e++)
        plan->records[plan->record_start[b->recorded.items[e]]++] = (uint32_t)e;
    for (uint32_t s = plan->step_count; s > 0; s--) plan->record_start[s] = plan->record_start[s - 1];
    plan->record_start[0] = 0;
}

static uint32_t *filled(struct builder *b, size_t count, uint32_t value)
{
    uint32_t *items = gsim_alloc(sizeof(*items) * (count + 1));
    if (!items) b->failed = true;
    for (size_t i = 0; items && value && i < count; i++) items[i] = value;
    return items;
}

static void start(struct builder *b, struct gsim_arena *arena)
{
    struct gsim_plan *plan = b->plan;
    size_t nodes = b->dag->node_count, streams = b->choice->stream_count;
    b->position = filled(b, nodes, 0);
    b->step_of = filled(b, nodes, 0);
    b->previous = filled(b, nodes, NONE);
    b->event_of = filled(b, nodes, NONE);
    b->tail = filled(b, streams, NONE);
    b->host_seen = filled(b, streams, 0);
    b->best = filled(b, streams, NONE);
    b->best_for = filled(b, streams, NONE);
    if (b->choice->prune == GSIM_PRUNE_CLOCK) {
        b->column = filled(b, streams, NONE);
        for (uint32_t i = 0; b->column && i < plan->step_count; i++)
            if (!gsim_op_is_host(b->choice->list->ops[i]) && b->column[b->choice->stream_of[i]] == NONE)
                b->column[b->choice->stream_of[i]] = b->column_count++;
        b->clock = filled(b, (size_t)b->column_count * b->column_count, 0);
        b->snapshot = filled(b, nodes, NONE);
    }
    plan->ops = GSIM_ARENA_ARRAY(arena, const struct gsim_op *, nodes + 1);
    plan->streams = GSIM_ARENA_ARRAY(arena, uint32_t, nodes + 1);
    plan->wait_start = GSIM_ARENA_ARRAY(arena, uint32_t, nodes + 1);
    plan->record_start = GSIM_ARENA_ARRAY(arena, uint32_t, nodes + 1);
    plan->sync_start = GSIM_ARENA_ARRAY(arena, uint32_t, nodes + 1);
    if (!plan->ops || !plan->streams || !plan->wait_start || !plan->record_start || !plan->sync_start) b->failed = true;
}

/* Stream s of the choice becomes one on each GPU. */
static bool split_streams(struct gsim_run *run, struct gsim_plan_choice *choice, uint32_t device_count)
{
    if (device_count == 1) return true;
    uint32_t *stream_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)choice->list->op_count + 1);
    if (!stream_of) return false;
    for (uint32_t i = 0; i < choice->list->op_count; i++)
        if (!gsim_op_is_host(choice->list->ops[i]))
            stream_of[i] = choice->stream_of[i] * device_count + choice->list->ops[i]->device;
    choice->stream_of = stream_of;
    choice->stream_count *= device_count;
    return true;
}

enum gsim_status gsim_plan_build(struct gsim_run *run, const struct gsim_plan_choice *choice, struct gsim_plan *plan,
                                 struct gsim_error *error)
{
    struct gsim_plan_choice split = *choice;
    struct builder b = {.choice = &split, .dag = choice->dag, .plan = plan};
    memset(plan, 0, sizeof(*plan));
    plan->step_count = choice->list->op_count;
    plan->device_count = run->is_placed ? run->device_count : 1;
    if (!split_streams(run, &split, plan->device_count))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    plan->stream_count = split.stream_count;
    start(&b, run->arena);
    if (!b.failed) add_steps(&b);
    if (!b.failed) keep_lists(&b, run->arena);
    void *scratch[] = {b.position, b.step_of, b.previous, b.event_of, b.tail, b.host_seen, b.best, b.best_for, b.column,
                       b.clock, b.snapshot, b.snapshots.items, b.waits.items, b.wait_nodes.items, b.syncs.items,
                       b.recorded.items, b.stack.items, b.kept.items};
    for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++) gsim_free(scratch[i]);
    return b.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory while planning") : GSIM_OK;
}

static enum gsim_status make(struct gsim_run *run, const struct gsim_oplist *list, gsim_plan_choose *choose,
                             struct gsim_plan *plan, struct gsim_error *error)
{
    struct gsim_dag dag;
    struct gsim_arena scratch = {0};
    struct gsim_plan_choice choice = {.list = list, .dag = &dag};
    enum gsim_status status = gsim_dag_build(run, list, &dag, error);
    if (status != GSIM_OK) return status;
    status = choose(run, &choice, &scratch, error);
    if (scratch.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    if (status == GSIM_OK) status = gsim_plan_build(run, &choice, plan, error);
    gsim_arena_release(&scratch);
    gsim_dag_release(&dag);
    return status;
}

enum gsim_status gsim_plan_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   gsim_plan_choose *choose, struct gsim_error *error)
{
    if (run->draw) return GSIM_OK;
    if (!run->state && !(run->state = GSIM_ARENA_NEW(run->arena, struct gsim_planned)))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    struct gsim_planned *planned = run->state;
    const struct gsim_lowering *lowering = &planned->lowering;
    enum gsim_status status = gsim_moves_lower(run, place, &planned->lowering, error);
    if (status == GSIM_OK && drops_overhead) gsim_lowering_drop_overhead(&planned->lowering);
    if (status == GSIM_OK) status = make(run, &lowering->first, choose, &planned->first, error);
    planned->steady = planned->first;
    if (status == GSIM_OK && lowering->steady.ops != lowering->first.ops)
        status = make(run, &lowering->steady, choose, &planned->steady, error);
    return status;
}
