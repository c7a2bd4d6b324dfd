/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the host called, as the second simulator of brute.h sees it. */
#include "tests/contract/brute_seen.h"

#define seen brute_saw

struct brute brute_saw;

static const struct gsim_op *own(const struct gsim_op *op)
{
    if (!op) return NULL;
    seen.is_beyond |= seen.op_count == MOST;
    if (seen.op_count == MOST) return &seen.ops[0];
    seen.ops[seen.op_count] = *op;
    return &seen.ops[seen.op_count++];
}

static struct call *add(enum kind kind, uint32_t stream, uint32_t event, const struct gsim_op *op)
{
    if (seen.count == MOST || stream >= STREAMS || event >= EVENTS) {
        seen.is_beyond = true;
        return &seen.calls[0];
    }
    uint32_t thread = gsim_api_process(seen.forward.below)->machine->running->index;
    seen.is_beyond |= thread >= THREADS;
    seen.calls[seen.count] = (struct call){
        .kind = kind, .stream = stream, .event = event, .thread = thread % THREADS, .op = own(op), .marker = -1};
    return &seen.calls[seen.count++];
}

#define BELOW(d) (((struct gsim_forward *)(d))->below)
#define SEES(name, parameters, sees, calls) static void name parameters { sees; calls; }
static const struct gsim_device_spec *spec_of(struct gsim_driver *d) { return gsim_api_process(BELOW(d))->spec; }
static void add_node(gsim_graph g, const struct gsim_op *op, uint64_t after, uint32_t stream)
{
    struct graph *to = &seen.graphs[g % GRAPHS];
    seen.is_beyond |= g >= GRAPHS || to->count == NODES || op->programmatic;
    if (seen.is_beyond) return;
    to->ops[to->count] = own(op), to->after[to->count] = after, to->streams[to->count++] = stream;
}
/* Whether an op for S becomes a graph's node. */
static bool captures(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    if (s >= STREAMS || !seen.capture[s]) return false;
    add_node(seen.capture[s], op, seen.tail[s], s);
    seen.tail[s] = UINT64_C(1) << ((seen.graphs[seen.capture[s]].count - 1) % NODES);
    add(WORK, 0, 0, NULL)->us = spec_of(d)->graph_add_node_us;
    return true;
}
static void on_launch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    seen.is_beyond |= op->programmatic;
    if (!captures(d, op, s)) add(KERNEL, s, 0, op);
    gsim_launch(BELOW(d), op, s);
}
SEES(on_copy, (struct gsim_driver *d, const struct gsim_op *op, gsim_stream s),
     captures(d, op, s) ? NULL : add(COPY, s, 0, op), gsim_memcpy_async(BELOW(d), op, s))
static gsim_stream on_stream(struct gsim_driver *d, int priority)
{
    gsim_stream s = gsim_stream_create(BELOW(d), priority);
    if (s < STREAMS) seen.priority[s] = priority;
    return s;
}
static gsim_event on_create(struct gsim_driver *d, enum gsim_event_flags flags)
{
    gsim_event e = gsim_event_create(BELOW(d), flags);
    if (e < EVENTS) seen.is_timed[e] = flags == GSIM_EVENT_TIMING;
    return e;
}
static void on_record(struct gsim_driver *d, gsim_event e, gsim_stream s)
{
    struct call *c = add(RECORD, s, e, NULL);
    seen.captured[c->event] = seen.capture[c->stream], seen.recorded[c->event] = seen.tail[c->stream];
    if (seen.capture[c->stream]) c->kind = WORK, c->us = spec_of(d)->event_record_no_timing_us;
    seen.is_beyond |= c->kind == WORK && seen.is_timed[c->event];
    gsim_event_record(BELOW(d), e, s);
}
static void on_wait(struct gsim_driver *d, gsim_stream s, gsim_event e)
{
    struct call *c = add(WAIT, s, e, NULL);
    uint32_t graph = seen.captured[c->event], *own = &seen.capture[c->stream];
    if (graph && (!*own || *own == graph)) {
        seen.tail[c->stream] = (*own ? seen.tail[c->stream] : 0) | seen.recorded[c->event];
        *own = graph, c->kind = WORK, c->us = spec_of(d)->stream_wait_us;
    }
    gsim_stream_wait_event(BELOW(d), s, e);
}
SEES(on_work, (struct gsim_driver *d, double us, const char *what),
     add(WORK, 0, 0, NULL)->us = us, gsim_host_work(BELOW(d), us, what))
SEES(on_sync_stream, (struct gsim_driver *d, gsim_stream s),
     add(SYNC_STREAM, s, 0, NULL), gsim_stream_synchronize(BELOW(d), s))
SEES(on_sync_event, (struct gsim_driver *d, gsim_event e),
     add(SYNC_EVENT, 0, e, NULL), gsim_event_synchronize(BELOW(d), e))
