/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two kernels: released together, one after the other, one of them urgent. */
#include <math.h>

#include "gpusim/limits.h"
#include "traces/cases/reader.h"

/* The kernel OBJECT.KEY: described there, or the index of one in the file's list "solo". */
static void read_kernel_at(struct gsim_cases_reader *r, const cJSON *object, const char *key,
                           struct gsim_kernel *kernel)
{
    const cJSON *item = gsim_cases_member(object, key);
    size_t back = gsim_position_enter(&r->at, ".%s", key);
    if (cJSON_IsNumber(item)) {
        double index = item->valuedouble;
        if (index < 0 || index >= r->solo_count || index != floor(index))
            gsim_cases_fail(r, "", "an index of the list solo", item);
        else
            item = r->solo[gsim_whole_u32(index)];
    }
    if (!r->at.failed) gsim_cases_kernel(r, item, kernel);
    gsim_position_leave(&r->at, back);
}

static uint32_t *read_blocks(struct gsim_cases_reader *r, const cJSON *blocks, uint32_t sm_count)
{
    uint32_t *by_sm = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, sm_count);
    const cJSON *block;
    if (!by_sm) {
        gsim_position_no_memory(&r->at);
        return NULL;
    }
    cJSON_ArrayForEach(block, blocks)
    {
        const cJSON *sm = cJSON_IsArray(block) ? block->child : NULL;
        if (!cJSON_IsNumber(sm) || sm->valuedouble < 0 || sm->valuedouble >= sm_count) {
            gsim_cases_fail(r, "blocks", "lists [sm, start, end] with an SM of the device", sm ? sm : block);
            return NULL;
        }
        by_sm[gsim_whole(sm->valuedouble)]++;
    }
    return by_sm;
}

static bool is_whole(const cJSON *blocks, const struct gsim_kernel *kernel)
{
    return cJSON_IsArray(blocks) &&
           (double)cJSON_GetArraySize(blocks) == (double)kernel->grid.x * kernel->grid.y * kernel->grid.z;
}

/* Four times [a start, a end, b start, b end] in nanoseconds. */
static bool repetition(const cJSON *item, double ns[4])
{
    if (cJSON_GetArraySize(item) != 4) return false;
    for (int i = 0; i < 4; i++) {
        const cJSON *time = cJSON_GetArrayItem(item, i);
        if (!cJSON_IsNumber(time) || time->valuedouble < 0) return false;
        ns[i] = time->valuedouble;
    }
    return true;
}

/* Which of two kernels released together comes first is chance. Where all repetitions were recorded, the median
 * one of those in which the first launched came first stands for the case. */
static void choose_repetition(struct gsim_cases_reader *r, const cJSON *all, struct gsim_case *c)
{
    const cJSON *item, *other;
    double mine[4], others[4];
    cJSON_ArrayForEach(item, all)
    {
        int below = 0, equal = 0, count = 0;
        if (!repetition(item, mine)) {
            gsim_cases_fail(r, "all", "lists of four numbers", item);
            return;
        }
        if (mine[0] > mine[2]) continue;
        bool before = true;
        cJSON_ArrayForEach(other, all)
        {
            if (other == item) before = false;
            if (!repetition(other, others) || others[0] > others[2]) continue;
            double difference = fmax(others[1], others[3]) - fmax(mine[1], mine[3]);
            below += difference < 0;
            equal += difference == 0 && before;
            count++;
        }
        if (below + equal != count / 2) continue;
        for (int i = 0; i < 2; i++) {
            c->start_us[i] = mine[2 * i] / 1e3;
            c->end_us[i] = mine[2 * i + 1] / 1e3;
        }
        c->span_us = fmax(mine[1], mine[3]) / 1e3;
    }
}

void gsim_cases_two(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    bool capital = gsim_cases_member(object, "A") != NULL; /* the older priority records */
    read_kernel_at(r, object, capital ? "A" : "a", &c->kernels[0]);
    read_kernel_at(r, object, capital ? "B" : "b", &c->kernels[1]);
    bool urgent = c->kind == GSIM_CASE_PRIORITY && gsim_cases_number_or(r, object, "high", 1, 1) > 0;
    c->priority = urgent ? -5 : 0;
    c->delay_us = gsim_cases_number_or(r, object, "delay_us", GSIM_LIMIT_US, c->kind == GSIM_CASE_PRIORITY ? -1 : 0);
    if (c->delay_us < 0) c->delay_us = NAN;
    c->start_us[0] = capital ? 0 : gsim_cases_time_us(r, object, "a_start");
    c->end_us[0] = gsim_cases_time_us(r, object, "a_end");
    c->start_us[1] = gsim_cases_time_us(r, object, "b_start");
    c->end_us[1] = gsim_cases_time_us(r, object, "b_end");
    c->span_us = capital ? fmax(c->end_us[0], c->end_us[1]) : gsim_cases_time_us(r, object, "span");
    c->spread_ratio = NAN;
    if (r->at.failed) return;
    if (!(c->end_us[0] > c->start_us[0]))
        gsim_cases_fail(r, "a_end", "a time after a_start", gsim_cases_member(object, "a_end"));
    if (!(c->end_us[1] > c->start_us[1]))
        gsim_cases_fail(r, "b_end", "a time after b_start", gsim_cases_member(object, "b_end"));
    if (!(c->span_us > 0)) gsim_cases_fail(r, "span", "a positive number", gsim_cases_member(object, "span"));
    if (gsim_cases_member(object, "min") && gsim_cases_member(object, "max"))
        c->spread_ratio =
            (gsim_cases_time_us(r, object, "max") - gsim_cases_time_us(r, object, "min")) / 2 / c->span_us;
    const cJSON *a = gsim_cases_member(object, "blocks_a"), *b = gsim_cases_member(object, "blocks_b"),
                *all = gsim_cases_member(object, "all");
    if (!r->at.failed && c->sm_count && is_whole(a, &c->kernels[0]) && is_whole(b, &c->kernels[1])) {
        c->blocks_by_sm[0] = read_blocks(r, a, c->sm_count);
        c->blocks_by_sm[1] = read_blocks(r, b, c->sm_count);
    }
    /* The blocks are those of the recorded run: then that one it stays. */
    if (all && !(c->delay_us > 0) && c->kind != GSIM_CASE_PRIORITY && !c->blocks_by_sm[0]) choose_repetition(r, all, c);
}
