/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A driver backend for tests: takes no time, records every op, and keeps for each the set of ops that are
 * certainly complete when it starts (streams, events, synchronisation, graphs). check.h judges such a record.
 */
#pragma once

#include "gpusim/scheduler.h"

#define REC_ITEMS 1024
#define REC_WORDS (REC_ITEMS / 64)
#define REC_STREAMS 512
#define REC_EVENTS 4096
#define REC_GRAPHS 256
#define REC_NODES 128
#define REC_EDGES 4096
#define REC_NONE UINT32_MAX

struct rec_set {
    uint64_t words[REC_WORDS];
};

struct rec_item {
    const struct gsim_op *op;
    uint32_t iteration, stream, graph_node; /* graph_node: REC_NONE outside graphs */
    struct rec_set before;
};

struct rec_node {
    const struct gsim_op *op;
    uint32_t stream;       /* of the capture; REC_NONE for explicit nodes */
    struct rec_set before; /* of nodes of the graph, transitively */
};

struct rec_graph {
    struct rec_node nodes[REC_NODES];
    uint32_t node_count, edge_count;
};

struct rec_stream {
    struct rec_set done; /* complete before the next op of the stream starts */
    uint32_t last_item, pending_waits[64], pending_count;
    int priority;
    bool capturing;
    struct rec_set captured; /* nodes before the next captured one */
};

struct rec_event {
    struct rec_set done;
    uint32_t last_item, stream;
    bool recorded, captured, destroyed;
};

/* A wait on another stream's op: FROM must end before TO. */
struct rec_edge {
    uint32_t from, to, iteration;
};

struct recorder {
    struct gsim_driver driver; /* first: the backend's convention */
    struct rec_item items[REC_ITEMS];
    struct rec_stream streams[REC_STREAMS];
    struct rec_event events[REC_EVENTS];
    struct rec_graph graphs[REC_GRAPHS];
    uint32_t execs[REC_GRAPHS];
    struct rec_edge edges[REC_EDGES];
    struct rec_set host;
    uint32_t item_count, stream_count, event_count, graph_count, exec_count, edge_count;
    uint32_t iteration, capture_graph, fail_after, calls;
    bool in_iteration, pending_at_end; /* pending_at_end: an iteration ended with work pending */
    uint32_t records, waits, syncs, device_syncs, launches, graph_launches, attaches, event_creates, iterations_ended;
    double host_us;
    char problem[200];         /* misuse of the driver: the first one */
    struct gsim_arena arena;   /* the run's: inserted ops live there */
};

#define REC(driver) ((struct recorder *)(void *)(driver))
#define REC_PROBLEM(r, ...)                                                                   \
    do {                                                                                      \
        if (!(r)->problem[0]) snprintf((r)->problem, sizeof((r)->problem), __VA_ARGS__);      \
    } while (0)

static inline void rec_add(struct rec_set *set, uint32_t bit) { set->words[bit / 64] |= 1ull << (bit % 64); }
static inline bool rec_has(const struct rec_set *set, uint32_t bit) { return set->words[bit / 64] >> (bit % 64) & 1; }
static inline void rec_join(struct rec_set *set, const struct rec_set *other)
{
    for (int i = 0; i < REC_WORDS; i++) set->words[i] |= other->words[i];
}

/* Counts a call; false once the driver has failed or is to fail now. */
static inline bool rec_call(struct gsim_driver *d)
{
    struct recorder *r = REC(d);
    if (gsim_driver_failed(d)) return false;
    if (r->fail_after && ++r->calls >= r->fail_after)
        gsim_error_set(&d->error, GSIM_SIM, "the recorder was told to fail");
    return !gsim_driver_failed(d);
}

static inline struct rec_stream *rec_stream(struct recorder *r, gsim_stream s)
{
    if (s < r->stream_count) return &r->streams[s];
    REC_PROBLEM(r, "stream %u does not exist", s);
    return &r->streams[0];
}

static inline gsim_stream rec_stream_create(struct gsim_driver *d, int priority)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return 0;
    if (r->stream_count == REC_STREAMS) {
        REC_PROBLEM(r, "too many streams for the recorder");
        return 0;
    }
    r->streams[r->stream_count].priority = priority;
    r->streams[r->stream_count].last_item = REC_NONE;
    return r->stream_count++;
}
static inline void rec_stream_destroy(struct gsim_driver *d, gsim_stream s) { rec_call(d); (void)s; }

