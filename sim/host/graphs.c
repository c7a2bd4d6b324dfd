/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graph calls of the simulated driver: graphs built explicitly or by stream capture, instantiated, launched. How they
 * run: sim/front/graphs.c.
 */
#include "sim/host/api.h"

static gsim_graph new_graph(struct gsim_process *p)
{
    if (gsim_array_grow(&p->graphs, sizeof *p->graphs, p->graph_count, &p->graph_capacity)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    p->graphs[p->graph_count] = (struct gsim_graph_state){0};
    return (gsim_graph)++p->graph_count; /* handles count from 1 */
}

static uint32_t add_node(struct gsim_process *p, gsim_graph graph, const struct gsim_op *op, uint32_t stream,
                         const uint32_t *after, uint32_t after_count)
{
    struct gsim_graph_state *g = &p->graphs[graph - 1];
    uint32_t *copy = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, after_count);
    if (!copy || gsim_array_grow(&g->nodes, sizeof *g->nodes, g->node_count, &g->node_capacity)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    for (uint32_t i = 0; i < after_count; i++) copy[i] = after[i];
    g->nodes[g->node_count] = (struct gsim_graph_node_state){op, stream, copy, after_count};
    return g->node_count++;
}

static bool is_graph(struct gsim_process *p, gsim_graph graph)
{
    if (graph >= 1 && graph <= p->graph_count) return true;
    gsim_machine_fail(p->machine, GSIM_SIM, "graph %u does not exist", graph);
    return false;
}

gsim_graph gsim_api_graph_create(struct gsim_driver *driver)
{
    return gsim_driver_failed(driver) ? 0 : new_graph(gsim_api_process(driver));
}

gsim_graph_node gsim_api_graph_add(struct gsim_driver *driver, gsim_graph graph, const struct gsim_op *op,
                              const gsim_graph_node *after, uint32_t after_count)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver) || !is_graph(p, graph)) return 0;
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->graph_add_node_us + after_count * p->spec->graph_add_edge_us);
    uint32_t node = add_node(p, graph, op, 0, after, after_count);
    gsim_api_end(p, GSIM_API_GRAPH_ADD, start, 0, 0, NULL);
    return node;
}

void gsim_api_graph_destroy(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver) || !is_graph(p, graph)) return;
    gsim_free(p->graphs[graph - 1].nodes);
    p->graphs[graph - 1] = (struct gsim_graph_state){0};
}

/* --- capture -------------------------------------------------------------------------------------------- */

static bool set_tail(struct gsim_process *p, struct gsim_stream_state *s, const uint32_t *nodes, uint32_t count,
                     bool join)
{
    if (!join) s->tail_count = 0;
    if (s->tail_capacity < s->tail_count + count) {
        uint32_t capacity = 2 * (s->tail_count + count);
        uint32_t *grown = gsim_realloc(s->tail, capacity * sizeof *grown);
        if (!grown) {
            gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
            return false;
        }
        s->tail = grown;
        s->tail_capacity = capacity;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = false;
        for (uint32_t j = 0; j < s->tail_count; j++) is_there = is_there || s->tail[j] == nodes[i];
        if (!is_there) s->tail[s->tail_count++] = nodes[i];
    }
    return true;
}

void gsim_api_capture_begin(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->graph_add_node_us);
    p->streams[stream].capture = new_graph(p);
    p->streams[stream].tail_count = 0;
    gsim_api_end(p, GSIM_API_GRAPH_CAPTURE, start, 0, stream, "begin");
}

gsim_graph gsim_api_capture_end(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return 0;
    gsim_graph graph = p->streams[stream].capture;
    if (!graph) {
        gsim_machine_fail(p->machine, GSIM_SIM, "stream %u ends a capture that it did not begin", stream);
        return 0;
    }
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->graph_add_node_us);
    for (size_t i = 0; i < p->stream_count; i++)
        if (p->streams[i].capture == graph) p->streams[i].capture = 0;
    for (size_t i = 0; i < p->event_count; i++)
        if (p->events[i].capture == graph) p->events[i].capture = 0;
    gsim_api_end(p, GSIM_API_GRAPH_CAPTURE, start, 0, stream, "end");
    return graph;
}

