/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMs that begin alike do not end alike where blocks wait for memory: which are ahead decides how tightly the kernels behind
 * are packed. They are told apart when somebody waits for room; until then they go as one, which takes as long.
 */
#include "sim/gpu_state.h"

#include <math.h>
#include <string.h>

/* How much earlier than the last one the SMs end, in six parts, as multiples of the median, which is so many microseconds and such a
 * share of a block's time. Which SM is in which part differs from GPU to GPU; here they take turns. H200, blocks' ends of kernels that
 * run alone in one wave and leave DRAM room (the DAGs of traces/runner/micro/dags.txt by dagrun.cu): streams of 60 to 100 us end 3.4 % before their
 * last block in the median, of 200 to 1,600 us 2.0 %, scattered loads 2.2 %. Blocks that compute end within 0.2 %. */
enum { PARTS = 6 };
static const double early[PARTS] = {1.55, 1.27, 1.08, 0.92, 0.70, 0};
#define MEDIAN_EARLY_US 1.3
#define MEDIAN_EARLY 0.017

/* The blocks of who still waits himself are told apart when the last are placed. Those of several waves are drawn one by one anyway
 * (gpu_ends.c), and would end before the time that they take alone if the part with most to do were an early one. */
static bool spreads(const struct gsim_cohort *c, const struct gsim_kernel_run *waiting)
{
    const struct gsim_work *w = c->work;
    return c->run != waiting && !c->is_spread && (w->kind == GSIM_WORK_MEMORY || w->kind == GSIM_WORK_SCATTER) && w->is_one_wave;
}

static uint32_t part_of(uint32_t sm) { return sm % PARTS; }

/* Those of the group's SMs that are in the part. Returns how many. */
static uint32_t sms_of_part(const struct gsim_group *g, uint32_t part, uint64_t mask[GSIM_SM_WORDS])
{
    uint32_t count = 0;
    memset(mask, 0, GSIM_SM_WORDS * sizeof *mask);
    for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) {
        for (uint64_t left = g->sms[w]; left; left &= left - 1) {
            if (part_of(w * 64 + (uint32_t)__builtin_ctzll(left)) != part) continue;
            mask[w] |= left & -left;
            count++;
        }
    }
    return count;
}

/* A kernel alone takes its time: on as few SMs as it may be, the last of them is as late as without a spread. */
static void find_last(const struct gsim_group *g, const struct gsim_kernel_run *waiting)
{
    uint64_t mask[GSIM_SM_WORDS];
    uint8_t last = PARTS - 1;
    while (!sms_of_part(g, last, mask)) last--;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        struct gsim_kernel_run *run = g->cohorts[i].run;
        if (spreads(&g->cohorts[i], waiting) && run->last_part < last) run->last_part = last;
    }
}

/* The group's blocks are so much further. */
static void advance(struct gsim_group *g, const struct gsim_kernel_run *waiting, uint32_t part)
{
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        struct gsim_cohort *c = &g->cohorts[i];
        if (!spreads(c, waiting)) continue;
        double median = fmin(MEDIAN_EARLY_US * 1e6 / c->work->block_ps + MEDIAN_EARLY, 0.5);
        double left = c->left - (early[part] - early[c->run->last_part]) * median * c->work->cold * c->run->scale;
        c->left = left > 0 ? left : 0;
        c->is_spread = true;
    }
}

static void spread_group(struct gsim_gpu *gpu, uint32_t index, const struct gsim_kernel_run *waiting, gsim_time now)
{
    gsim_group_settle(gpu->groups[index], now);
    for (uint32_t p = 0; p < PARTS; p++) {
        uint64_t mask[GSIM_SM_WORDS];
        uint32_t count = sms_of_part(gpu->groups[index], p, mask);
        if (!count) continue;
        uint32_t part = count < gpu->groups[index]->sm_count ? gsim_groups_split_mask(gpu, index, mask) : index;
        advance(gpu->groups[part], waiting, p);
        gsim_groups_rate(gpu, part);
        if (part == index) return;
    }
}

void gsim_groups_spread(struct gsim_gpu *gpu, const struct gsim_kernel_run *waiting, gsim_time now)
{
    bool is_due[GSIM_MAX_SMS] = {false};
    uint32_t count = gpu->group_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_group *g = gpu->groups[i];
        for (uint32_t c = 0; c < g->cohort_count && !is_due[i]; c++) is_due[i] = spreads(&g->cohorts[c], waiting);
        if (is_due[i]) find_last(g, waiting);
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_due[i]) spread_group(gpu, i, waiting, now);
}
