/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handles waves that repeat those before at once, while the caller has promised to change nothing (gsim_gpu_promise):
 * waves of a kernel alone, and of a kernel of very many waves beside others, each SM at its own speed.
 */
#include "sim/sm/state.h"

/* --- alone ------------------------------------------------------------------------------------------------- */

/* Blocks on the SMs when every SM was filled NOW by the only kernel there is, all to end at once; else 0. */
static uint64_t steady_wave(const struct gsim_gpu *gpu, const struct gsim_kernel_run *run, gsim_time now)
{
    uint64_t wave = 0;
    if (gpu->load.kernels != 1 || gpu->queued_count != 1 || run->work->kind == GSIM_DEMAND_ISSUE) return 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct gsim_sm_group *g = gpu->groups[i];
        if (g->cohort_count != 1 || g->cohorts[0].run != run || g->cohorts[0].since != now) return 0;
        if (gsim_soonest_get(&gpu->ends, i) != gpu->next) return 0;
        wave += (uint64_t)g->slots * g->sm_count;
    }
    return wave;
}

/* Waves that only repeat the one just placed are handled at once: the same times, without their events. */
static void skip_alone(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    uint64_t wave = steady_wave(gpu, run, now);
    gsim_time period = gpu->next - now;
    if (!wave || run->unplaced < 2 * wave || period <= 0) return;
    /* The last wave is placed in the ordinary way, which takes the kernel out of its queue. */
    uint64_t count = (run->unplaced - 1) / wave, most = (uint64_t)((gpu->horizon - 1 - now) / period);
    if (count > most) count = most;
    gsim_time jump = (gsim_time)count * period;
    run->unplaced -= count * wave;
    gpu->block_events += 2 * count * wave;
    gpu->next += jump;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        if (gpu->watcher.blocks_stayed)
            gpu->watcher.blocks_stayed(gpu->watcher.data, run->tag, g->sms, count * g->slots, now, now + jump);
        g->updated += jump;
        g->cohorts[0].since += jump;
        gsim_soonest_set(&gpu->ends, i, gsim_soonest_get(&gpu->ends, i) + jump);
    }
}

/* --- beside others ----------------------------------------------------------------------------------------- */

/* A kernel must have so many waves left, and so many of them must be skipped: fewer are not worth it. */
#define LEFT_WAVES    8
#define SKIPPED_WAVES 4
#define TRY_AGAIN     64 /* events later */

static bool may_skip(const struct gsim_gpu *gpu, const struct gsim_kernel_run *run, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    uint64_t wave = gsim_whole_u64(gpu->device->sm_count) * w->need.blocks_per_sm;
    if (run != gpu->blocked || run->unplaced < LEFT_WAVES * wave || gpu->events < gpu->skip_at) return false;
    return w->kind != GSIM_DEMAND_ISSUE && run->pace == 1 && gpu->last_start < now;
}

/* How long a block takes, with the rounding of its end. */
static gsim_time period_of(const struct gsim_cohort *c)
{
    gsim_time period = gsim_whole(c->run->scale * c->work->cold / c->speed);
    return (period + GSIM_END_GRID - 1) / GSIM_END_GRID * GSIM_END_GRID;
}

static gsim_time end_of(const struct gsim_sm_group *g, const struct gsim_cohort *c)
{
    gsim_time end = g->updated + (c->left > 0 ? gsim_whole(c->left / c->speed) : 0);
    return (end + GSIM_END_GRID - 1) / GSIM_END_GRID * GSIM_END_GRID;
}

/* What repeats itself. */
struct steady {
    gsim_time until;  /* nothing else happens before */
    gsim_time period; /* the longest */
    double rate;      /* blocks of the run per picosecond */
};

