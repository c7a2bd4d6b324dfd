/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that begin together do not end together where they wait for memory: which are ahead, and on which SMs, decides how tightly the
 * kernels behind are packed. They are told apart when somebody waits for room; until then they go as one, which takes as long.
 */
#include "sim/gpu_state.h"

#include <math.h>
#include <string.h>

/* How much earlier than the last one blocks end that began together, in twelfths (the odd ones), as multiples of the median: H200 and H100,
 * traces/h200/vm/ends.txt, traces/h100/ends.txt (traces/runner/micro/ends.py: 565 kernels that ran alone in one wave). Those of an SM are as far
 * apart as those of different SMs: 0.7 to 2.2 % of their time among them, 0.5 to 1.1 % between SMs. Blocks that compute end within 0.2 %. */
enum { POINTS = 6 };
static const double early[POINTS] = {1.52, 1.26, 1.08, 0.92, 0.73, 0.45};
/* The median, in microseconds and as a share of a block's time, by least squares. The more blocks of a stream an SM has the further apart they
 * end: 1.9, 3.1, 3.9, 4.9 % for one, two, three to four, five to eight; scattered loads 1.4 to 1.7 %. */
#define MEDIAN_EARLY_US 1.0
#define MEDIAN_EARLY 0.019
#define MEDIAN_EARLY_SCATTER 0.016

/* The blocks of who still waits himself are told apart when the last are placed. Those of several waves are drawn one by one anyway
 * (gpu_ends.c), and would end before the time that they take alone if the part with most to do were an early one. */
static bool spreads(const struct gsim_cohort *c, const struct gsim_kernel_run *waiting)
{
    const struct gsim_work *w = c->work;
    return c->run != waiting && !c->is_spread && (w->kind == GSIM_WORK_MEMORY || w->kind == GSIM_WORK_SCATTER) && w->is_one_wave;
}

/* How much earlier than the last one a block ends before which that share of its kernel's blocks does, in medians. */
static double early_at(double place)
{
    double x = POINTS * place - 0.5;
    int i = x <= 0 ? 0 : (int)x;
    if (i >= POINTS - 1) return early[POINTS - 1] * 2 * (POINTS * (1 - place));
    return early[i] + (x - i) * (early[i + 1] - early[i]);
}

/* Where the block with that index of those that an SM has comes among all of its kernel, 0 to 1: a fixed scatter. */
static double place_of(uint32_t index, uint32_t sm)
{
    uint64_t x = (sm * GSIM_MAX_COHORTS + index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (double)((x ^ x >> 32) >> 11) * 0x1p-53;
}

static bool is_alike(const struct gsim_cohort *c, const struct gsim_cohort *other) { return c->run == other->run && c->since == other->since; }

/* Of the cohort and those that began with it. */
static uint32_t blocks_alike(const struct gsim_group *g, const struct gsim_cohort *c)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < g->cohort_count; i++) blocks += is_alike(&g->cohorts[i], c) ? g->cohorts[i].blocks : 0;
    return blocks;
}

/* A kernel alone takes its time: on as few SMs as it may be, the last of its blocks is as late as without a spread. */
static void find_last(const struct gsim_group *g, const struct gsim_kernel_run *waiting)
{
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        const struct gsim_cohort *c = &g->cohorts[i];
        if (!spreads(c, waiting)) continue;
        uint32_t count = blocks_alike(g, c);
        for (uint32_t w = 0; w < GSIM_SM_WORDS; w++)
            for (uint64_t sms = g->sms[w]; sms; sms &= sms - 1)
                for (uint32_t k = 0; k < count; k++)
                    c->run->last_place = fmax(c->run->last_place, place_of(k, 64 * w + (uint32_t)__builtin_ctzll(sms)));
    }
}

/* Each block in a cohort of its own. */
static void split_cohorts(struct gsim_group *g, const struct gsim_kernel_run *waiting)
{
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        uint32_t more = g->cohorts[i].blocks - 1;
        if (!more || !spreads(&g->cohorts[i], waiting)) continue;
        GSIM_INVARIANT(g->cohort_count + more <= GSIM_MAX_COHORTS);
        memmove(&g->cohorts[i + more], &g->cohorts[i], (g->cohort_count - i) * sizeof *g->cohorts);
        g->cohort_count += more;
        g->cohorts[i + more].blocks = 1;
        for (uint32_t k = 0; k < more; k++) g->cohorts[i + k] = g->cohorts[i + more];
        i += more;
    }
}

/* The blocks of the group's only SM are so much further. */
static void advance(struct gsim_group *g, const struct gsim_kernel_run *waiting)
{
    const struct gsim_cohort *first = NULL;
    uint32_t index = 0, count = 0;
    split_cohorts(g, waiting);
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        struct gsim_cohort *c = &g->cohorts[i];
        if (!spreads(c, waiting)) continue;
        if (!first || !is_alike(first, c)) {
            first = c;
            count = blocks_alike(g, c);
            index = 0;
        }
        double share = c->work->kind == GSIM_WORK_MEMORY ? MEDIAN_EARLY * sqrt(count) : MEDIAN_EARLY_SCATTER;
        double median = fmin(MEDIAN_EARLY_US * 1e6 / c->work->block_ps + share, 0.5);
        double most = early_at(place_of(index++, g->lowest_sm)) - early_at(c->run->last_place);
        double left = c->left - most * median * c->work->cold * c->run->scale;
        c->left = left > 0 ? left : 0;
        c->is_spread = true;
    }
}

/* Its SMs one by one. */
static void spread_group(struct gsim_gpu *gpu, uint32_t index, const struct gsim_kernel_run *waiting, gsim_time now)
{
    gsim_group_settle(gpu->groups[index], now);
    for (bool is_last = false; !is_last;) {
        is_last = gpu->groups[index]->sm_count == 1;
        uint32_t one = is_last ? index : gsim_groups_split(gpu, index, 1);
        advance(gpu->groups[one], waiting);
        gsim_groups_rate(gpu, one);
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
