/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/shared/pieces.h. */
#include "schedulers/shared/pieces.h"

static enum gsim_status no_memory(const struct gsim_piecewise *x, struct gsim_error *error)
{
    return error->status ? error->status : gsim_error_set(error, GSIM_NOMEM, "out of memory while making %s", x->what);
}

/* Of a drawn program earlier lists count as well: the host waits where its op touches data. SYNCED: ops before this one
 * are complete in the host's eyes. */
static bool needs_sync(const struct gsim_piecewise *x, const struct gsim_cut_list *p, uint32_t node, uint32_t synced)
{
    const struct gsim_op *op = p->list.ops[node];
    if (!gsim_op_is_host(op)) return false;
    if (x->run->draw) return op->arg_count || op->after_count;
    for (uint32_t e = p->dag.pred_start[node]; e < p->dag.pred_start[node + 1]; e++)
        if (p->dag.preds[e] >= synced && !gsim_op_is_host(p->list.ops[p->dag.preds[e]])) return true;
    return false;
}

static bool cut(const struct gsim_piecewise *x, struct gsim_cut_list *p)
{
    uint32_t synced = 0, count = p->list.op_count;
    for (uint32_t i = 0; i < count;) {
        struct gsim_piece piece = {.begin = i, .end = i + 1, .shared = GSIM_NO_PIECE};
        piece.is_joint = x->user->joins(x, p, i, i);
        while (piece.is_joint && piece.end < count && x->user->joins(x, p, i, piece.end)) piece.end++;
        piece.needs_sync = needs_sync(x, p, i, synced);
        if (piece.needs_sync) synced = i;
        if (!GSIM_APPEND(p->items, p->count, p->capacity, piece)) return false;
        i = piece.end;
    }
    return true;
}

static enum gsim_status make(const struct gsim_piecewise *x, struct gsim_cut_list *p, const struct gsim_oplist *list,
                             struct gsim_error *error)
{
    p->list = *list;
    p->count = 0;
    gsim_dag_release(&p->dag);
    if (gsim_dag_build(x->run, &p->list, &p->dag, error)) return error->status;
    if (x->user->arrange && x->lane_count > 1) {
        if (!x->user->arrange(x, p)) return no_memory(x, error);
        gsim_dag_release(&p->dag);
        if (gsim_dag_build(x->run, &p->list, &p->dag, error)) return error->status;
    }
    bool ok = cut(x, p) && (!x->user->link || x->lane_count == 1 || x->user->link(x, p));
    return ok ? GSIM_OK : no_memory(x, error);
}

static enum gsim_status open(struct gsim_piecewise *x, struct gsim_error *error)
{
    const struct gsim_lowering *known = gsim_feed_known(x->run);
    x->streams = GSIM_ARENA_ARRAY(x->run->arena, gsim_stream, (size_t)x->stream_count * x->gpu_count);
    x->is_pending = GSIM_ARENA_ARRAY(x->run->arena, bool, x->lane_count);
    if (!x->streams || !x->is_pending) return no_memory(x, error);
    if (known && make(x, &x->lists[GSIM_FEED_FIRST], &known->first, error)) return error->status;
    if (known && known->first.ops != known->steady.ops) {
        if (make(x, &x->lists[GSIM_FEED_STEADY], &known->steady, error)) return error->status;
        if (x->user->share) x->user->share(x);
    }
    gsim_streams_create(x->run->driver, x->gpu_count, x->stream_count, x->streams);
    return GSIM_OK;
}

static void synchronize(struct gsim_piecewise *x, bool always)
{
    for (uint32_t l = 0; l < x->lane_count; l++) {
        if (x->is_pending[l] || always) gsim_stream_synchronize(x->run->driver, x->streams[l * x->stream_count]);
        x->is_pending[l] = false;
    }
}

static void wait(void *data) { synchronize(data, false); }

static enum gsim_status run_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    struct gsim_piecewise *x = data;
    struct gsim_cut_list *p = &x->lists[feed->kind];
    /* Edges are known within a list. */
    if ((feed->waits && x->waits) || (x->run->draw && x->lane_count > 1)) synchronize(x, false);
    if (x->run->draw && make(x, p, &feed->list, error)) return error->status;
    for (size_t i = 0; i < p->count; i++) {
        const struct gsim_op *op = p->list.ops[p->items[i].begin];
        if (p->items[i].needs_sync) synchronize(x, !x->run->draw && x->lane_count == 1);
        if (!x->user->launch(x, p, &p->items[i])) return no_memory(x, error);
        x->is_pending[gsim_lane_of(x, op)] |= !gsim_op_is_host(op);
    }
    return GSIM_OK;
}

enum gsim_status gsim_piecewise_run(struct gsim_piecewise *x, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = run_list, .wait = wait};
    enum gsim_status status = open(x, error);
    if (status == GSIM_OK) status = gsim_feed_run(x->run, GSIM_FEED_MAX, &user, x, error);
    for (int i = 0; i < 3; i++) {
        gsim_free(x->lists[i].items);
        gsim_dag_release(&x->lists[i].dag);
    }
    return status;
}
