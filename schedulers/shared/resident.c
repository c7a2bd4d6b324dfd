/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An op list is cut once into launches and single ops; copies to the device go as early as the data allows, so that
 * they come between as few kernels as possible. On several GPUs each has launches of its own: a launch ends where a
 * kernel follows one of another GPU.
 */
#include "schedulers/shared/resident.h"

#include <stdlib.h>
#include <string.h>

#include "schedulers/shared/pieces.h"
#include "gpusim/order.h"

struct style {
    const struct gsim_persistent *persistent;
    enum gsim_resident_order order;
};

/* --- the preset order --- */

/* An op in the order that is made: by KEY, ties as the program has them. */
struct ranked {
    double key;
    uint32_t op;
};

GSIM_ORDER(compare_ranked, struct ranked, GSIM_UP(key) GSIM_UP(op))

/* Keys of the piece's ops: the longest path to its start (level), or minus the longest from it, in which no op comes
 * before what it follows as long as times are above 0. */
static void rank(const struct gsim_piecewise *x, const struct gsim_cut_list *p, const struct gsim_piece *piece,
                 struct ranked *ranked)
{
    const enum gsim_resident_order order = ((const struct style *)x->own)->order;
    uint32_t count = piece->end - piece->begin;
    for (uint32_t i = 0; i < count; i++) ranked[i] = (struct ranked){0, i};
    for (uint32_t i = 0; order == GSIM_RESIDENT_PRIORITY && i < count; i++)
        ranked[i].key = p->list.ops[piece->begin + i]->priority;
    for (uint32_t i = 0; order == GSIM_RESIDENT_LEVEL && i < count; i++)
        for (uint32_t e = p->dag.pred_start[piece->begin + i]; e < p->dag.pred_start[piece->begin + i + 1]; e++)
            if (p->dag.preds[e] >= piece->begin && ranked[p->dag.preds[e] - piece->begin].key + 1 > ranked[i].key)
                ranked[i].key = ranked[p->dag.preds[e] - piece->begin].key + 1;
    for (uint32_t i = count; order == GSIM_RESIDENT_LIST && i-- > 0;) {
        for (uint32_t e = p->dag.succ_start[piece->begin + i]; e < p->dag.succ_start[piece->begin + i + 1]; e++)
            if (p->dag.succs[e] < piece->end && ranked[p->dag.succs[e] - piece->begin].key < ranked[i].key)
                ranked[i].key = ranked[p->dag.succs[e] - piece->begin].key;
        ranked[i].key -= gsim_estimate_us(x->run, p->list.ops[piece->begin + i]) + 1e-3;
    }
}

static bool put_in_order(const struct gsim_piecewise *x, const struct gsim_cut_list *p, const struct gsim_piece *piece,
                         struct gsim_persistent *plan)
{
    struct gsim_arena *arena = x->run->arena;
    if (((const struct style *)x->own)->order == GSIM_RESIDENT_PROGRAM) return true;
    struct ranked *ranked = GSIM_ARENA_ARRAY(arena, struct ranked, plan->op_count + 1);
    uint32_t *order = GSIM_ARENA_ARRAY(arena, uint32_t, plan->op_count + 1);
    if (!ranked || !order) return false;
    rank(x, p, piece, ranked);
    qsort(ranked, plan->op_count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < plan->op_count; i++) order[i] = ranked[i].op;
    plan->order = order;
    return true;
}

/* --- launches --- */

/* It outlives a drawn list. */
static struct gsim_persistent *make_launch(const struct gsim_piecewise *x, const struct gsim_cut_list *p,
                                           const struct gsim_piece *piece)
{
    struct gsim_arena *arena = x->run->arena;
    uint32_t count = piece->end - piece->begin, edges = 0;
    struct gsim_persistent *plan = GSIM_ARENA_NEW(arena, struct gsim_persistent);
    uint32_t *starts = GSIM_ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *after =
        GSIM_ARENA_ARRAY(arena, uint32_t, p->dag.pred_start[piece->end] - p->dag.pred_start[piece->begin] + 1);
    const struct gsim_op **ops = GSIM_ARENA_ARRAY(arena, const struct gsim_op *, count);
    if (!plan || !starts || !after || !ops) return NULL;
    memcpy(ops, &p->list.ops[piece->begin], sizeof *ops * count);
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = edges;
        for (uint32_t e = p->dag.pred_start[piece->begin + i]; e < p->dag.pred_start[piece->begin + i + 1]; e++)
            if (p->dag.preds[e] >= piece->begin) after[edges++] = p->dag.preds[e] - piece->begin;
    }
    starts[count] = edges;
    *plan = *((const struct style *)x->own)->persistent;
    plan->ops = ops;
    plan->op_count = count;
    plan->after_start = starts;
    plan->after = after;
    return put_in_order(x, p, piece, plan) ? plan : NULL;
}

static bool is_kernel(const struct gsim_cut_list *p, uint32_t i) { return p->list.ops[i]->kind == GSIM_OP_KERNEL; }

