/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of recorded cases share (traces/cases/reader.h): values, places, kernels. */
#include "traces/cases/reader.h"

#include <math.h>

#include "gpusim/limits.h"
#include "sim/base/json.h"

/* --- values --------------------------------------------------------------------------------------------------- */
void gsim_cases_fail(struct gsim_cases_reader *r, const char *field, const char *expected, const cJSON *found)
{
    char text[96];
    gsim_position_fail(&r->at, field, expected, gsim_json_found(found, text, sizeof text));
}

const cJSON *gsim_cases_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

double gsim_cases_number_or(struct gsim_cases_reader *r, const cJSON *object, const char *key, double most,
                            double otherwise)
{
    const cJSON *item = gsim_cases_member(object, key);
    if (!item && !isnan(otherwise)) return otherwise;
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= most) return item->valuedouble;
    gsim_cases_fail(r, key, "a number that is not negative", item);
    return 0;
}

double gsim_cases_number(struct gsim_cases_reader *r, const cJSON *object, const char *key)
{
    return gsim_cases_number_or(r, object, key, GSIM_LIMIT_WORK, NAN);
}

uint32_t gsim_cases_count_or(struct gsim_cases_reader *r, const cJSON *object, const char *key, double most,
                             double otherwise)
{
    double value = gsim_cases_number_or(r, object, key, most, otherwise);
    if (value != floor(value)) gsim_cases_fail(r, key, "a whole number", gsim_cases_member(object, key));
    return gsim_whole_u32(value);
}

double gsim_cases_time_us(struct gsim_cases_reader *r, const cJSON *object, const char *key)
{
    return gsim_cases_number_or(r, object, key, GSIM_LIMIT_US, NAN) / 1e3;
}

const cJSON *gsim_cases_list(struct gsim_cases_reader *r, const cJSON *object, const char *key)
{
    const cJSON *item = gsim_cases_member(object, key);
    if (!cJSON_IsArray(item)) gsim_cases_fail(r, key, "a list", item);
    return item;
}

/* --- kernels -------------------------------------------------------------------------------------------------- */
/* A count (x), or a list [x, y, z]. */
static struct gsim_dim3 dimensions(struct gsim_cases_reader *r, const cJSON *object, const char *key, double most)
{
    const cJSON *item = gsim_cases_member(object, key);
    uint32_t size[3] = {1, 1, 1};
    int at = 0;
    const cJSON *first = cJSON_IsArray(item) ? item->child : item;
    for (const cJSON *c = first; c && at < 3; c = cJSON_IsArray(item) ? c->next : NULL) {
        bool is_size = cJSON_IsNumber(c) && c->valuedouble >= 1 && c->valuedouble <= most &&
                       c->valuedouble == floor(c->valuedouble);
        if (is_size) size[at] = gsim_whole_u32(c->valuedouble);
        else gsim_cases_fail(r, key, "a positive whole number or three", c);
        at++;
    }
    if (!at) gsim_cases_fail(r, key, "a positive whole number or three", item);
    return (struct gsim_dim3){size[0], size[1], size[2]};
}

void gsim_cases_shape(struct gsim_cases_reader *r, const cJSON *object, const char *name, struct gsim_kernel *kernel)
{
    *kernel = (struct gsim_kernel){.name = name};
    if (!cJSON_IsObject(object)) {
        gsim_cases_fail(r, "", "a kernel", object);
        return;
    }
    kernel->grid = dimensions(r, object, "grid", GSIM_LIMIT_GRID_X);
    kernel->block = dimensions(r, object, "block", GSIM_LIMIT_BLOCK_THREADS);
    kernel->regs_per_thread = gsim_cases_count_or(r, object, "regs", GSIM_LIMIT_REGS, NAN);
    kernel->smem_bytes = gsim_cases_count_or(r, object, "smem", GSIM_LIMIT_SMEM_BYTES, NAN);
}

void gsim_cases_kernel(struct gsim_cases_reader *r, const cJSON *object, struct gsim_kernel *kernel)
{
    gsim_cases_shape(r, object, "kernel", kernel);
    if (r->at.failed) return;
    kernel->flops = gsim_cases_number_or(r, object, "flops", GSIM_LIMIT_WORK, 0);
    kernel->dram_bytes = gsim_cases_number_or(r, object, "dram_bytes", GSIM_LIMIT_WORK, 0);
    kernel->demand_given = gsim_cases_member(object, "flops") && gsim_cases_member(object, "dram_bytes");
    kernel->solo_us = gsim_cases_time_us(r, object, "solo_ns");
    if (!r->at.failed && !(kernel->solo_us > 0))
        gsim_cases_fail(r, "solo_ns", "a positive number", gsim_cases_member(object, "solo_ns"));
}

void gsim_cases_deps(struct gsim_cases_reader *r, const cJSON *deps, const char *field, uint32_t index,
                     const uint32_t *last, struct gsim_case_node *node)
{
    const cJSON *dep;
    if (!cJSON_IsArray(deps)) gsim_cases_fail(r, field, "a list", deps);
    if (r->at.failed) return;
    uint32_t *nodes = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, (size_t)cJSON_GetArraySize(deps) + 1);
    if (!nodes) {
        gsim_position_no_memory(&r->at);
        return;
    }
    cJSON_ArrayForEach(dep, deps)
    {
        if (!cJSON_IsNumber(dep) || dep->valuedouble < 0 || dep->valuedouble >= index ||
            dep->valuedouble != floor(dep->valuedouble)) {
            gsim_cases_fail(r, field, "indices of earlier nodes", dep);
            return;
        }
        uint32_t earlier = gsim_whole_u32(dep->valuedouble);
        nodes[node->dep_count++] = last ? last[earlier] : earlier;
    }
    node->deps = nodes;
}
