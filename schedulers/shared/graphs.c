/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments are cut once per op list; building, instantiating and launching happen in simulated time, when the
 * host gets there. All launches go to one stream, so segments follow each other in order.
 */
#include "schedulers/shared/graphs.h"

#include "gpusim/schedulers/feed.h"
#include "sim/program/draw.h"

#define NONE UINT32_MAX

struct segment {
    uint32_t begin, end; /* in the list; one op when not a graph */
    bool is_graph;
    bool needs_sync;     /* host op: a device op it depends on may be pending */
    uint32_t shared;     /* first list: the steady segment whose graph it launches, NONE: its own */
    gsim_graph_exec exec; /* 0: not instantiated yet */
};

struct segments {
    const struct gsim_oplist *list;
    struct gsim_dag dag;
    struct segment *items;
    size_t count, capacity;
};

struct graphs {
    struct gsim_run *run;
    const struct gsim_graphs_style *style;
    struct segments first, steady, drawn; /* drawn: of the present list */
    gsim_stream *streams;
    bool is_pending;     /* work that the host has not waited for */
};

static bool stands_alone(const struct graphs *g, const struct gsim_op *op)
{
    return gsim_op_is_host(op) || (op->kind == GSIM_OP_PREFETCH && !g->style->prefetch_nodes);
}

static bool cut(const struct graphs *g, struct segments *s)
{
    uint32_t synced = 0; /* ops before this one are complete in the host's eyes */
    for (uint32_t i = 0; i < s->list->op_count;) {
        struct segment item = {.begin = i, .end = i + 1, .is_graph = !stands_alone(g, s->list->ops[i]), .shared = NONE};
        while (item.is_graph && item.end < s->list->op_count && !stands_alone(g, s->list->ops[item.end])) item.end++;
        /* Of a drawn program earlier lists count as well: the host waits where its op touches data. */
        item.needs_sync = g->run->draw && gsim_op_is_host(s->list->ops[i]) &&
                          (s->list->ops[i]->arg_count || s->list->ops[i]->after_count);
        if (gsim_op_is_host(s->list->ops[i]))
            for (uint32_t e = s->dag.pred_start[i]; e < s->dag.pred_start[i + 1] && !item.needs_sync; e++)
                item.needs_sync = s->dag.preds[e] >= synced && !gsim_op_is_host(s->list->ops[s->dag.preds[e]]);
        if (item.needs_sync) synced = i;
        if (s->count == s->capacity && gsim_array_grow((void **)&s->items, sizeof(*s->items), s->count, &s->capacity))
            return false;
        s->items[s->count++] = item;
        i = item.end;
    }
    return true;
}

/* True when FIRST is STEADY plus copies to the device, which can all be made before. */
static bool extends(const struct graphs *g, const struct segment *first, const struct segment *steady)
{
    uint32_t j = steady->begin;
    for (uint32_t i = first->begin; i < first->end; i++) {
        const struct gsim_op *op = g->first.list->ops[i];
        if (j < steady->end && gsim_op_is_same(op, g->steady.list->ops[j])) j++;
        else if (!gsim_op_is_move(g->run, op) || op->kind != GSIM_OP_COPY || op->copy_kind != GSIM_COPY_H2D)
            return false;
    }
    return j == steady->end;
}

/* Prefetches and graphs alternate differently in the two lists; host ops are the same in both and anchor them. */
static void share(struct graphs *g)
{
    size_t j = 0;
    for (size_t i = 0; i < g->first.count; i++) {
        struct segment *first = &g->first.items[i];
        if (!first->is_graph) continue;
        const struct gsim_op *wanted = NULL;
        for (uint32_t n = first->begin; n < first->end && !wanted; n++)
            if (!gsim_op_is_move(g->run, g->first.list->ops[n])) wanted = g->first.list->ops[n];
        for (; wanted && j < g->steady.count; j++) {
            const struct segment *steady = &g->steady.items[j];
            const struct gsim_op *last = g->steady.list->ops[steady->end - 1];
            if (last->index < wanted->index || !steady->is_graph) continue;
            if (extends(g, first, steady)) first->shared = (uint32_t)j;
            break;
        }
    }
}

static enum gsim_status make_segments(struct graphs *g, struct segments *s, const struct gsim_oplist *list,
                                      struct gsim_error *error)
{
    s->list = list;
    enum gsim_status status = gsim_dag_build(g->run, list, &s->dag, error);
    if (status == GSIM_OK && !cut(g, s))
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory while cutting graphs");
    return status;
}

static void release_segments(struct segments *s)
{
    gsim_free(s->items);
    gsim_dag_release(&s->dag);
    *s = (struct segments){0};
}