/* Two ops that one launch may hold: kernels of one GPU. */
static bool are_mates(const struct gsim_cut_list *p, uint32_t a, uint32_t b)
{
    return is_kernel(p, a) && is_kernel(p, b) && p->list.ops[a]->device == p->list.ops[b]->device;
}

/* --- several GPUs --- */

/* Ops between two host ops sorted by how many changes of GPU, or from kernels to copies, come before them: so that
 * launches are few. */
static bool sort_for_gpus(const struct gsim_piecewise *x, struct gsim_cut_list *p)
{
    struct gsim_arena *arena = x->run->arena;
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
            (double)changes[i] * 2 * (x->lane_count + 1) + (is_kernel(p, i) ? x->lane_count : 0) + op->device, i};
        if (!gsim_op_is_host(op) && i + 1 < count) continue;
        uint32_t end = gsim_op_is_host(op) ? i : i + 1;
        qsort(ranked + stretch, end - stretch, sizeof *ranked, compare_ranked);
        stretch = i + 1;
    }
    for (uint32_t i = 0; i < count; i++) sorted[i] = p->list.ops[ranked[i].op];
    p->list.ops = sorted;
    return true;
}

/* Which pieces of other GPUs each follows: of each GPU the last, since its stream keeps their order. */
static bool find_waits(const struct gsim_piecewise *x, struct gsim_cut_list *p)
{
    struct gsim_arena *arena = x->run->arena;
    uint32_t *piece_of = GSIM_ARENA_ARRAY(arena, uint32_t, p->list.op_count + 1), synced = 0;
    for (size_t i = 0; i < p->count && piece_of; i++) {
        struct gsim_piece *piece = &p->items[i];
        if (piece->needs_sync) synced = piece->begin;
        piece->waits = GSIM_ARENA_ARRAY(arena, uint32_t, x->lane_count);
        if (!piece->waits) return false;
        memset(piece->waits, 0xff, sizeof *piece->waits * x->lane_count);
        for (uint32_t node = piece->begin; node < piece->end; node++) {
            piece_of[node] = (uint32_t)i;
            for (uint32_t e = p->dag.pred_start[node]; e < p->dag.pred_start[node + 1]; e++) {
                uint32_t pred = p->dag.preds[e], device = p->list.ops[pred]->device, *last = &piece->waits[device];
                if (pred < synced || gsim_op_is_host(p->list.ops[pred]) || device == p->list.ops[node]->device)
                    continue;
                if (*last == GSIM_NO_PIECE || *last < piece_of[pred]) *last = piece_of[pred];
            }
        }
        for (uint32_t d = 0; d < x->lane_count && !gsim_op_is_host(p->list.ops[piece->begin]); d++)
            if (piece->waits[d] != GSIM_NO_PIECE) p->items[piece->waits[d]].is_awaited = true;
    }
    return piece_of != NULL;
}

/* --- the run --- */

enum gsim_status gsim_resident_prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, GSIM_MOVES_EARLY, false, error);
}

static bool joins(const struct gsim_piecewise *x, const struct gsim_cut_list *p, uint32_t begin, uint32_t i)
{
    (void)x;
    return are_mates(p, begin, i);
}

static bool launch(const struct gsim_piecewise *x, struct gsim_cut_list *p, struct gsim_piece *piece)
{
    struct gsim_driver *driver = x->run->driver;
    const struct gsim_op *op = p->list.ops[piece->begin];
    gsim_stream stream = x->streams[gsim_lane_of(x, op)];
    for (uint32_t l = 0; piece->waits && !gsim_op_is_host(op) && l < x->lane_count; l++)
        if (piece->waits[l] != GSIM_NO_PIECE) gsim_stream_wait_event(driver, stream, p->items[piece->waits[l]].event);
    if (piece->is_joint && !piece->plan && !(piece->plan = make_launch(x, p, piece))) return false;
    if (piece->is_joint) gsim_persistent_launch(driver, piece->plan, stream);
    else gsim_op_issue(driver, op, stream);
    if (!piece->is_awaited) return true;
    if (!piece->event) piece->event = gsim_event_create(driver, GSIM_EVENT_NO_TIMING);
    gsim_event_record(driver, piece->event, stream);
    return true;
}

enum gsim_status gsim_resident_execute(struct gsim_run *run, const struct gsim_persistent *persistent,
                                       enum gsim_resident_order order, struct gsim_error *error)
{
    static const struct gsim_piece_user user = {
        .joins = joins, .launch = launch, .arrange = sort_for_gpus, .link = find_waits};
    const struct style style = {persistent, order};
    uint32_t gpus = gsim_device_count(run->driver);
    struct gsim_piecewise x = {.run = run, .user = &user, .own = &style, .what = "resident launches",
                               .lane_count = gpus, .gpu_count = gpus, .stream_count = 1, .waits = true};
    if (!GSIM_DRIVER_HAS(run->driver, persistent_launch))
        return gsim_error_set(
            error, GSIM_INPUT,
            "the %s driver has no resident kernels here: none under time slices or a policy among tasks",
            run->driver->ops->name);
    return gsim_piecewise_run(&x, error);
}
