/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that start together do not end together. Which end first, and on which SMs, decides how tightly the next
 * kernels are packed (docs/model/ends.md). Cohorts are split lazily: memory-bound ones when a kernel starts to wait for
 * room, those of several waves when their last block is placed, compute-bound ones when they end. Until then they go as
 * one, which takes as long.
 */
#include "sim/sm/state.h"

#include <math.h>
#include <string.h>

/* Points of block_ends_early: blocks in twelfths (the odd ones). */
enum { POINTS = sizeof(((struct gsim_device_spec *)NULL)->block_ends_early) / sizeof(double) };

/* Whether the cohort's ends are to be told apart now, for WAITING. Not those of WAITING itself: not all are placed. Not
 * those of several waves: ends.c draws them. Nor those that wait for each other's atomics, whose queue gets shorter
 * when the first leave: they would end before their time alone. */
static bool spreads(const struct gsim_cohort *c, const struct gsim_kernel_run *waiting)
{
    const struct gsim_demand *w = c->work;
    return c->run != waiting && !c->is_spread && gsim_demand_waits(w) && w->is_one_wave && !w->is_contended;
}

/* How much earlier than the last block the one at PLACE, 0 to 1, of its kernel's ends, in medians. */
static double early_at(const struct gsim_device_spec *d, double place)
{
    const double *early = d->block_ends_early;
    double x = POINTS * place - 0.5;
    int i = x <= 0 ? 0 : gsim_whole_int(x);
    if (i >= POINTS - 1) return early[POINTS - 1] * 2 * (POINTS * (1 - place));
    return early[i] + (x - i) * (early[i + 1] - early[i]);
}

static double place(uint64_t scatter, uint32_t index, uint32_t sm)
{
    uint64_t x = (scatter + sm * GSIM_MAX_COHORTS + index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (double)((x ^ x >> 32) >> 11) * 0x1p-53;
}

/* The place, 0 to 1, in the order of ends of the block with that index on an SM. It is fixed within a run. Of a kernel
 * alone it does not depend on the scatter, so that its time is the one that was inverted. */
static double place_of(const struct gsim_gpu *gpu, uint32_t index, uint32_t sm)
{
    return place(gsim_gpu_is_shared(gpu) ? gpu->scatter : 0, index, sm);
}

/* The places of the SMs' first blocks, by SM. */
static const double *first_places(struct gsim_gpu *gpu)
{
    bool is_shared = gsim_gpu_is_shared(gpu);
    struct gsim_sm_places *known = &gpu->places[is_shared];
    uint64_t scatter = is_shared ? gpu->scatter : 0;
    if (known->is_found && known->scatter == scatter) return known->of;
    known->is_found = true;
    known->scatter = scatter;
    for (uint32_t sm = 0; sm < GSIM_MAX_SMS; sm++) known->of[sm] = place(scatter, 0, sm);
    return known->of;
}

static bool is_alike(const struct gsim_cohort *c, const struct gsim_cohort *other)
{
    return c->run == other->run && c->since == other->since;
}

/* Blocks of the cohort and of those that started with it. */
static uint32_t blocks_alike(const struct gsim_sm_group *g, const struct gsim_cohort *c)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < g->cohort_count; i++) blocks += is_alike(&g->cohorts[i], c) ? g->cohorts[i].blocks : 0;
    return blocks;
}

/* Finds the greatest place among the blocks to be spread. The last block ends as without a spread, on however few SMs,
 * so that a kernel alone takes its time. */
static void find_last(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_kernel_run *waiting)
{
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        const struct gsim_cohort *c = &g->cohorts[i];
        if (!spreads(c, waiting)) continue;
        uint32_t count = blocks_alike(g, c);
        for (uint32_t sm = 0; (sm = gsim_groups_of(g->sms, sm)) != GSIM_MAX_SMS; sm++)
            for (uint32_t k = 0; k < count; k++)
                c->run->last_place = fmax(c->run->last_place, place_of(gpu, k, sm));
    }
}

/* Makes each of the cohort's blocks a cohort. */
static void split_cohort(struct gsim_sm_group *g, uint32_t at)
{
    uint32_t more = g->cohorts[at].blocks - 1;
    if (!more) return;
    GSIM_INVARIANT(g->cohort_count + more <= GSIM_MAX_COHORTS);
    memmove(&g->cohorts[at + more], &g->cohorts[at], (g->cohort_count - at) * sizeof *g->cohorts);
    g->cohort_count += more;
    g->cohorts[at + more].blocks = 1;
    g->cohorts[at + more].asks = 0;
    for (uint32_t k = 0; k < more; k++) g->cohorts[at + k] = g->cohorts[at + more];
}