bool gsim_api_capture_op(struct gsim_process *p, uint32_t stream, const struct gsim_op *op)
{
    struct gsim_stream_state *s = &p->streams[stream];
    if (!s->capture) return false;
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->graph_add_node_us);
    uint32_t node = add_node(p, s->capture, op, stream, s->tail, s->tail_count);
    set_tail(p, s, &node, 1, false);
    gsim_api_use_stream(p, stream);
    gsim_api_end(p, GSIM_API_GRAPH_ADD, start, 0, stream, NULL);
    return true;
}

bool gsim_api_capture_record(struct gsim_process *p, uint32_t event, uint32_t stream)
{
    struct gsim_stream_state *s = &p->streams[stream];
    struct gsim_event_state *e = &p->events[event];
    e->capture = 0; /* what an earlier record captured is over */
    if (!s->capture) return false;
    e->capture = s->capture;
    e->stream = stream;
    e->nodes = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, s->tail_count);
    e->node_count = e->nodes ? s->tail_count : 0;
    for (uint32_t i = 0; i < e->node_count; i++) e->nodes[i] = s->tail[i];
    return true;
}

bool gsim_api_capture_wait(struct gsim_process *p, uint32_t stream, uint32_t event)
{
    struct gsim_stream_state *s = &p->streams[stream];
    const struct gsim_event_state *e = &p->events[event];
    if (!e->capture || (s->capture && s->capture != e->capture)) return false;
    if (!s->capture) s->tail_count = 0;
    s->capture = e->capture;
    set_tail(p, s, e->nodes, e->node_count, true);
    return true;
}

/* --- instantiation and launch ------------------------------------------------------------------------------- */

gsim_graph_exec gsim_api_graph_instantiate(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver) || !is_graph(p, graph)) return 0;
    const struct gsim_graph_state *g = &p->graphs[graph - 1];
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->graph_instantiate_us + g->node_count * p->spec->graph_instantiate_node_us);
    struct gsim_exec_state exec = {0};
    if (!gsim_graphs_build(p, g, &exec) || !GSIM_APPEND(p->execs, p->exec_count, p->exec_capacity, exec)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    gsim_api_end(p, GSIM_API_GRAPH_INSTANTIATE, start, 0, 0, NULL);
    return (gsim_graph_exec)p->exec_count; /* handles count from 1 */
}

void gsim_api_graph_exec_destroy(struct gsim_driver *driver, gsim_graph_exec exec)
{
    (void)driver; /* its memory belongs to the run's arena */
    (void)exec;
}

/* What a graph does is read from device memory where other data has displaced it from L2 since its last launch (H200,
 * measured: traces/h200/vm/cold.txt, micro/cold.cu). Counted are kernels that have started when the host launches; what
 * copies displace and what is still queued is not. */
static double start_latency(const struct gsim_device *device, struct gsim_exec_state *x)
{
    bool is_cold = gsim_device_displaced_l2(device, x->launched_at_bytes);
    x->launched_at_bytes = device->touched_bytes;
    return device->spec->graph_start_us + (is_cold ? device->spec->graph_cold_us : 0);
}

void gsim_api_graph_launch(struct gsim_driver *driver, gsim_graph_exec exec, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    if (!exec || exec > p->exec_count) {
        gsim_machine_fail(p->machine, GSIM_SIM, "executable graph %u does not exist", exec);
        return;
    }
    gsim_machine_order(p->machine);
    struct gsim_device *device = gsim_api_device(p, stream);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream), before = p->machine->running->local;
    gsim_managed_launch(device, p->execs[exec - 1].ops, p->execs[exec - 1].node_count, stream,
                        gsim_process_client(p)->iteration);
    waited += p->machine->running->local - before;
    gsim_api_spend(p, p->spec->graph_launch_us + p->execs[exec - 1].node_count * p->spec->graph_launch_node_us);
    gsim_api_issue(p, GSIM_COMMAND_GRAPH, NULL, exec - 1, stream, start, start_latency(device, &p->execs[exec - 1]));
    gsim_api_spend(p, p->execs[exec - 1].copy_count * p->spec->graph_launch_copy_us);
    gsim_api_end(p, GSIM_API_GRAPH_LAUNCH, start, waited, stream, NULL);
}
