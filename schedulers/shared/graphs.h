/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What the CUDA graph schedulers share: cutting an iteration into graphs at host
 * accesses, instantiating each at its first use and relaunching it afterwards. How a graph is built, by nodes
 * or by capture, is the scheduler's.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

/* A run of ops between two host ops becomes one graph; edges inside it alone matter, for all graphs are
 * launched on one stream. Prefetches cannot be graph nodes in CUDA: unless PREFETCH_NODES, they are issued on
 * that stream between graphs. Copies that iteration 0 needs beyond a later iteration go ahead of the graph, so
 * that both share it; a segment that differs otherwise is instantiated twice. Of a program that is drawn each list's
 * graphs are built and instantiated anew. */
struct gsim_graphs_style {
    uint32_t stream_count; /* streams to create; the first carries the launches */
    bool is_on_each_gpu;   /* as many on every GPU: those of GPU d from d * stream_count on */
    bool prefetch_nodes;
    /* The graph of list->ops[begin] to before ops[end]; 0 when memory is out. */
    gsim_graph (*build)(struct gsim_run *run, const struct gsim_graphs_style *style, const gsim_stream *streams,
                        const struct gsim_oplist *list, const struct gsim_dag *dag, uint32_t begin, uint32_t end);
};

/* prepare() and execute() of a graph scheduler. */
enum gsim_status gsim_graphs_prepare(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_graphs_execute(struct gsim_run *run, const struct gsim_graphs_style *style,
                                     struct gsim_error *error) GSIM_NODISCARD;
