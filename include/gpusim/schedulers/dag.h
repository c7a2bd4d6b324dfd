/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The dependence graph of an op list by true read and write sets: RAW and WAW on the latest
 * writer, WAR on all readers since, and "after" (KeSCo, ICCD 2023). It has no transitive reduction. GrCUDA's rule on
 * declared constness: schedulers/runner/frontier.c.
 */
#pragma once

#include "gpusim/schedulers/moves.h"

GSIM_DECLARATIONS_BEGIN

/* Node i is list->ops[i]; host accesses are nodes too. Every edge points forward in the list.
 *
 * A buffer has one location in managed memory and two, host and device, otherwise: kernels use the device's,
 * host accesses the host's, copies and prefetches read one and write the other. So a host access depends on
 * the copy that brings or takes its data, not on kernels. A managed prefetch writes its buffer (KeSCo). */
struct gsim_dag {
    uint32_t node_count, edge_count;
    uint32_t *pred_start; /* preds of i: preds[pred_start[i]] to before preds[pred_start[i + 1]], ascending */
    uint32_t *preds;
    uint32_t *succ_start, *succs;
};

/* Builds the graph of LIST; the caller releases DAG. Linear in ops, arguments and edges. */
enum gsim_status gsim_dag_build(const struct gsim_run *run, const struct gsim_oplist *list, struct gsim_dag *dag,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_dag_release(struct gsim_dag *dag); /* accepts a zeroed dag */
/* Returns the last predecessor of NODE, a copy back, on its GPU: the maker of its data. UINT32_MAX: none. */
uint32_t gsim_dag_maker(const struct gsim_dag *dag, const struct gsim_oplist *list, uint32_t node);

/* Sets LEVELS, END - BEGIN entries, to the as-soon-as-possible levels from 0 of nodes BEGIN to before END, by edges
 * among them. Returns the number of levels. */
uint32_t gsim_dag_levels(const struct gsim_dag *dag, uint32_t begin, uint32_t end, uint32_t *levels);

/* Sorts the same nodes by level, then list order. The caller provides ORDER, END - BEGIN entries, and LEVEL_START,
 * LEVEL_COUNT + 1 entries. */
void gsim_dag_level_order(const uint32_t *levels, uint32_t begin, uint32_t end, uint32_t level_count, uint32_t *order,
                          uint32_t *level_start);

GSIM_DECLARATIONS_END