/* Moves the blocks of the group's only SM ahead by their places. */
static void advance(const struct gsim_gpu *gpu, struct gsim_sm_group *g, const struct gsim_kernel_run *waiting)
{
    const struct gsim_device_spec *d = gpu->device;
    const struct gsim_cohort *first = NULL;
    uint32_t index = 0, count = 0;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        if (!spreads(&g->cohorts[i], waiting)) continue;
        split_cohort(g, i);
        struct gsim_cohort *c = &g->cohorts[i];
        if (!first || !is_alike(first, c)) {
            count = blocks_alike(g, c);
            index = 0;
        }
        first = c;
        double share = c->work->kind != GSIM_DEMAND_SCATTER ? d->block_ends_early_stream * sqrt(count)
                                                            : d->block_ends_early_scatter;
        double median = fmin(d->block_ends_early_us * 1e6 / c->work->block_ps + share, 0.5);
        double most = early_at(d, place_of(gpu, index++, g->lowest_sm)) - early_at(d, c->run->last_place);
        double left = c->left - most * median * c->work->cold * c->run->scale;
        c->left = left > 0 ? left : 0;
        c->is_spread = true;
    }
}

/* Spreads the group, an SM at a time. */
static void spread_group(struct gsim_gpu *gpu, uint32_t index, const struct gsim_kernel_run *waiting, gsim_time now)
{
    gsim_group_settle(gpu->groups[index], now);
    for (bool is_last = false; !is_last;) {
        is_last = gpu->groups[index]->sm_count == 1;
        uint32_t one = is_last ? index : gsim_groups_split(gpu, index, 1);
        advance(gpu, gpu->groups[one], waiting);
        gsim_groups_rate(gpu, one);
    }
}

void gsim_groups_spread(struct gsim_gpu *gpu, const struct gsim_kernel_run *waiting, gsim_time now)
{
    bool is_due[GSIM_MAX_SMS] = {false};
    uint32_t count = gpu->group_count;
    if (!gsim_gpu_rule(gpu, GSIM_RULE_MEMORY_ENDS)) return;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_sm_group *g = gpu->groups[i];
        for (uint32_t c = 0; c < g->cohort_count && !is_due[i]; c++) is_due[i] = spreads(&g->cohorts[c], waiting);
        if (is_due[i]) find_last(gpu, g, waiting);
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_due[i]) spread_group(gpu, i, waiting, now);
}

/* --- the tails of several waves ----------------------------------------------------------------------------- */

/* Memory-bound blocks of several waves do not keep step: between the start of the last one and the end of the kernel
 * they end one by one, in no order. In the model waves keep step until the last block is placed. Then those that are
 * over and have not been replaced take another block's time, and all of them end in the last wave_tail of it. */
/* Shares of them that have ended, between which wave_tail_times has its points. */
static const double tail_shares[] = {0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 1};

static double tail_time(const struct gsim_device_spec *d, int i)
{
    return i <= 0 ? 0 : i > 6 ? 1 : d->wave_tail_times[i - 1];
}

static bool falls_out(const struct gsim_cohort *c)
{
    const struct gsim_demand *w = c->work;
    return !c->is_spread && gsim_demand_waits(w) && !w->is_one_wave && !c->run->unplaced;
}

/* In so many steps: what ends together is handled together. */
enum { TAIL_STEPS = 64 };

/* When the block at PLACE ends, as share of a block's time. */
static double tail_at(const struct gsim_device_spec *d, double place)
{
    int i = 0;
    place = (floor(place * TAIL_STEPS) + 0.5) / TAIL_STEPS;
    while (place > tail_shares[i + 1]) i++;
    double share = (place - tail_shares[i]) / (tail_shares[i + 1] - tail_shares[i]);
    return 1 - d->wave_tail * (1 - tail_time(d, i) - share * (tail_time(d, i + 1) - tail_time(d, i)));
}

/* Work that a block which falls out of step has left: none if it was over before the last block was placed. */
static double whole_of(const struct gsim_cohort *c, gsim_time now)
{
    if (!gsim_cohort_is_over(c)) return c->left;
    return c->run->placed_at == now ? c->work->cold * c->run->scale : 0;
}

