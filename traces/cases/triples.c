/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DAGs whose nodes are triples [kernel, stream, [earlier nodes]] of kernels listed once: irregular graphs. */
#include <math.h>

#include "traces/cases/reader.h"

#define MAX_PAIRS 64 /* of buffers, which have PAIR_BYTES each */
#define PAIR_BYTES GSIM_CASE_BUFFER_BYTES

bool gsim_cases_room(struct gsim_cases_reader *r, const cJSON *nodes, struct gsim_case *c)
{
    if (!cJSON_IsArray(nodes) || !nodes->child) gsim_cases_fail(r, "nodes", "at least one node", nodes);
    if (r->at.failed) return false;
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, (size_t)cJSON_GetArraySize(nodes));
    if (!c->nodes) gsim_position_no_memory(&r->at);
    return c->nodes != NULL;
}

const cJSON *gsim_cases_triple(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case *c)
{
    const cJSON *kernel = cJSON_GetArrayItem(entry, 0), *stream = cJSON_GetArrayItem(entry, 1);
    struct gsim_case_node *node = &c->nodes[c->node_count];
    if (!cJSON_IsNumber(kernel) || kernel->valuedouble < 0 || kernel->valuedouble >= r->solo_count)
        gsim_cases_fail(r, "[0]", "an index of the list kernels", kernel);
    if (!cJSON_IsNumber(stream) || stream->valuedouble < 0 || stream->valuedouble >= GSIM_CASES_MAX_STREAMS)
        gsim_cases_fail(r, "[1]", "a stream", stream);
    gsim_cases_deps(r, cJSON_GetArrayItem(entry, 2), "[2]", c->node_count, NULL, node);
    if (r->at.failed) return NULL;
    node->stream = gsim_whole_u32(stream->valuedouble);
    node->start_us = node->end_us = NAN;
    if (node->stream >= c->stream_count) c->stream_count = node->stream + 1;
    c->node_count++;
    return kernel;
}

/* "buf" of a kernel is a pair of buffers: it reads "elems" of 16 bytes of one and writes the other. */
static void read_node(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case *c)
{
    struct gsim_case_node *node = &c->nodes[c->node_count];
    const cJSON *kernel = gsim_cases_triple(r, entry, c);
    if (!kernel) return;
    const cJSON *from = r->solo[gsim_whole_u32(kernel->valuedouble)], *pair = gsim_cases_member(from, "buf");
    gsim_cases_kernel(r, from, &node->kernel);
    if (pair && !(cJSON_IsNumber(pair) && pair->valuedouble >= -1 && pair->valuedouble < MAX_PAIRS))
        gsim_cases_fail(r, "buf", "a pair of buffers, or -1", pair);
    if (r->at.failed || !pair || pair->valuedouble < 0) return;
    node->buffer = 2 * gsim_whole_u32(pair->valuedouble);
    node->part_bytes = 16 * (uint64_t)gsim_cases_count_or(r, from, "elems", PAIR_BYTES / 16, NAN);
    if (node->part_bytes && node->buffer + 2 > c->buffer_count) c->buffer_count = node->buffer + 2;
}

void gsim_cases_irregular(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    const cJSON *nodes = gsim_cases_list(r, object, "nodes"), *node;
    uint32_t index = 0;
    c->makespan_us[GSIM_SCHEDULE_LIVE] = gsim_cases_number(r, object, "streams8_us");
    c->makespan_us[GSIM_SCHEDULE_SERIAL] = gsim_cases_number(r, object, "one_stream_us");
    c->makespan_us[GSIM_SCHEDULE_SYNC] = gsim_cases_number(r, object, "sync_each_us");
    c->makespan_us[GSIM_SCHEDULE_GRAPH] = gsim_cases_number(r, object, "graph_relaunch_us");
    c->spread_ratio = NAN;
    if (!gsim_cases_room(r, nodes, c)) return;
    cJSON_ArrayForEach(node, nodes)
    {
        size_t back = gsim_position_enter(&r->at, ".nodes[%u]", index++);
        read_node(r, node, c);
        gsim_position_leave(&r->at, back);
        if (r->at.failed) return;
    }
}
