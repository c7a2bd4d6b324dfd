/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * taskflow: tf::cudaFlowCapturer with its round-robin optimiser (Taskflow 3, github.com/taskflow/taskflow):
 * levels dealt out over a few streams, captured into a graph, instantiated once and relaunched. Deviations: one
 * graph per stretch between host accesses; on several GPUs the streams are on each, and a kernel takes one of its own
 * GPU's. Same-stream capture order adds edges that the program has not.
 */
#include "schedulers/shared/graphs.h"

#define NONE UINT32_MAX

struct taskflow_params {
    int64_t streams;
    bool prefetch_nodes;
};

struct capture {
    struct gsim_driver *driver;
    const gsim_stream *streams;
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    uint32_t begin, end, per_gpu, stream_count; /* streams: per_gpu on each */
    uint32_t *levels, *order, *level_start;
    uint32_t *stream_of, *place, *marked; /* per node: stream, place in the capture, the one stream it remembers */
    gsim_event *event;                    /* per node; 0: none recorded */
};

static bool prepare_capture(struct capture *c)
{
    size_t count = (size_t)(c->end - c->begin) + 2;
    uint32_t **arrays[] = {&c->levels, &c->order, &c->level_start, &c->stream_of, &c->place, &c->marked};
    bool ok = true;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        ok = (*arrays[i] = gsim_alloc(sizeof(uint32_t) * count)) && ok;
    c->event = gsim_alloc(sizeof(*c->event) * count);
    if (!ok || !c->event) return false;
    uint32_t level_count = gsim_dag_levels(c->dag, c->begin, c->end, c->levels);
    gsim_dag_level_order(c->levels, c->begin, c->end, level_count, c->order, c->level_start);
    for (uint32_t l = 0; l < level_count; l++)
        for (uint32_t i = c->level_start[l]; i < c->level_start[l + 1]; i++) {
            uint32_t node = c->order[i] - c->begin;
            c->stream_of[node] = (i - c->level_start[l]) % c->per_gpu + c->per_gpu * c->list->ops[c->order[i]]->device;
            c->place[node] = i;
            c->marked[node] = NONE;
        }
    return true;
}

/* A node remembers the stream of its most recently captured predecessor elsewhere; of the predecessors on that
 * stream it waits for the latest alone, of all others for each. */
static void wait_for_preds(struct capture *c, uint32_t node)
{
    gsim_stream stream = c->streams[c->stream_of[node]];
    uint32_t latest = NONE;
    for (uint32_t e = c->dag->pred_start[node + c->begin]; e < c->dag->pred_start[node + c->begin + 1]; e++) {
        if (c->dag->preds[e] < c->begin) continue;
        uint32_t pred = c->dag->preds[e] - c->begin;
        if (c->stream_of[pred] == c->stream_of[node]) continue;
        if (c->stream_of[pred] == c->marked[node]) {
            if (latest == NONE || c->place[pred] > c->place[latest]) latest = pred;
        } else {
            gsim_stream_wait_event(c->driver, stream, c->event[pred]);
        }
    }
    if (latest != NONE) gsim_stream_wait_event(c->driver, stream, c->event[latest]);
}

/* The node's event exists only if a successor is on another stream. */
static void tell_succs(struct capture *c, uint32_t node)
{
    for (uint32_t e = c->dag->succ_start[node + c->begin]; e < c->dag->succ_start[node + c->begin + 1]; e++) {
        if (c->dag->succs[e] >= c->end) continue;
        uint32_t succ = c->dag->succs[e] - c->begin;
        if (c->stream_of[succ] == c->stream_of[node]) continue;
        if (!c->event[node]) {
            c->event[node] = gsim_event_create(c->driver, GSIM_EVENT_NO_TIMING);
            gsim_event_record(c->driver, c->event[node], c->streams[c->stream_of[node]]);
        }
        c->marked[succ] = c->stream_of[node];
    }
}

static gsim_graph build(struct gsim_run *run, const struct gsim_graphs_style *style, const gsim_stream *streams,
                        const struct gsim_oplist *list, const struct gsim_dag *dag, uint32_t begin, uint32_t end)
{
    struct capture c = {.driver = run->driver,
                        .streams = streams,
                        .list = list,
                        .dag = dag,
                        .begin = begin,
                        .end = end,
                        .per_gpu = style->stream_count,
                        .stream_count = style->stream_count * gsim_device_count(run->driver)};
    gsim_graph graph = 0;
    if (prepare_capture(&c)) {
        gsim_capture_begin(c.driver, streams[0]);
        gsim_event fork = gsim_event_create(c.driver, GSIM_EVENT_NO_TIMING);
        gsim_event_record(c.driver, fork, streams[0]);
        for (uint32_t s = 1; s < c.stream_count; s++) gsim_stream_wait_event(c.driver, streams[s], fork);
        for (uint32_t i = 0; i < end - begin; i++) {
            uint32_t node = c.order[i] - begin;
            wait_for_preds(&c, node);
            gsim_op_issue(c.driver, list->ops[c.order[i]], streams[c.stream_of[node]]);
            tell_succs(&c, node);
        }
        for (uint32_t s = 1; s < c.stream_count; s++) {
            gsim_event join = gsim_event_create(c.driver, GSIM_EVENT_NO_TIMING);
            gsim_event_record(c.driver, join, streams[s]);
            gsim_stream_wait_event(c.driver, streams[0], join);
            gsim_event_destroy(c.driver, join);
        }
        graph = gsim_capture_end(c.driver, streams[0]);
        gsim_event_destroy(c.driver, fork);
        for (uint32_t i = 0; i < end - begin; i++)
            if (c.event[i]) gsim_event_destroy(c.driver, c.event[i]);
    }
    void *scratch[] = {c.levels, c.order, c.level_start, c.stream_of, c.place, c.marked, c.event};
    for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++) gsim_free(scratch[i]);
    return graph;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct taskflow_params *params = run->params;
    struct gsim_graphs_style style = {.stream_count = (uint32_t)params->streams,
                                      .prefetch_nodes = params->prefetch_nodes,
                                      .is_on_each_gpu = true,
                                      .build = build};
    return gsim_graphs_execute(run, &style, error);
}

const struct gsim_scheduler_ops gsim_scheduler_taskflow = {
    GSIM_HEAD(scheduler),
    .name = "taskflow",
    .summary = "Taskflow's cudaFlowCapturer: levels round-robin over streams, captured into a CUDA graph",
    .source = "Taskflow 3 (github.com/taskflow/taskflow); Lin and Huang, Euro-Par 2021",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct taskflow_params,
        GSIM_INT(struct taskflow_params, streams, 4, 1, 1024, "",
                 "streams that a level is dealt out over; Taskflow's default is 4"),
        GSIM_BOOL(struct taskflow_params, prefetch_nodes, 0,
                  "capture prefetches too, which CUDA does not offer; off: issue them ahead of the graph")),
    .prepare = gsim_graphs_prepare,
    .execute = execute,
};