static void add_to_tail(const struct gsim_gpu *gpu, const struct gsim_cohort *c, uint32_t index, uint32_t sm,
                        gsim_time now)
{
    struct gsim_tail *tail = &c->run->tail;
    double whole = whole_of(c, now), out = whole * tail_at(gpu->device, place_of(gpu, index, sm));
    tail->longest = fmax(tail->longest, whole);
    tail->last = fmax(tail->last, out);
    tail->before += gsim_cohort_is_over(c) ? 0 : whole;
    tail->after += out;
}

static void find_tails(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, gsim_time now)
{
    for (uint32_t sm = 0; (sm = gsim_groups_of(g->sms, sm)) != GSIM_MAX_SMS; sm++)
        for (uint32_t i = 0, index = 0; i < g->cohort_count; i++) {
            if (!falls_out(&g->cohorts[i])) continue;
            for (uint32_t k = 0; k < g->cohorts[i].blocks; k++) add_to_tail(gpu, &g->cohorts[i], index++, sm, now);
        }
}

/* By how much the tail is longer, so that a kernel takes its time: the last block is as late as in step, and a full
 * DRAM, which early ends relieve, does not let the others end sooner. */
static double tail_factor(const struct gsim_gpu *gpu, const struct gsim_tail *tail)
{
    double full = 1 - 1 / gpu->dram.stretch, spared = fmax(tail->before / tail->after - 1, 0);
    return fmax(tail->longest / tail->last, 1 + full * spared);
}

static void fall_out(const struct gsim_gpu *gpu, struct gsim_sm_group *g, gsim_time now)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        if (!falls_out(&g->cohorts[i])) continue;
        split_cohort(g, i);
        struct gsim_cohort *c = &g->cohorts[i];
        double whole = whole_of(c, now), place = place_of(gpu, index++, g->lowest_sm);
        if (whole <= 0) continue;
        c->left = whole * tail_at(gpu->device, place) * tail_factor(gpu, &c->run->tail);
        c->is_spread = true;
    }
}

void gsim_groups_spread_tails(struct gsim_gpu *gpu, const struct gsim_kernel_run *next, gsim_time now)
{
    bool is_due[GSIM_MAX_SMS] = {false}, any = false;
    uint32_t count = gpu->group_count;
    if (!gsim_gpu_rule(gpu, GSIM_RULE_WAVE_TAILS) || !next->work->is_one_wave)
        return; /* it is on all SMs whatever they do */
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < gpu->groups[i]->cohort_count; c++) {
            if (!falls_out(&gpu->groups[i]->cohorts[c])) continue;
            gpu->groups[i]->cohorts[c].run->tail = (struct gsim_tail){0};
            is_due[i] = any = true;
        }
    if (any) gsim_groups_rate_all(gpu);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_due[i]) continue;
        gsim_group_settle(gpu->groups[i], now);
        find_tails(gpu, gpu->groups[i], now);
    }
    for (uint32_t i = 0; i < count; i++)
        for (bool is_last = !is_due[i]; !is_last;) {
            is_last = gpu->groups[i]->sm_count == 1;
            uint32_t one = is_last ? i : gsim_groups_split(gpu, i, 1);
            fall_out(gpu, gpu->groups[one], now);
            gsim_groups_rate(gpu, one);
        }
}

/* --- ends that are not told apart yet ------------------------------------------------------------------------- */

/* Ends of compute-bound blocks, and of others for whose room their own kernel waits. They begin now and last
 * block_ends_us and a share of a block's time, at most half as long again; of memory-bound blocks half of it and a
 * larger share. The SM that is first ends now, the others in steps as long as the distributor's polling interval, or
 * longer so that there are no more than MAX_STEPS: SMs stay few groups. */
enum { MAX_STEPS = 32 };

static double ends_take(const struct gsim_device_spec *device, const struct gsim_demand *w)
{
    double least = device->block_ends_us * 1e6;
    if (!gsim_demand_computes(w))
        return device->block_ends_memory * least + device->block_ends_memory_share * w->block_ps;
    return fmin(least + device->block_ends_share * w->block_ps, device->block_ends_most * least);
}

static bool is_delayed(const struct gsim_cohort *c) { return gsim_cohort_is_over(c) && c->frees && !c->is_spread; }

