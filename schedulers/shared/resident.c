/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An op list is cut once into launches and single ops; copies to the device go as early as the data allows, so that
 * they come between as few kernels as possible. On several GPUs each has launches of its own: a launch ends where a
 * kernel follows one of another GPU.
 */
#include "schedulers/shared/resident.h"

#include <stdlib.h>
#include <string.h>

#include "gpusim/schedulers/feed.h"

#define NONE UINT32_MAX

struct part {
    uint32_t begin, end;            /* in the list */
    bool needs_sync;                /* host op: a device op that it depends on may be pending */
    bool is_awaited;                /* a part on another GPU follows it */
    struct gsim_persistent *launch; /* NULL: a single op */
    uint32_t *waits; /* by GPU: the last part there that it follows; NONE: none. NULL: there is one GPU */
    gsim_event event;
};

struct parts {
    struct gsim_oplist list;
    struct gsim_dag dag;
    struct part *items;
    size_t count, capacity;
};

struct maker {
    struct gsim_run *run;
    const struct gsim_persistent *style;
    enum gsim_resident_order order;
    uint32_t device_count;
    gsim_stream *streams; /* by GPU */
    bool *is_pending;     /* by GPU: work that the host has not waited for */
};

/* --- the preset order --- */

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

/* Keys of the part's ops: the longest path to its start (level), or minus the longest from it, in which no op comes
 * before what it follows as long as times are above 0. */
static void rank(const struct maker *m, const struct parts *p, const struct part *part, struct ranked *ranked)
{
    uint32_t count = part->end - part->begin;
    for (uint32_t i = 0; i < count; i++) ranked[i] = (struct ranked){0, i};
    for (uint32_t i = 0; m->order == GSIM_RESIDENT_PRIORITY && i < count; i++)
        ranked[i].key = p->list.ops[part->begin + i]->priority;
    for (uint32_t i = 0; m->order == GSIM_RESIDENT_LEVEL && i < count; i++)
        for (uint32_t e = p->dag.pred_start[part->begin + i]; e < p->dag.pred_start[part->begin + i + 1]; e++)
            if (p->dag.preds[e] >= part->begin && ranked[p->dag.preds[e] - part->begin].key + 1 > ranked[i].key)
                ranked[i].key = ranked[p->dag.preds[e] - part->begin].key + 1;
    for (uint32_t i = count; m->order == GSIM_RESIDENT_LIST && i-- > 0;) {
        for (uint32_t e = p->dag.succ_start[part->begin + i]; e < p->dag.succ_start[part->begin + i + 1]; e++)
            if (p->dag.succs[e] < part->end && ranked[p->dag.succs[e] - part->begin].key < ranked[i].key)
                ranked[i].key = ranked[p->dag.succs[e] - part->begin].key;
        ranked[i].key -= gsim_estimate_us(m->run, p->list.ops[part->begin + i]) + 1e-3;
    }
}

static bool put_in_order(const struct maker *m, const struct parts *p, const struct part *part,
                         struct gsim_persistent *plan)
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

/* --- cutting --- */

static struct gsim_persistent *make_launch(const struct maker *m, const struct parts *p, const struct part *part)
{
    struct gsim_arena *arena = m->run->arena;
    uint32_t count = part->end - part->begin, edges = 0;
    struct gsim_persistent *plan = GSIM_ARENA_NEW(arena, struct gsim_persistent);
    uint32_t *starts = GSIM_ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *after =
        GSIM_ARENA_ARRAY(arena, uint32_t, p->dag.pred_start[part->end] - p->dag.pred_start[part->begin] + 1);
    if (!plan || !starts || !after) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = edges;
        for (uint32_t e = p->dag.pred_start[part->begin + i]; e < p->dag.pred_start[part->begin + i + 1]; e++)
            if (p->dag.preds[e] >= part->begin) after[edges++] = p->dag.preds[e] - part->begin;
    }
    starts[count] = edges;
    *plan = *m->style;
    plan->ops = &p->list.ops[part->begin];
    plan->op_count = count;
    plan->after_start = starts;
    plan->after = after;
    return put_in_order(m, p, part, plan) ? plan : NULL;
}

static bool is_kernel(const struct parts *p, uint32_t i) { return p->list.ops[i]->kind == GSIM_OP_KERNEL; }

/* Two ops that one launch may hold: kernels of one GPU. */
static bool are_mates(const struct parts *p, uint32_t a, uint32_t b)
{
    return is_kernel(p, a) && is_kernel(p, b) && p->list.ops[a]->device == p->list.ops[b]->device;
}

static bool follows_device_op(const struct maker *m, const struct parts *p, uint32_t node, uint32_t synced)
{
    const struct gsim_op *op = p->list.ops[node];
    if (m->run->draw) return op->arg_count || op->after_count; /* earlier lists count as well */
    for (uint32_t e = p->dag.pred_start[node]; e < p->dag.pred_start[node + 1]; e++)
        if (p->dag.preds[e] >= synced && !gsim_op_is_host(p->list.ops[p->dag.preds[e]])) return true;
    return false;
}