/* Whether the group's blocks of RUN are its youngest and equally fast: RUN gets the room of each when it ends. */
static bool is_steady(const struct gsim_sm_group *g, const struct gsim_kernel_run *run, struct steady *steady)
{
    const struct gsim_cohort *first = NULL;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        const struct gsim_cohort *c = &g->cohorts[i];
        if (c->run != run) {
            double end = (double)g->updated + (c->left > 0 ? c->left / (c->speed * c->pace) : 0) - GSIM_END_GRID;
            if (first) return false;
            if (end < (double)steady->until) steady->until = gsim_whole(end);
            continue;
        }
        if (first && c->speed != first->speed) return false;
        if (!first) first = c;
        gsim_time period = period_of(c);
        if (period <= 0) return false;
        if (period > steady->period) steady->period = period;
        steady->rate += (double)c->blocks * g->sm_count / (double)period;
    }
    return true;
}

/* Brings the cohort to UNTIL; its blocks are replaced by the next ones again and again. Returns how often. */
static uint64_t repeat(struct gsim_gpu *gpu, const struct gsim_sm_group *g, struct gsim_cohort *c, gsim_time until)
{
    gsim_time end = end_of(g, c), period = period_of(c);
    if (end > until) {
        c->left -= (double)(until - g->updated) * c->speed;
        return 0;
    }
    uint64_t times = 1 + (uint64_t)((until - end) / period);
    gsim_time since = end + (gsim_time)(times - 1) * period;
    if (gpu->watcher.blocks_stayed)
        gpu->watcher.blocks_stayed(gpu->watcher.data, c->run->tag, g->sms, times * c->blocks, c->since, since);
    c->since = since;
    c->left = c->work->cold * c->run->scale - (double)(until - since) * c->speed;
    c->is_spread = false;
    return times;
}

static void sort_by_age(struct gsim_sm_group *g)
{
    for (uint32_t i = 1; i < g->cohort_count; i++) {
        struct gsim_cohort c = g->cohorts[i];
        uint32_t at = i;
        for (; at && g->cohorts[at - 1].run == c.run && g->cohorts[at - 1].since > c.since; at--)
            g->cohorts[at] = g->cohorts[at - 1];
        g->cohorts[at] = c;
    }
}

static void skip_to(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time until)
{
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        for (uint32_t n = 0; n < g->cohort_count; n++) {
            struct gsim_cohort *c = &g->cohorts[n];
            if (c->run != run) {
                c->left -= (double)(until - g->updated) * c->speed * c->pace;
                continue;
            }
            uint64_t blocks = repeat(gpu, g, c, until) * c->blocks * g->sm_count;
            run->unplaced -= blocks;
            gpu->block_events += 2 * blocks;
        }
        g->updated = until;
        sort_by_age(g);
        gsim_groups_rate(gpu, i);
    }
    gsim_groups_find_next(gpu);
}

static void skip_beside(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    struct steady steady = {.until = gpu->horizon - 1};
    gpu->skip_at = gpu->events + TRY_AGAIN;
    for (uint32_t i = 0; i < gpu->group_count; i++)
        if (!is_steady(gpu->groups[i], run, &steady)) return;
    /* The last waves are placed in the ordinary way. */
    double most = (double)now + ((double)run->unplaced - 3 * (double)run->resident) / steady.rate;
    if (most < (double)steady.until) steady.until = gsim_whole(most);
    if (steady.rate > 0 && steady.until - now >= SKIPPED_WAVES * steady.period) skip_to(gpu, run, steady.until);
}

/* --- both --------------------------------------------------------------------------------------------------- */

void gsim_waves_skip(struct gsim_gpu *gpu, gsim_time now)
{
    struct gsim_kernel_run *run = gpu->horizon > now && !gpu->options.exact ? gsim_distributor_head(gpu) : NULL;
    if (!run || run->work->is_unequal || run->work->cluster > 1 || gsim_marks_has(run)) return;
    if (gpu->load.kernels == 1 && gpu->queued_count == 1)
        skip_alone(gpu, run, now);
    else if (may_skip(gpu, run, now))
        skip_beside(gpu, run, now);
}