/* A group's SMs by the step in which their first delayed block ends. */
struct steps {
    uint64_t there; /* a bit for each step that has some */
    uint64_t sms[MAX_STEPS + 1][GSIM_SM_WORDS];
};

/* Of COUNT steps, counted from 1; step 0 is that of SM FIRST alone. */
static void find_steps(const struct gsim_sm_group *g, const double *places, uint32_t count, uint32_t first,
                       struct steps *steps)
{
    steps->there = 0;
    for (uint32_t sm = 0; (sm = gsim_groups_of(g->sms, sm)) != GSIM_MAX_SMS; sm++) {
        uint32_t step = sm == first ? 0 : 1 + gsim_whole_u32(places[sm] * count);
        if (!(steps->there >> step & 1)) memset(steps->sms[step], 0, sizeof steps->sms[step]);
        steps->there |= UINT64_C(1) << step;
        gsim_groups_set_bit(steps->sms[step], sm, true);
    }
}

/* The first of an SM's blocks ends in the SM's step. The others end later, modulo the number of steps, by shifts that
 * are the same on all SMs: places of a sequence of their own. */
enum { SHIFTS = 7 };

static bool delay_blocks(const struct gsim_gpu *gpu, struct gsim_sm_group *g, uint32_t step, uint32_t steps,
                         double step_ps)
{
    uint32_t index = 0;
    bool ends = false;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        if (!is_delayed(&g->cohorts[i])) continue;
        split_cohort(g, i);
        struct gsim_cohort *c = &g->cohorts[i];
        uint32_t shift = index ? gsim_whole_u32(place_of(gpu, index, SHIFTS) * steps) : 0;
        uint32_t own = step ? 1 + (step - 1 + shift) % steps : shift;
        c->left = own * step_ps * c->speed * c->pace;
        c->is_spread = true;
        ends |= !own;
        index++;
    }
    return ends;
}

static bool delay_group(struct gsim_gpu *gpu, uint32_t index, const double *places, uint32_t first)
{
    const struct gsim_cohort *c = gpu->groups[index]->cohorts;
    while (!is_delayed(c)) c++;
    double take = ends_take(gpu->device, c->work),
           turn = fmax(gpu->device->distributor_turn_us * 1e6, take / MAX_STEPS);
    uint32_t count = gsim_whole_u32(fmax(ceil(take / turn), 1));
    struct steps steps;
    bool ends = false;
    find_steps(gpu->groups[index], places, count, first, &steps);
    for (; steps.there; steps.there &= steps.there - 1) {
        uint32_t step = (uint32_t)__builtin_ctzll(steps.there);
        bool is_last = !(steps.there & (steps.there - 1));
        uint32_t part = is_last ? index : gsim_groups_split_mask(gpu, index, steps.sms[step]);
        ends |= delay_blocks(gpu, gpu->groups[part], step, count, take / count);
        gsim_groups_rate(gpu, part);
    }
    return ends;
}

/* The SM of the group whose blocks end first, if before those of *FIRST. */
static void find_first(const struct gsim_sm_group *g, const double *places, uint32_t *first)
{
    for (uint32_t sm = 0; (sm = gsim_groups_of(g->sms, sm)) != GSIM_MAX_SMS; sm++)
        if (*first == GSIM_MAX_SMS || places[sm] < places[*first]) *first = sm;
}

bool gsim_groups_delay_ends(struct gsim_gpu *gpu, gsim_time now)
{
    bool is_due[GSIM_MAX_SMS] = {false}, ends = false;
    uint32_t count = gpu->group_count, first = GSIM_MAX_SMS;
    if (!gsim_gpu_rule(gpu, GSIM_RULE_COMPUTE_ENDS) || gpu->device->block_ends_us <= 0) return false;
    const double *places = first_places(gpu);
    for (uint32_t i = 0; (i = gsim_soonest_due(&gpu->ends, i, count, now)) != UINT32_MAX; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        gsim_group_settle(g, now);
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            is_due[i] |= is_delayed(&g->cohorts[c]);
            ends |= gsim_cohort_is_over(&g->cohorts[c]) && !is_delayed(&g->cohorts[c]);
        }
        if (is_due[i]) find_first(g, places, &first);
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_due[i]) ends |= delay_group(gpu, i, places, first);
    gsim_groups_rate_all(gpu);
    return !ends;
}