static bool cut(const struct maker *m, struct parts *p)
{
    uint32_t synced = 0; /* ops before this one are complete in the host's eyes */
    for (uint32_t i = 0; i < p->list.op_count;) {
        struct part part = {.begin = i, .end = i + 1};
        while (part.end < p->list.op_count && are_mates(p, i, part.end)) {
            bool crosses = false; /* another GPU's kernel lies between */
            for (uint32_t e = p->dag.pred_start[part.end]; m->device_count > 1 && e < p->dag.pred_start[part.end + 1];
                 e++)
                crosses |= p->dag.preds[e] >= i && !are_mates(p, i, p->dag.preds[e]);
            if (crosses) break;
            part.end++;
        }
        part.needs_sync = gsim_op_is_host(p->list.ops[i]) && follows_device_op(m, p, i, synced);
        if (part.needs_sync) synced = i;
        if (is_kernel(p, i) && !(part.launch = make_launch(m, p, &part))) return false;
        if (p->count == p->capacity && gsim_array_grow((void **)&p->items, sizeof *p->items, p->count, &p->capacity))
            return false;
        p->items[p->count++] = part;
        i = part.end;
    }
    return true;
}

/* --- several GPUs --- */

/* Ops between two host ops sorted by how many changes of GPU, or from kernels to copies, come before them: so that
 * launches are few. */
static bool sort_for_gpus(const struct maker *m, struct parts *p)
{
    struct gsim_arena *arena = m->run->arena;
    uint32_t count = p->list.op_count, stretch = 0;
    struct ranked *ranked = GSIM_ARENA_ARRAY(arena, struct ranked, count + 1);
    const struct gsim_op **sorted = GSIM_ARENA_ARRAY(arena, const struct gsim_op *, count + 1);
    uint32_t *changes = GSIM_ARENA_ARRAY(arena, uint32_t, count + 1);
    if (arena->failed) return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_op *op = p->list.ops[i];
        for (uint32_t e = p->dag.pred_start[i]; e < p->dag.pred_start[i + 1]; e++) {
            uint32_t pred = p->dag.preds[e], after = changes[pred] + !are_mates(p, pred, i);
            if (pred >= stretch && after > changes[i]) changes[i] = after;
        }
        ranked[i] = (struct ranked){
            (double)changes[i] * 2 * (m->device_count + 1) + (is_kernel(p, i) ? m->device_count : 0) + op->device, i};
        if (!gsim_op_is_host(op) && i + 1 < count) continue;
        uint32_t end = gsim_op_is_host(op) ? i : i + 1;
        qsort(ranked + stretch, end - stretch, sizeof *ranked, compare_ranked);
        stretch = i + 1;
    }
    for (uint32_t i = 0; i < count; i++) sorted[i] = p->list.ops[ranked[i].op];
    p->list.ops = sorted;
    return true;
}

/* Which parts of other GPUs each follows: of each GPU the last, since its stream keeps their order. */
static bool find_waits(const struct maker *m, struct parts *p)
{
    struct gsim_arena *arena = m->run->arena;
    uint32_t *part_of = GSIM_ARENA_ARRAY(arena, uint32_t, p->list.op_count + 1), synced = 0;
    for (size_t i = 0; i < p->count && part_of; i++) {
        struct part *part = &p->items[i];
        if (part->needs_sync) synced = part->begin;
        part->waits = GSIM_ARENA_ARRAY(arena, uint32_t, m->device_count);
        if (!part->waits) return false;
        memset(part->waits, 0xff, sizeof *part->waits * m->device_count);
        for (uint32_t node = part->begin; node < part->end; node++) {
            part_of[node] = (uint32_t)i;
            for (uint32_t e = p->dag.pred_start[node]; e < p->dag.pred_start[node + 1]; e++) {
                uint32_t pred = p->dag.preds[e], device = p->list.ops[pred]->device, *last = &part->waits[device];
                if (pred < synced || gsim_op_is_host(p->list.ops[pred]) || device == p->list.ops[node]->device)
                    continue;
                if (*last == NONE || *last < part_of[pred]) *last = part_of[pred];
            }
        }
        for (uint32_t d = 0; d < m->device_count && !gsim_op_is_host(p->list.ops[part->begin]); d++)
            if (part->waits[d] != NONE) p->items[part->waits[d]].is_awaited = true;
    }
    return part_of != NULL;
}

/* --- the lists --- */

/* Lists of drawn ops are kept: a launch's plan outlives it. */
static bool keep_list(const struct maker *m, struct parts *p)
{
    const struct gsim_op **ops = GSIM_ARENA_ARRAY(m->run->arena, const struct gsim_op *, p->list.op_count + 1);
    if (!ops) return false;
    memcpy(ops, p->list.ops, sizeof *ops * p->list.op_count);
    p->list.ops = ops;
    return true;
}

