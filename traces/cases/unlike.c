/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unlike kernels, of which a profiler of single kernels (ncu) has a row each: two on two streams, and DAGs. Made ones
 * are the list "kernels", row by row, and run live; a library's are "profiles" by op, and run as graphs. Of what the
 * kernels compute and move the cases know nothing: predictions get it from the profiler or not at all.
 */
#include <math.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "traces/cases/reader.h"
#include "traces/kernels/names.h"

/* The node's kernel is FROM, called NAME, the row ROW of the profiler's file. */
static void read_kernel(struct gsim_cases_reader *r, const cJSON *from, const cJSON *name, double solo_us, uint32_t row,
                        struct gsim_case_node *node)
{
    char *copy = cJSON_IsString(name) ? gsim_arena_printf(&r->set->arena, "%.*s", GSIM_LIMIT_NAME, name->valuestring)
                                      : gsim_arena_strdup(&r->set->arena, "kernel");
    if (!copy) gsim_position_no_memory(&r->at);
    if (!r->at.failed) gsim_cases_shape(r, from, gsim_text_clean(copy), &node->kernel);
    if (!r->at.failed && !(solo_us > 0))
        gsim_cases_fail(r, "solo_us", "a positive time", gsim_cases_member(from, "solo_us"));
    node->kernel.solo_us = solo_us;
    node->kernel.solo_profiled = r->profiles != NULL;
    gsim_cluster_by_name(node->kernel.name, &node->kernel.grid, &node->kernel.cluster);
    node->profile_row = row;
    node->has_profile_row = true;
}

static void read_made(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case *c)
{
    struct gsim_case_node *node = &c->nodes[c->node_count];
    const cJSON *kernel = gsim_cases_triple(r, entry, c);
    if (!kernel) return;
    uint32_t row = gsim_whole_u32(kernel->valuedouble);
    const cJSON *from = r->solo[row];
    read_kernel(r, from, gsim_cases_member(from, "type"), gsim_cases_time_us(r, from, "solo_ns"), row, node);
}

static void read_of_library(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case *c)
{
    struct gsim_case_node *node = &c->nodes[c->node_count];
    const cJSON *op = gsim_cases_member(entry, "op");
    const cJSON *from = cJSON_IsString(op) ? gsim_cases_member(r->profiles, op->valuestring) : NULL;
    if (!from) gsim_cases_fail(r, "op", "a name of the object profiles", op);
    node->stream = gsim_cases_count_or(r, entry, "stream", GSIM_CASES_MAX_STREAMS - 1, NAN);
    gsim_cases_deps(r, gsim_cases_member(entry, "dep"), "dep", c->node_count, NULL, node);
    if (r->at.failed) return;
    node->start_us = node->end_us = NAN;
    if (node->stream >= c->stream_count) c->stream_count = node->stream + 1;
    c->node_count++;
    double solo_us = gsim_cases_number_or(r, from, "solo_us", GSIM_LIMIT_US, NAN);
    uint32_t row = gsim_cases_count_or(r, from, "ncu_id", UINT32_MAX, NAN);
    read_kernel(r, from, gsim_cases_member(from, "name"), solo_us, row, node);
}

/* The middle one of the times, and half their range over it. */
static double middle_us(struct gsim_cases_reader *r, const cJSON *object, const char *key, double *spread_ratio)
{
    const cJSON *times = gsim_cases_list(r, object, key), *time, *other;
    double middle = NAN, least = INFINITY, most = 0;
    int count = cJSON_GetArraySize(times);
    cJSON_ArrayForEach(time, times)
    {
        int below = 0, before = 0;
        bool is_before = true;
        if (!cJSON_IsNumber(time) || !(time->valuedouble > 0) || time->valuedouble > GSIM_LIMIT_US)
            gsim_cases_fail(r, key, "positive times", time);
        cJSON_ArrayForEach(other, times)
        {
            if (other == time) is_before = false;
            below += other->valuedouble < time->valuedouble;
            before += is_before && other->valuedouble == time->valuedouble;
        }
        if (below + before == count / 2) middle = time->valuedouble;
        least = fmin(least, time->valuedouble);
        most = fmax(most, time->valuedouble);
    }
    if (!count) gsim_cases_fail(r, key, "positive times", times);
    *spread_ratio = (most - least) / 2 / middle;
    return middle;
}