static inline void rec_stream_synchronize(struct gsim_driver *d, gsim_stream s)
{
    if (!rec_call(d)) return;
    if (rec_stream(REC(d), s)->capturing) REC_PROBLEM(REC(d), "stream %u synchronised while capturing", s);
    rec_join(&REC(d)->host, &rec_stream(REC(d), s)->done);
    REC(d)->syncs++;
}
static inline void rec_device_synchronize(struct gsim_driver *d)
{
    if (!rec_call(d)) return;
    for (uint32_t s = 0; s < REC(d)->stream_count; s++) rec_join(&REC(d)->host, &REC(d)->streams[s].done);
    REC(d)->device_syncs++;
}
static inline bool rec_stream_query(struct gsim_driver *d, gsim_stream s)
{
    return rec_call(d) && s < REC(d)->stream_count;
}

static inline gsim_event rec_event_create(struct gsim_driver *d, enum gsim_event_flags flags)
{
    struct recorder *r = REC(d);
    (void)flags;
    if (!rec_call(d)) return 0;
    r->event_creates++;
    if (r->event_count == REC_EVENTS) {
        REC_PROBLEM(r, "too many events for the recorder");
        return 0;
    }
    return r->event_count++;
}
static inline struct rec_event *rec_event(struct recorder *r, gsim_event e)
{
    if (e == 0 || e >= r->event_count || r->events[e].destroyed) REC_PROBLEM(r, "event %u does not exist", e);
    return &r->events[e < r->event_count ? e : 0];
}
static inline void rec_event_destroy(struct gsim_driver *d, gsim_event e)
{
    if (rec_call(d)) rec_event(REC(d), e)->destroyed = true;
}
static inline void rec_event_record(struct gsim_driver *d, gsim_event e, gsim_stream s)
{
    if (!rec_call(d)) return;
    struct rec_event *event = rec_event(REC(d), e);
    struct rec_stream *stream = rec_stream(REC(d), s);
    *event = (struct rec_event){.done = stream->capturing ? stream->captured : stream->done,
                                .last_item = stream->last_item,
                                .stream = s,
                                .recorded = true,
                                .captured = stream->capturing};
    REC(d)->records++;
}
static inline void rec_stream_wait_event(struct gsim_driver *d, gsim_stream s, gsim_event e)
{
    if (!rec_call(d)) return;
    struct rec_event *event = rec_event(REC(d), e);
    struct rec_stream *stream = rec_stream(REC(d), s);
    REC(d)->waits++;
    if (!event->recorded) {
        REC_PROBLEM(REC(d), "a wait for event %u, which was never recorded, orders nothing", e);
        return;
    }
    if (event->captured) {
        stream->capturing = true;
        rec_join(&stream->captured, &event->done);
        return;
    }
    rec_join(&stream->done, &event->done);
    if (stream->pending_count < 64 && event->last_item != REC_NONE)
        stream->pending_waits[stream->pending_count++] = event->last_item;
}
static inline void rec_event_synchronize(struct gsim_driver *d, gsim_event e)
{
    if (rec_call(d)) rec_join(&REC(d)->host, &rec_event(REC(d), e)->done);
}
static inline bool rec_event_query(struct gsim_driver *d, gsim_event e) { return rec_call(d) && e != 0; }

static inline struct rec_item *rec_item(struct recorder *r, const struct gsim_op *op, uint32_t stream)
{
    if (r->item_count == REC_ITEMS) {
        REC_PROBLEM(r, "too many ops for the recorder");
        r->item_count--;
    }
    if (!r->in_iteration) REC_PROBLEM(r, "op %u issued outside an iteration", op->index);
    struct rec_item *item = &r->items[r->item_count++];
    *item = (struct rec_item){.op = op, .iteration = r->iteration, .stream = stream, .graph_node = REC_NONE};
    return item;
}

