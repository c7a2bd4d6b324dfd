/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An op list is cut once into launches and single ops; copies to the device go as early as the data allows, so that they come between as
 * few kernels as possible.
 */
#include "schedulers/shared/resident.h"

#include <stdlib.h>

struct part {
    uint32_t begin, end;            /* in the list */
    bool needs_sync;                /* host op: a device op that it depends on may be pending */
    struct gsim_persistent *launch; /* NULL: a single op */
};

struct parts {
    const struct gsim_oplist *list;
    struct gsim_dag dag;
    struct part *items;
    size_t count, capacity;
};

struct maker {
    struct gsim_run *run;
    const struct gsim_persistent *style;
    enum gsim_resident_order order;
};

/* --- the preset order ----------------------------------------------------------------------------------------------- */

/* An op in the order that is made: by KEY, ties as the program has them. */
struct ranked {
    double key;
    uint32_t op;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Keys of the part's ops: the longest path to its start (level), or minus the longest from it, in which no op comes before what it
 * follows as long as times are above 0. */
static void rank(const struct maker *m, const struct parts *p, const struct part *part, struct ranked *ranked)
{
    uint32_t count = part->end - part->begin;
    for (uint32_t i = 0; i < count; i++) ranked[i] = (struct ranked){0, i};
    for (uint32_t i = 0; m->order == GSIM_RESIDENT_PRIORITY && i < count; i++) ranked[i].key = p->list->ops[part->begin + i]->priority;
    for (uint32_t i = 0; m->order == GSIM_RESIDENT_LEVEL && i < count; i++)
        for (uint32_t e = p->dag.pred_start[part->begin + i]; e < p->dag.pred_start[part->begin + i + 1]; e++)
            if (p->dag.preds[e] >= part->begin && ranked[p->dag.preds[e] - part->begin].key + 1 > ranked[i].key)
                ranked[i].key = ranked[p->dag.preds[e] - part->begin].key + 1;
    for (uint32_t i = count; m->order == GSIM_RESIDENT_LIST && i-- > 0;) {
        for (uint32_t e = p->dag.succ_start[part->begin + i]; e < p->dag.succ_start[part->begin + i + 1]; e++)
            if (p->dag.succs[e] < part->end && ranked[p->dag.succs[e] - part->begin].key < ranked[i].key)
                ranked[i].key = ranked[p->dag.succs[e] - part->begin].key;
        ranked[i].key -= gsim_estimate_us(m->run, p->list->ops[part->begin + i]) + 1e-3;
    }
}

static bool put_in_order(const struct maker *m, const struct parts *p, const struct part *part, struct gsim_persistent *plan)
{
    struct gsim_arena *arena = m->run->arena;
    if (m->order == GSIM_RESIDENT_PROGRAM) return true;
    struct ranked *ranked = GSIM_ARENA_ARRAY(arena, struct ranked, plan->op_count + 1);
    uint32_t *order = GSIM_ARENA_ARRAY(arena, uint32_t, plan->op_count + 1);
    if (!ranked || !order) return false;
    rank(m, p, part, ranked);
    qsort(ranked, plan->op_count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < plan->op_count; i++) order[i] = ranked[i].op;
    plan->order = order;
    return true;
}

/* --- cutting --------------------------------------------------------------------------------------------------------- */

static struct gsim_persistent *make_launch(const struct maker *m, const struct parts *p, const struct part *part)
{
    struct gsim_arena *arena = m->run->arena;
    uint32_t count = part->end - part->begin, edges = 0;
    struct gsim_persistent *plan = GSIM_ARENA_NEW(arena, struct gsim_persistent);
    uint32_t *starts = GSIM_ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *after = GSIM_ARENA_ARRAY(arena, uint32_t, p->dag.pred_start[part->end] - p->dag.pred_start[part->begin] + 1);
    if (!plan || !starts || !after) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = edges;
        for (uint32_t e = p->dag.pred_start[part->begin + i]; e < p->dag.pred_start[part->begin + i + 1]; e++)
            if (p->dag.preds[e] >= part->begin) after[edges++] = p->dag.preds[e] - part->begin;
    }
    starts[count] = edges;
    *plan = *m->style;
    plan->ops = &p->list->ops[part->begin];
    plan->op_count = count;
    plan->after_start = starts;
    plan->after = after;
    return put_in_order(m, p, part, plan) ? plan : NULL;
}

