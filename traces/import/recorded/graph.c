/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A graph whose nodes ran in several streams. CUDA orders its launch behind what its stream held and before what comes
 * there, and behind its own launch before: so all streams of the launch wait for each other at its begin and its end.
 * In between the graph's edges say what waits for what. A node whose edges were not recorded waits for all nodes of
 * other streams that had ended when it began.
 */
#include <stdlib.h>

#include "sim/base/first.h"
#include "traces/import/records/emitter.h"

static void join(struct gsim_emitter *e)
{
    const struct gsim_emit_launch *l = &e->launch;
    for (uint32_t i = 0; i < l->stream_count; i++)
        for (uint32_t j = 0; j < l->stream_count && !e->failed; j++) {
            uint32_t last = e->streams[l->streams[j]].last;
            if (i != j && last != GSIM_EMIT_NONE) gsim_emit_wait_for(e, &e->streams[l->streams[i]].waits, last);
        }
}

static void begin(struct gsim_emitter *e, const struct gsim_step *step, uint32_t call)
{
    struct gsim_emit_launch *l = &e->launch;
    const struct gsim_step *end = e->steps->steps + e->steps->count;
    const int64_t time_ns = step->time_ns; /* all nodes' */
    l->call = call;
    l->stream_count = l->node_count = 0;
    for (; step < end && step->time_ns == time_ns; step++) {
        const struct gsim_activity *work = step->kind == GSIM_STEP_WORK ? &e->records->works[step->index] : NULL;
        if (!work || work->call != call || e->streams[work->stream].launch == call + 1) continue;
        e->streams[work->stream].launch = call + 1;
        l->streams[l->stream_count++] = work->stream;
    }
    join(e);
}

static int find_copy(const void *key, const void *item)
{
    uint64_t node = *(const uint64_t *)key, from = ((const struct gsim_graph_pair *)item)->from;
    return (node > from) - (node < from);
}

static uint64_t original_of(const struct gsim_records *r, uint64_t node)
{
    const struct gsim_graph_pair *copy =
        node && r->recorded.copy_count
            ? bsearch(&node, r->recorded.copies, r->recorded.copy_count, sizeof *r->recorded.copies, find_copy)
            : NULL;
    return copy ? copy->to : 0;
}

/* The first edge to NODE or behind it. */
static uint32_t first_edge(const struct gsim_records *r, uint64_t node)
{
    GSIM_FIRST (low, r->recorded.edge_count, middle, r->recorded.edges[middle].to < node)
    return low;
}

void gsim_emit_graph(struct gsim_emitter *e, const struct gsim_step *step)
{
    const struct gsim_records *r = e->records;
    const struct gsim_activity *work = &r->works[step->index];
    bool is_node = work->call != GSIM_NO_CALL && r->calls[work->call].kind == GSIM_CALL_GRAPH;
    struct gsim_emit_launch *l = &e->launch;
    if (l->call != GSIM_NO_CALL && (!is_node || l->call != work->call)) join(e);
    if (!is_node) l->call = GSIM_NO_CALL;
    else if (l->call != work->call) begin(e, step, work->call);
    if (!is_node || l->stream_count < 2) return;
    uint64_t original = original_of(r, work->node);
    for (uint32_t i = 0; i < l->node_count && !e->failed; i++) {
        const struct gsim_emit_node *before = &l->nodes[i];
        const struct gsim_emit_made *made = &e->made[before->op];
        bool waits = made->stream != work->stream && made->end_ns <= work->start_ns;
        if (original && before->original) {
            uint32_t edge = first_edge(r, original);
            while (edge < r->recorded.edge_count && r->recorded.edges[edge].to == original &&
                   r->recorded.edges[edge].from != before->original)
                edge++;
            waits =
                edge < r->recorded.edge_count && r->recorded.edges[edge].to == original && made->stream != work->stream;
        }
        if (waits) gsim_emit_wait_for(e, &e->streams[work->stream].waits, before->op);
    }
}

void gsim_emit_graph_made(struct gsim_emitter *e, const struct gsim_activity *work, uint32_t op)
{
    struct gsim_emit_launch *l = &e->launch;
    if (l->call == GSIM_NO_CALL || l->stream_count < 2) return;
    if (!GSIM_APPEND(l->nodes, l->node_count, l->node_room,
                     (struct gsim_emit_node){original_of(e->records, work->node), op}))
        e->failed = true;
}