static inline void rec_capture(struct recorder *r, const struct gsim_op *op, gsim_stream s)
{
    struct rec_graph *graph = &r->graphs[r->capture_graph];
    struct rec_stream *stream = &r->streams[s];
    if (graph->node_count == REC_NODES) {
        REC_PROBLEM(r, "too many graph nodes for the recorder");
        return;
    }
    graph->nodes[graph->node_count] = (struct rec_node){op, s, stream->captured};
    rec_add(&stream->captured, graph->node_count++);
}

static inline void rec_launch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return;
    struct rec_stream *stream = rec_stream(r, s);
    r->launches++;
    if (stream->capturing) {
        rec_capture(r, op, s);
        return;
    }
    struct rec_item *item = rec_item(r, op, s);
    uint32_t index = (uint32_t)(item - r->items);
    rec_join(&stream->done, &r->host);
    rec_join(&stream->done, &r->streams[0].done); /* the legacy default stream orders all others */
    for (uint32_t other = 0; s == 0 && other < r->stream_count; other++)
        rec_join(&stream->done, &r->streams[other].done);
    item->before = stream->done;
    rec_add(&stream->done, index);
    stream->last_item = index;
    for (uint32_t i = 0; i < stream->pending_count; i++)
        if (r->edge_count < REC_EDGES)
            r->edges[r->edge_count++] = (struct rec_edge){stream->pending_waits[i], index, r->iteration};
    stream->pending_count = 0;
}
#define rec_memcpy_async   rec_launch
#define rec_prefetch_async rec_launch

static inline void rec_stream_attach(struct gsim_driver *d, uint32_t buffer, gsim_stream s)
{
    (void)buffer;
    if (rec_call(d)) {
        rec_stream(REC(d), s);
        REC(d)->attaches++;
    }
}

static inline void rec_host_access(struct gsim_driver *d, const struct gsim_op *op)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return;
    struct rec_item *item = rec_item(r, op, REC_NONE);
    item->before = r->host;
    rec_add(&r->host, (uint32_t)(item - r->items));
}
static inline void rec_host_work(struct gsim_driver *d, double us, const char *what)
{
    (void)what;
    if (rec_call(d)) REC(d)->host_us += us;
}

static inline gsim_graph rec_graph_create(struct gsim_driver *d)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return 0;
    if (r->graph_count == REC_GRAPHS) {
        REC_PROBLEM(r, "too many graphs for the recorder");
        return 0;
    }
    r->graphs[r->graph_count].node_count = 0;
    return r->graph_count++;
}
static inline gsim_graph_node rec_graph_add(struct gsim_driver *d, gsim_graph g, const struct gsim_op *op,
                                            const gsim_graph_node *dependences, uint32_t count)
{
    if (!rec_call(d)) return 0;
    struct rec_graph *graph = &REC(d)->graphs[g];
    struct rec_node *node = &graph->nodes[graph->node_count];
    *node = (struct rec_node){.op = op, .stream = REC_NONE};
    for (uint32_t i = 0; i < count; i++) {
        if (dependences[i] >= graph->node_count)
            REC_PROBLEM(REC(d), "graph node %u depends on a later one", graph->node_count);
        rec_join(&node->before, &graph->nodes[dependences[i]].before);
        rec_add(&node->before, dependences[i]);
    }
    graph->edge_count += count;
    return graph->node_count++;
}
static inline void rec_graph_destroy(struct gsim_driver *d, gsim_graph g) { rec_call(d); (void)g; }
static inline void rec_capture_begin(struct gsim_driver *d, gsim_stream s)
{
    if (!rec_call(d)) return;
    REC(d)->capture_graph = rec_graph_create(d);
    rec_stream(REC(d), s)->capturing = true;
}
static inline gsim_graph rec_capture_end(struct gsim_driver *d, gsim_stream s)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return 0;
    const struct rec_graph *graph = &r->graphs[r->capture_graph];
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (!rec_has(&rec_stream(r, s)->captured, n)) REC_PROBLEM(r, "captured node %u was never joined", n);
    for (uint32_t i = 0; i < r->stream_count; i++) {
        r->streams[i].capturing = false;
        memset(&r->streams[i].captured, 0, sizeof(r->streams[i].captured));
    }
    return r->capture_graph;
}
static inline gsim_graph_exec rec_graph_instantiate(struct gsim_driver *d, gsim_graph g)
{
    if (!rec_call(d)) return 0;
    REC(d)->execs[REC(d)->exec_count] = g;
    return REC(d)->exec_count++;
}
static inline void rec_graph_launch(struct gsim_driver *d, gsim_graph_exec e, gsim_stream s)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return;
    if (e == 0 || e >= r->exec_count) {
        REC_PROBLEM(r, "executable graph %u does not exist", e);
        return;
    }
    const struct rec_graph *graph = &r->graphs[r->execs[e]];
    struct rec_stream *stream = rec_stream(r, s);
    rec_join(&stream->done, &r->host);
    struct rec_set start = stream->done;
    uint32_t first = r->item_count;
    r->graph_launches++;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        struct rec_item *item = rec_item(r, graph->nodes[n].op, graph->nodes[n].stream);
        item->graph_node = n;
        item->before = start;
        for (uint32_t p = 0; p < n; p++)
            if (rec_has(&graph->nodes[n].before, p)) rec_add(&item->before, first + p);
        rec_add(&stream->done, first + n);
    }
}
static inline void rec_graph_exec_destroy(struct gsim_driver *d, gsim_graph_exec e) { rec_call(d); (void)e; }