SEES(on_sync_all, (struct gsim_driver *d), add(SYNC_ALL, 0, 0, NULL), gsim_device_synchronize(BELOW(d)))
static bool on_query_event(struct gsim_driver *d, gsim_event e)
{
    add(QUERY, 0, e, NULL);
    return gsim_event_query(BELOW(d), e);
}
static bool on_query_stream(struct gsim_driver *d, gsim_stream s)
{
    add(QUERY, s, 0, NULL);
    return gsim_stream_query(BELOW(d), s);
}
SEES(on_begin, (struct gsim_driver *d, uint32_t i), add(BEGIN, 0, 0, NULL), gsim_iteration_begin(BELOW(d), i))
SEES(on_end, (struct gsim_driver *d, uint32_t i), add(END, 0, 0, NULL), gsim_iteration_end(BELOW(d), i))
static gsim_graph_node on_add(struct gsim_driver *d, gsim_graph g, const struct gsim_op *op,
                              const gsim_graph_node *after, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) bits |= UINT64_C(1) << after[i] % NODES;
    add_node(g, op, bits, 0);
    add(WORK, 0, 0, NULL)->us = spec_of(d)->graph_add_node_us + count * spec_of(d)->graph_add_edge_us;
    return gsim_graph_add(BELOW(d), g, op, after, count);
}
static void on_capture(struct gsim_driver *d, gsim_stream s)
{
    add(WORK, 0, 0, NULL)->us = spec_of(d)->graph_add_node_us;
    gsim_capture_begin(BELOW(d), s);
    uint32_t graph = (uint32_t)gsim_api_process(BELOW(d))->graph_count;
    seen.is_beyond |= s >= STREAMS || graph >= GRAPHS;
    if (!seen.is_beyond) seen.capture[s] = graph, seen.tail[s] = 0;
}
static gsim_graph on_captured(struct gsim_driver *d, gsim_stream s)
{
    gsim_graph graph = gsim_capture_end(BELOW(d), s);
    add(WORK, 0, 0, NULL)->us = spec_of(d)->graph_add_node_us;
    for (int i = 0; i < STREAMS; i++) seen.capture[i] *= seen.capture[i] != graph;
    for (int i = 0; i < EVENTS; i++) seen.captured[i] *= seen.captured[i] != graph;
    return graph;
}
static gsim_graph_exec on_instantiate(struct gsim_driver *d, gsim_graph g)
{
    gsim_graph_exec x = gsim_graph_instantiate(BELOW(d), g);
    seen.is_beyond |= x >= GRAPHS || g >= GRAPHS;
    if (!seen.is_beyond) seen.graph_of[x] = g;
    add(WORK, 0, 0, NULL)->us = spec_of(d)->graph_instantiate_us +
                                seen.graphs[g % GRAPHS].count * spec_of(d)->graph_instantiate_node_us;
    return x;
}
SEES(on_graph_launch, (struct gsim_driver *d, gsim_graph_exec x, gsim_stream s),
     add(GRAPH, s, 0, NULL)->other = seen.graph_of[x % GRAPHS], gsim_graph_launch(BELOW(d), x, s))
static gsim_thread on_thread(struct gsim_driver *d, gsim_body body, void *argument)
{
    struct call *c = add(CREATE, 0, 0, NULL);
    return c->other = seen.create(d, body, argument);
}
static gsim_lock on_lock(struct gsim_driver *d)
{
    seen.is_beyond = true;
    return gsim_lock_create(BELOW(d));
}
static gsim_queue on_queue(struct gsim_driver *d, uint32_t capacity)
{
    seen.is_beyond = true;
    return gsim_queue_create(BELOW(d), capacity);
}
SEES(on_join, (struct gsim_driver *d, gsim_thread thread),
     add(JOIN, 0, 0, NULL)->other = thread, gsim_thread_join(BELOW(d), thread))
static uint32_t on_wait_any(struct gsim_driver *d, const struct gsim_waitable *list, uint32_t count, double timeout_us)
{
    struct call *c = add(WAIT_ANY, 0, 0, NULL);
    c->first = seen.waitable_count;
    for (uint32_t i = 0; i < count && seen.waitable_count < MOST; i++) {
        seen.is_beyond |= list[i].kind == GSIM_WAITABLE_QUEUE ||
                          list[i].handle >= (list[i].kind == GSIM_WAITABLE_STREAM ? STREAMS : EVENTS);
        seen.waitables[seen.waitable_count++] = list[i];
    }
    c->last = seen.waitable_count;
    seen.is_beyond |= timeout_us >= 0 || seen.waitable_count == MOST;
    return gsim_wait_any(BELOW(d), list, count, timeout_us);
}
SEES(on_persistent, (struct gsim_driver *d, const struct gsim_persistent *plan, gsim_stream s),
     seen.is_beyond = true, gsim_persistent_launch(BELOW(d), plan, s))
SEES(on_host_func, (struct gsim_driver *d, gsim_body body, void *argument, gsim_stream s),
     seen.is_beyond = true, gsim_launch_host_func(BELOW(d), body, argument, s))
SEES(on_frontend, (struct gsim_driver *d, const struct gsim_frontend_ops *ops, void *policy),
     seen.is_beyond = true, gsim_frontend_set(BELOW(d), ops, policy))

struct gsim_driver *brute_attach(void *data, struct gsim_driver *real)
{
    (void)data;
    memset(&seen, 0, sizeof seen);
    gsim_forward_init(&seen.forward, real);
    struct gsim_driver_ops *o = &seen.forward.ops;
    o->launch = on_launch, o->memcpy_async = on_copy, o->event_record = on_record, o->event_create = on_create,
    o->stream_create = on_stream, o->stream_wait_event = on_wait;
    o->host_work = on_work, o->stream_synchronize = on_sync_stream, o->event_synchronize = on_sync_event;
    o->device_synchronize = on_sync_all, o->event_query = on_query_event, o->stream_query = on_query_stream;
    o->iteration_begin = on_begin, o->iteration_end = on_end, o->graph_add = on_add, o->capture_begin = on_capture;
    o->capture_end = on_captured, o->graph_instantiate = on_instantiate, o->graph_launch = on_graph_launch;
    seen.create = o->thread_create;
    o->thread_create = on_thread, o->thread_join = on_join, o->lock_create = on_lock, o->queue_create = on_queue,
    o->wait_any = on_wait_any, o->persistent_launch = on_persistent;
    o->launch_host_func = on_host_func, o->frontend_set = on_frontend;
    return &seen.forward.driver;
}

bool brute_sees_all(void) { return !seen.is_beyond; }