static enum gsim_status make_parts(const struct maker *m, struct parts *p, const struct gsim_oplist *list,
                                   struct gsim_error *error)
{
    p->list = *list;
    p->count = 0;
    gsim_dag_release(&p->dag);
    bool ok = !m->run->draw || keep_list(m, p);
    enum gsim_status status = gsim_dag_build(m->run, &p->list, &p->dag, error);
    if (status == GSIM_OK && ok && m->device_count > 1) {
        ok = sort_for_gpus(m, p);
        gsim_dag_release(&p->dag);
        if (ok) status = gsim_dag_build(m->run, &p->list, &p->dag, error);
    }
    if (status == GSIM_OK && ok) ok = cut(m, p) && (m->device_count == 1 || find_waits(m, p));
    return status || ok ? status : gsim_error_set(error, GSIM_NOMEM, "out of memory while making resident launches");
}

static void release_parts(struct parts *p)
{
    gsim_free(p->items);
    gsim_dag_release(&p->dag);
}

/* --- the run --- */

enum gsim_status gsim_resident_prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, GSIM_MOVES_EARLY, false, error);
}

static void synchronize(const struct maker *m, bool always)
{
    for (uint32_t d = 0; d < m->device_count; d++) {
        if (m->is_pending[d] || (always && m->device_count == 1))
            gsim_stream_synchronize(m->run->driver, m->streams[d]);
        m->is_pending[d] = false;
    }
}

static void run_part(const struct maker *m, const struct parts *p, struct part *part)
{
    struct gsim_driver *driver = m->run->driver;
    const struct gsim_op *op = p->list.ops[part->begin];
    gsim_stream stream = m->streams[op->device];
    bool is_host = gsim_op_is_host(op);
    if (part->needs_sync) synchronize(m, !m->run->draw);
    for (uint32_t d = 0; part->waits && !is_host && d < m->device_count; d++)
        if (part->waits[d] != NONE) gsim_stream_wait_event(driver, stream, p->items[part->waits[d]].event);
    if (part->launch) gsim_persistent_launch(driver, part->launch, stream);
    else gsim_op_issue(driver, op, stream);
    if (!is_host) m->is_pending[op->device] = true;
    if (!part->is_awaited) return;
    if (!part->event) part->event = gsim_event_create(driver, GSIM_EVENT_NO_TIMING);
    gsim_event_record(driver, part->event, stream);
}

static bool open_streams(struct maker *m)
{
    m->streams = GSIM_ARENA_ARRAY(m->run->arena, gsim_stream, m->device_count);
    m->is_pending = GSIM_ARENA_ARRAY(m->run->arena, bool, m->device_count);
    for (uint32_t d = 0; m->is_pending && m->streams && d < m->device_count; d++) {
        if (m->device_count > 1) gsim_device_set(m->run->driver, d);
        m->streams[d] = gsim_stream_create(m->run->driver, 0);
    }
    return m->is_pending && m->streams;
}

enum gsim_status gsim_resident_execute(struct gsim_run *run, const struct gsim_persistent *style,
                                       enum gsim_resident_order order, struct gsim_error *error)
{
    const struct gsim_lowering *known = gsim_feed_known(run);
    struct maker m = {.run = run, .style = style, .order = order, .device_count = gsim_device_count(run->driver)};
    struct parts lists[3] = {{.count = 0}}; /* by enum gsim_feed_kind */
    struct gsim_feed feed = {0};
    if (!GSIM_DRIVER_HAS(run->driver, persistent_launch))
        return gsim_error_set(
            error, GSIM_INPUT,
            "the %s driver has no resident kernels here: none under time slices or a policy among tasks",
            run->driver->ops->name);
    enum gsim_status status = known ? make_parts(&m, &lists[GSIM_FEED_FIRST], &known->first, error) : GSIM_OK;
    if (status == GSIM_OK && known && known->first.ops != known->steady.ops)
        status = make_parts(&m, &lists[GSIM_FEED_STEADY], &known->steady, error);
    if (status == GSIM_OK) status = gsim_feed_open(&feed, run, GSIM_FEED_MOST, false, error);
    if (status == GSIM_OK && !open_streams(&m)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    while (status == GSIM_OK && gsim_feed_begin(&feed)) {
        while (status == GSIM_OK && gsim_feed_next(&feed)) {
            struct parts *p = &lists[feed.kind];
            if (feed.waits || (run->draw && m.device_count > 1))
                synchronize(&m, false); /* edges are known within a list */
            if (run->draw) status = make_parts(&m, p, &feed.list, error);
            for (size_t i = 0; status == GSIM_OK && i < p->count; i++) run_part(&m, p, &p->items[i]);
        }
        synchronize(&m, false);
        gsim_feed_end(&feed);
    }
    if (status == GSIM_OK) status = gsim_feed_close(&feed, error);
    else (void)!gsim_feed_close(&feed, &(struct gsim_error){0});
    for (int i = 0; i < 3; i++) release_parts(&lists[i]);
    return status;
}
