/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces are graphs: building, instantiating and launching happen in simulated time, when the host gets there. All
 * launches go to one stream, so pieces follow each other in order.
 */
#include "schedulers/shared/graphs.h"

#include "schedulers/shared/pieces.h"
#include "sim/program/draw.h"

static bool joins(const struct gsim_piecewise *x, const struct gsim_cut_list *p, uint32_t begin, uint32_t i)
{
    const struct gsim_graphs_style *style = x->own;
    const struct gsim_op *op = p->list.ops[i];
    (void)begin;
    return !gsim_op_is_host(op) && (op->kind != GSIM_OP_PREFETCH || style->prefetch_nodes);
}

/* True when FIRST is STEADY plus copies to the device, which can all be made before: ISSUES them. */
static bool extends(const struct gsim_piecewise *x, const struct gsim_piece *first, const struct gsim_piece *steady,
                    bool issues)
{
    const struct gsim_op *const *ops = x->lists[GSIM_FEED_FIRST].list.ops;
    uint32_t j = steady->begin;
    for (uint32_t i = first->begin; i < first->end; i++) {
        if (j < steady->end && gsim_op_is_same(ops[i], x->lists[GSIM_FEED_STEADY].list.ops[j])) j++;
        else if (!gsim_op_is_move(x->run, ops[i]) || ops[i]->kind != GSIM_OP_COPY || ops[i]->copy_kind != GSIM_COPY_H2D)
            return false;
        else if (issues) gsim_op_issue(x->run->driver, ops[i], x->streams[0]);
    }
    return j == steady->end;
}

/* Prefetches and graphs alternate differently in the two lists; host ops are the same in both and anchor them. */
static void share(const struct gsim_piecewise *x)
{
    const struct gsim_cut_list *firsts = &x->lists[GSIM_FEED_FIRST], *steadies = &x->lists[GSIM_FEED_STEADY];
    if (gsim_device_count(x->run->driver) > 1) return; /* what is left over goes into GPU 0's stream */
    for (size_t i = 0, j = 0; i < firsts->count; i++) {
        struct gsim_piece *first = &firsts->items[i];
        const struct gsim_op *wanted = NULL;
        if (!first->is_joint) continue;
        for (uint32_t n = first->begin; n < first->end && !wanted; n++)
            if (!gsim_op_is_move(x->run, firsts->list.ops[n])) wanted = firsts->list.ops[n];
        for (; wanted && j < steadies->count; j++) {
            const struct gsim_piece *steady = &steadies->items[j];
            if (steadies->list.ops[steady->end - 1]->index < wanted->index || !steady->is_joint) continue;
            if (extends(x, first, steady, false)) first->shared = (uint32_t)j;
            break;
        }
    }
}

static bool instantiate(const struct gsim_piecewise *x, const struct gsim_cut_list *p, struct gsim_piece *piece)
{
    const struct gsim_graphs_style *style = x->own;
    if (piece->exec) return true;
    gsim_graph graph = style->build(x->run, style, x->streams, &p->list, &p->dag, piece->begin, piece->end);
    if (!graph) return gsim_driver_failed(x->run->driver);
    piece->exec = gsim_graph_instantiate(x->run->driver, graph);
    gsim_graph_destroy(x->run->driver, graph);
    return true;
}

static bool launch(const struct gsim_piecewise *x, struct gsim_cut_list *p, struct gsim_piece *piece)
{
    const struct gsim_op *op = p->list.ops[piece->begin];
    if (!piece->is_joint) {
        if (op->kind != GSIM_OP_PREFETCH || !op->device) /* its stream is GPU 0's: pages of others come by faults */
            gsim_op_issue(x->run->driver, op, x->streams[0]);
        else if (x->run->draw) gsim_draw_ended(x->run->draw, op, gsim_now_us(x->run->driver));
        return true;
    }
    if (piece->shared != GSIM_NO_PIECE) {
        const struct gsim_cut_list *steady = &x->lists[GSIM_FEED_STEADY];
        extends(x, piece, &steady->items[piece->shared], true);
        piece = &steady->items[piece->shared];
        p = (struct gsim_cut_list *)steady;
    }
    if (!instantiate(x, p, piece)) return false;
    gsim_graph_launch(x->run->driver, piece->exec, x->streams[0]);
    return true;
}

enum gsim_status gsim_graphs_prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, gsim_moves_place_default(run), true, error);
}

enum gsim_status gsim_graphs_execute(struct gsim_run *run, const struct gsim_graphs_style *style,
                                     struct gsim_error *error)
{
    static const struct gsim_piece_user user = {.joins = joins, .launch = launch, .share = share};
    struct gsim_piecewise x = {.run = run, .user = &user, .own = style, .what = "graphs", .lane_count = 1,
                               .gpu_count = style->is_on_each_gpu ? gsim_device_count(run->driver) : 1,
                               .stream_count = style->stream_count};
    return gsim_piecewise_run(&x, error);
}