static void read_times(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    double in_one_stream;
    if (r->profiles) {
        c->makespan_us[GSIM_SCHEDULE_GRAPH] = middle_us(r, object, "multi_us", &c->spread_ratio);
        c->makespan_us[GSIM_SCHEDULE_CHAIN] = middle_us(r, object, "one_stream_us", &in_one_stream);
        return;
    }
    double live_us = gsim_cases_number(r, object, "live_us");
    c->makespan_us[GSIM_SCHEDULE_LIVE] = live_us;
    c->makespan_us[GSIM_SCHEDULE_SERIAL] = gsim_cases_number(r, object, "one_us");
    c->spread_ratio =
        (gsim_cases_number(r, object, "live_max_us") - gsim_cases_number(r, object, "live_min_us")) / 2 / live_us;
    if (!(live_us > 0)) gsim_cases_fail(r, "live_us", "a measured makespan", gsim_cases_member(object, "live_us"));
}

void gsim_cases_unlike(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    const cJSON *kind = gsim_cases_member(object, "kind"), *nodes = gsim_cases_list(r, object, "nodes"), *node;
    bool is_pair = cJSON_IsString(kind) && strcmp(kind->valuestring, "pair") == 0;
    uint32_t index = 0;
    if (!is_pair && !(cJSON_IsString(kind) && strcmp(kind->valuestring, "dag") == 0))
        gsim_cases_fail(r, "kind", "pair or dag", kind);
    c->kind = is_pair ? GSIM_CASE_BESIDE : GSIM_CASE_UNLIKE;
    read_times(r, object, c);
    if (!gsim_cases_room(r, nodes, c)) return;
    cJSON_ArrayForEach(node, nodes)
    {
        size_t back = gsim_position_enter(&r->at, ".nodes[%u]", index++);
        if (r->profiles) read_of_library(r, node, c);
        else read_made(r, node, c);
        gsim_position_leave(&r->at, back);
        if (r->at.failed) return;
    }
}

/* A kernel of FROM, NAME or the row INDEX, as a case of one node without times of its own. */
static void read_timed(struct gsim_cases_reader *r, const cJSON *from, uint32_t index)
{
    struct gsim_case *c = gsim_case_add(r->set);
    struct gsim_case_node *node = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, 1);
    if (c) c->name = r->profiles ? gsim_arena_strdup(&r->set->arena, from->string)
                                 : gsim_arena_printf(&r->set->arena, "kernels[%u]", index);
    if (!c || !node || !c->name) {
        gsim_position_no_memory(&r->at);
        return;
    }
    c->kind = GSIM_CASE_UNLIKE;
    c->nodes = node;
    c->node_count = 1;
    *node = (struct gsim_case_node){.start_us = NAN, .end_us = NAN};
    bool has_row = !r->profiles || gsim_cases_member(from, "ncu_id");
    double us = r->profiles ? gsim_cases_number_or(r, from, "solo_us", GSIM_LIMIT_US, NAN)
                            : gsim_cases_time_us(r, from, "solo_ns");
    uint32_t row = !r->profiles ? index : has_row ? gsim_cases_count_or(r, from, "ncu_id", UINT32_MAX, NAN) : 0;
    read_kernel(r, from, gsim_cases_member(from, r->profiles ? "name" : "type"), us, row, node);
    node->has_profile_row = has_row;
}

void gsim_cases_timed(struct gsim_cases_reader *r, const cJSON *root)
{
    const cJSON *kernels = r->profiles ? r->profiles : gsim_cases_list(r, root, "kernels"), *from;
    uint32_t index = 0;
    cJSON_ArrayForEach(from, kernels)
    {
        size_t back = gsim_position_enter(&r->at, r->profiles ? "profiles[%u]" : "kernels[%u]", index);
        read_timed(r, from, index++);
        gsim_position_leave(&r->at, back);
        if (r->at.failed) return;
    }
}