/* Tasks of a resident launch run like nodes of a graph: behind what the plan says they follow. */
static inline void rec_persistent_launch(struct gsim_driver *d, const struct gsim_persistent *plan, gsim_stream s)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return;
    struct rec_stream *stream = rec_stream(r, s);
    uint32_t first = r->item_count;
    rec_join(&stream->done, &r->host);
    const struct rec_set done = stream->done;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct rec_item *item = rec_item(r, plan->ops[i], s);
        item->before = done;
        for (uint32_t e = plan->after_start[i]; e < plan->after_start[i + 1]; e++) {
            if (plan->after[e] >= i) REC_PROBLEM(r, "task %u follows a later one", i);
            rec_join(&item->before, &r->items[first + plan->after[e]].before);
            rec_add(&item->before, first + plan->after[e]);
        }
        rec_add(&stream->done, first + i);
    }
    r->launches++;
}

static inline void rec_iteration_begin(struct gsim_driver *d, uint32_t i)
{
    if (!rec_call(d)) return;
    if (REC(d)->in_iteration || i != REC(d)->iterations_ended)
        REC_PROBLEM(REC(d), "iteration %u begins out of order", i);
    REC(d)->iteration = i;
    REC(d)->in_iteration = true;
}
static inline void rec_iteration_end(struct gsim_driver *d, uint32_t i)
{
    struct recorder *r = REC(d);
    if (!rec_call(d)) return;
    if (!r->in_iteration || i != r->iteration) REC_PROBLEM(r, "iteration %u ends out of order", i);
    r->in_iteration = false;
    r->iterations_ended++;
    for (uint32_t n = 0; n < r->item_count; n++)
        if (!rec_has(&r->host, n)) r->pending_at_end = true;
}
static inline double rec_now_us(struct gsim_driver *d) { return (double)REC(d)->calls; }

/* Host threads, locks and queues are not used by the schedulers tested with this backend: left NULL. */
static const struct gsim_driver_ops rec_ops = {
    GSIM_HEAD(driver),
    .name = "recorder",
    .persistent_launch = rec_persistent_launch,
#define GSIM_DRIVER_WITHOUT_THREADS
#define GSIM_DRIVER_WITHOUT_OPTIONAL
#define GSIM_DO(name, parameters, arguments)         .name = rec_##name,
#define GSIM_CALL(type, name, parameters, arguments) .name = rec_##name,
#include "gpusim/driver.def"
};

static inline struct recorder *rec_create(void)
{
    struct recorder *r = calloc(1, sizeof(*r)); /* not gsim_alloc: the tests make that fail */
    if (!r) abort();
    r->driver.ops = &rec_ops;
    r->stream_count = r->event_count = r->graph_count = r->exec_count = 1; /* handle 0: default stream, none */
    r->streams[0].last_item = REC_NONE;
    return r;
}

static inline void rec_destroy(struct recorder *r)
{
    gsim_arena_release(&r->arena);
    free(r);
}