static bool instantiate(struct graphs *g, const struct segments *s, struct segment *segment)
{
    if (segment->exec) return true;
    gsim_graph graph = g->style->build(g->run, g->style, g->streams, s->list, &s->dag, segment->begin, segment->end);
    if (!graph) return gsim_driver_failed(g->run->driver);
    segment->exec = gsim_graph_instantiate(g->run->driver, graph);
    gsim_graph_destroy(g->run->driver, graph);
    return true;
}

static bool launch_segment(struct graphs *g, struct segments *s, struct segment *segment)
{
    struct segments *from = s;
    if (segment->shared != NONE) {
        struct segment *steady = &g->steady.items[segment->shared];
        uint32_t j = steady->begin;
        for (uint32_t i = segment->begin; i < segment->end; i++) {
            if (j < steady->end && gsim_op_is_same(s->list->ops[i], g->steady.list->ops[j])) j++;
            else gsim_op_issue(g->run->driver, s->list->ops[i], g->streams[0]);
        }
        from = &g->steady;
        segment = steady;
    }
    if (!instantiate(g, from, segment)) return false;
    gsim_graph_launch(g->run->driver, segment->exec, g->streams[0]);
    return true;
}

static void synchronize(struct graphs *g)
{
    gsim_stream_synchronize(g->run->driver, g->streams[0]);
    g->is_pending = false;
}

static bool run_segments(struct graphs *g, struct segments *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct segment *segment = &s->items[i];
        const struct gsim_op *op = s->list->ops[segment->begin];
        if (segment->needs_sync && (g->is_pending || !g->run->draw)) synchronize(g);
        if (segment->is_graph) {
            if (!launch_segment(g, s, segment)) return false;
        } else if (op->kind != GSIM_OP_PREFETCH ||
                   !op->device) { /* its stream is GPU 0's: pages of others come by faults */
            gsim_op_issue(g->run->driver, op, g->streams[0]);
        } else if (g->run->draw) {
            gsim_draw_ended(g->run->draw, op, gsim_now_us(g->run->driver));
        }
        g->is_pending = g->is_pending || !gsim_op_is_host(op);
    }
    return true;
}

static bool run_list(struct graphs *g, const struct gsim_feed *feed, struct gsim_error *error)
{
    struct segments *s = feed->kind == GSIM_FEED_FIRST    ? &g->first
                         : feed->kind == GSIM_FEED_STEADY ? &g->steady
                                                          : &g->drawn;
    if (s == &g->drawn) {
        release_segments(s);
        if (make_segments(g, s, &feed->list, error)) return false;
    }
    if (run_segments(g, s)) return true;
    gsim_error_set(error, GSIM_NOMEM, "out of memory while building a graph");
    return false;
}

static void create_streams(struct graphs *g, uint32_t device_count)
{
    for (uint32_t d = 0, s = 0; d < device_count; d++) {
        if (device_count > 1) gsim_device_set(g->run->driver, d);
        for (uint32_t i = 0; i < g->style->stream_count; i++) g->streams[s++] = gsim_stream_create(g->run->driver, 0);
    }
}

enum gsim_status gsim_graphs_prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, gsim_moves_place_default(run), true, error);
}

enum gsim_status gsim_graphs_execute(struct gsim_run *run, const struct gsim_graphs_style *style,
                                     struct gsim_error *error)
{
    const struct gsim_lowering *known = gsim_feed_known(run);
    struct graphs g = {.run = run, .style = style};
    struct gsim_feed feed = {0};
    uint32_t device_count = style->is_on_each_gpu ? gsim_device_count(run->driver) : 1;
    bool same = !known || known->first.ops == known->steady.ops;
    g.streams = GSIM_ARENA_ARRAY(run->arena, gsim_stream, (size_t)style->stream_count * device_count + 1);
    enum gsim_status status = g.streams ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK && known) status = make_segments(&g, &g.first, &known->first, error);
    if (status == GSIM_OK && !same) status = make_segments(&g, &g.steady, &known->steady, error);
    if (status == GSIM_OK && !same && gsim_device_count(run->driver) < 2)
        share(&g); /* what is left over goes into GPU 0's stream */
    if (status == GSIM_OK) status = gsim_feed_open(&feed, run, GSIM_FEED_MOST, false, error);
    if (status == GSIM_OK) create_streams(&g, device_count);
    while (status == GSIM_OK && gsim_feed_begin(&feed)) {
        while (status == GSIM_OK && gsim_feed_next(&feed))
            status = run_list(&g, &feed, error) ? GSIM_OK : error->status;
        if (g.is_pending) synchronize(&g);
        gsim_feed_end(&feed);
    }
    if (status == GSIM_OK) status = gsim_feed_close(&feed, error);
    else (void)!gsim_feed_close(&feed, &(struct gsim_error){0});
    release_segments(&g.first);
    release_segments(&g.steady);
    release_segments(&g.drawn);
    return status;
}