static bool is_kernel(const struct parts *p, uint32_t i) { return p->list->ops[i]->kind == GSIM_OP_KERNEL; }

static bool cut(const struct maker *m, struct parts *p)
{
    uint32_t synced = 0; /* ops before this one are complete in the host's eyes */
    for (uint32_t i = 0; i < p->list->op_count;) {
        struct part part = {.begin = i, .end = i + 1};
        while (is_kernel(p, i) && part.end < p->list->op_count && is_kernel(p, part.end)) part.end++;
        if (gsim_op_is_host(p->list->ops[i]))
            for (uint32_t e = p->dag.pred_start[i]; e < p->dag.pred_start[i + 1] && !part.needs_sync; e++)
                part.needs_sync = p->dag.preds[e] >= synced && !gsim_op_is_host(p->list->ops[p->dag.preds[e]]);
        if (part.needs_sync) synced = i;
        if (is_kernel(p, i) && !(part.launch = make_launch(m, p, &part))) return false;
        if (p->count == p->capacity && gsim_array_grow((void **)&p->items, sizeof *p->items, p->count, &p->capacity)) return false;
        p->items[p->count++] = part;
        i = part.end;
    }
    return true;
}

static enum gsim_status make_parts(const struct maker *m, struct parts *p, const struct gsim_oplist *list, struct gsim_error *error)
{
    p->list = list;
    enum gsim_status status = gsim_dag_build(m->run, list, &p->dag, error);
    if (status == GSIM_OK && !cut(m, p)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory while making resident launches");
    return status;
}

/* --- the run ------------------------------------------------------------------------------------------------------------ */

enum gsim_status gsim_resident_prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_lowering *lowering = run->state = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return gsim_moves_lower(run, GSIM_MOVES_EARLY, lowering, error);
}

static void run_parts(struct gsim_run *run, const struct parts *p, gsim_stream stream)
{
    bool pending = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct part *part = &p->items[i];
        const struct gsim_op *op = p->list->ops[part->begin];
        if (part->needs_sync) {
            gsim_stream_synchronize(run->driver, stream);
            pending = false;
        }
        if (part->launch)
            gsim_persistent_launch(run->driver, part->launch, stream);
        else
            gsim_op_issue(run->driver, op, stream);
        pending = pending || !gsim_op_is_host(op);
    }
    if (pending) gsim_stream_synchronize(run->driver, stream);
}

enum gsim_status gsim_resident_execute(struct gsim_run *run, const struct gsim_persistent *style, enum gsim_resident_order order,
                                       struct gsim_error *error)
{
    const struct gsim_lowering *lowering = run->state;
    const struct maker m = {run, style, order};
    struct parts first = {0}, steady = {0};
    bool same = lowering->first.ops == lowering->steady.ops;
    if (!GSIM_DRIVER_HAS(run->driver, persistent_launch))
        return gsim_error_set(error, GSIM_INPUT, "the %s driver has no resident kernels here: none under time slices or a policy among tasks",
                              run->driver->ops->name);
    enum gsim_status status = make_parts(&m, &first, &lowering->first, error);
    if (status == GSIM_OK && !same) status = make_parts(&m, &steady, &lowering->steady, error);
    if (status == GSIM_OK) {
        gsim_stream stream = gsim_stream_create(run->driver, 0);
        for (uint32_t i = 0; i < run->iterations && !gsim_driver_failed(run->driver); i++) {
            gsim_iteration_begin(run->driver, i);
            run_parts(run, i == 0 || same ? &first : &steady, stream);
            gsim_iteration_end(run->driver, i);
        }
        status = gsim_run_status(run, error);
    }
    gsim_free(first.items);
    gsim_free(steady.items);
    gsim_dag_release(&first.dag);
    gsim_dag_release(&steady.dag);
    return status;
}
