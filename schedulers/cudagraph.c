/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cudagraph: an explicit CUDA graph, node by node with its true dependences (tf::cudaFlow, Taskflow 3; the
 * "manual" variants of the GrCUDA suite, IPDPS 2021), instantiated once and relaunched. Placement is the
 * device's. Deviation: one graph per stretch between host accesses, where hand-written variants avoid these.
 */
#include "schedulers/shared/graphs.h"

struct cudagraph_params {
    bool prefetch_nodes;
};

static gsim_graph build(struct gsim_run *run, const struct gsim_graphs_style *style, const gsim_stream *streams,
                        const struct gsim_oplist *list, const struct gsim_dag *dag, uint32_t begin, uint32_t end)
{
    uint32_t widest = 0;
    (void)style;
    (void)streams;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t count = dag->pred_start[i + 1] - dag->pred_start[i];
        if (count > widest) widest = count;
    }
    gsim_graph_node *dependences = gsim_alloc(sizeof(*dependences) * ((size_t)widest + 1));
    if (!dependences) return 0;
    gsim_graph graph = gsim_graph_create(run->driver);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t count = 0;
        for (uint32_t e = dag->pred_start[i]; e < dag->pred_start[i + 1]; e++)
            if (dag->preds[e] >= begin) dependences[count++] = dag->preds[e] - begin; /* nodes are numbered as added */
        gsim_graph_add(run->driver, graph, list->ops[i], dependences, count);
    }
    gsim_free(dependences);
    return graph;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct cudagraph_params *params = run->params;
    struct gsim_graphs_style style = {.stream_count = 1, .prefetch_nodes = params->prefetch_nodes, .build = build};
    return gsim_graphs_execute(run, &style, error);
}

const struct gsim_scheduler_ops gsim_scheduler_cudagraph = {
    GSIM_HEAD(scheduler),
    .name = "cudagraph",
    .summary = "an explicit CUDA graph, instantiated once and relaunched",
    .source = "tf::cudaFlow of Taskflow 3 (github.com/taskflow/taskflow); CUDA Graphs",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct cudagraph_params,
        GSIM_BOOL(struct cudagraph_params, prefetch_nodes, 0,
                  "make prefetches graph nodes, which CUDA does not offer; off: issue them ahead of the graph")),
    .prepare = gsim_graphs_prepare,
    .execute = execute,
};
