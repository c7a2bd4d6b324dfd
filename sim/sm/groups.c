/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of SMs in the same state: splitting, merging, and how fast their blocks go under the load of the SM and
 * of the chip (equations: sim/sm/share.h). Leaves placement to distributor.c.
 */
#include "sim/sm/models/model.h"

#include <string.h>

/* Picoseconds. Blocks that would take longer wait for pages: their pace is set before. */
#define LONGEST 4e18

/* Of a word of ids from FIRST on, those below LIMIT. */
static uint64_t ids_below(uint32_t first, uint32_t limit)
{
    return limit <= first ? 0 : limit - first >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (limit - first)) - 1;
}

uint32_t gsim_group_sms_below(const struct gsim_sm_group *g, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) count += gsim_groups_count_bits(g->sms[w] & ids_below(64 * w, limit));
    return count;
}

/* Updates the sets of groups for G's index. */
static void note_place(struct gsim_gpu *gpu, const struct gsim_sm_group *g)
{
    gsim_group_note_slots(gpu, g);
    gsim_groups_set_bit(gpu->feeling, g->index, g->feels_memory);
}

uint32_t gsim_groups_add(struct gsim_gpu *gpu)
{
    struct gsim_sm_group *g = gpu->free_group_count ? gpu->free_groups[--gpu->free_group_count] : NULL;
    if (!g) g = GSIM_ARENA_NEW(gpu->arena, struct gsim_sm_group);
    if (!g) GSIM_BUG("out of memory for an SM group"); /* preallocated in gsim_gpu_create */
    gpu->groups[gpu->group_count] = g;
    gsim_soonest_grow(&gpu->ends, ++gpu->group_count);
    return gpu->group_count - 1;
}

static bool is_unrated(const struct gsim_gpu *gpu, uint32_t index)
{
    return gpu->unrated[index / 64] >> index % 64 & 1;
}

static void remove_group(struct gsim_gpu *gpu, uint32_t index)
{
    gpu->free_groups[gpu->free_group_count++] = gpu->groups[index];
    gpu->group_count--;
    gpu->groups[index] = gpu->groups[gpu->group_count];
    gpu->groups[index]->index = index;
    note_place(gpu, gpu->groups[index]);
    gsim_groups_set_bit(gpu->unrated, index, is_unrated(gpu, gpu->group_count));
    gsim_groups_set_bit(gpu->unrated, gpu->group_count, false);
    gsim_groups_set_bit(gpu->roomy, gpu->group_count, false);
    gsim_groups_set_bit(gpu->idle, gpu->group_count, false);
    gsim_groups_set_bit(gpu->feeling, gpu->group_count, false);
    gsim_soonest_set(&gpu->ends, index, gsim_soonest_get(&gpu->ends, gpu->group_count));
    gsim_soonest_set(&gpu->ends, gpu->group_count, GSIM_TIME_NEVER);
    gsim_soonest_shrink(&gpu->ends, gpu->group_count);
}

uint32_t gsim_groups_split_mask(struct gsim_gpu *gpu, uint32_t index, const uint64_t mask[GSIM_SM_WORDS])
{
    uint32_t other = gsim_groups_add(gpu);
    struct gsim_sm_group *from = gpu->groups[index], *to = gpu->groups[other];
    memcpy(to, from, offsetof(struct gsim_sm_group, cohorts) + from->cohort_count * sizeof(struct gsim_cohort));
    to->sm_count = 0;
    for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) {
        to->sms[w] = from->sms[w] & mask[w];
        from->sms[w] &= ~mask[w];
        to->sm_count += gsim_groups_count_bits(to->sms[w]);
    }
    from->sm_count -= to->sm_count;
    from->lowest_sm = gsim_groups_of(from->sms, 0);
    to->lowest_sm = gsim_groups_of(to->sms, 0);
    gsim_soonest_set(&gpu->ends, other, gsim_soonest_get(&gpu->ends, index));
    gsim_groups_set_bit(gpu->unrated, other, is_unrated(gpu, index));
    to->index = other;
    note_place(gpu, to);
    return other;
}

uint32_t gsim_groups_split_below(struct gsim_gpu *gpu, uint32_t index, uint32_t limit)
{
    uint64_t mask[GSIM_SM_WORDS];
    for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) mask[w] = ids_below(64 * w, limit);
    return gsim_groups_split_mask(gpu, index, mask);
}

uint32_t gsim_groups_split(struct gsim_gpu *gpu, uint32_t index, uint32_t count)
{
    const struct gsim_sm_group *from = gpu->groups[index];
    uint64_t mask[GSIM_SM_WORDS] = {0};
    for (uint32_t sm = 0; count-- && (sm = gsim_groups_of(from->sms, sm)) != GSIM_MAX_SMS; sm++)
        gsim_groups_set_bit(mask, sm, true);
    return gsim_groups_split_mask(gpu, index, mask);
}

void gsim_groups_merge_idle(struct gsim_gpu *gpu, uint32_t index)
{
    struct gsim_sm_group *g = gpu->groups[index];
    if (gpu->options.exact) return;
    for (uint32_t i = 0; (i = gsim_groups_of(gpu->idle, i)) != GSIM_MAX_SMS; i++) {
        struct gsim_sm_group *other = gpu->groups[i];
        if (i == index || other->cohort_count || other->is_fast != g->is_fast) continue;
        for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) other->sms[w] |= g->sms[w];
        other->sm_count += g->sm_count;
        if (g->lowest_sm < other->lowest_sm) other->lowest_sm = g->lowest_sm;
        remove_group(gpu, index);
        return;
    }
}

void gsim_group_settle(struct gsim_sm_group *g, gsim_time now)
{
    double elapsed = (double)(now - g->updated);
    g->updated = now;
    if (elapsed <= 0) return;
    for (uint32_t i = 0; i < g->cohort_count; i++)
        g->cohorts[i].left -= elapsed * g->cohorts[i].speed * g->cohorts[i].pace;
}

void gsim_groups_find_next(struct gsim_gpu *gpu)
{
    gsim_groups_rate_all(gpu);
    gsim_time next = gsim_soonest_first(&gpu->ends);
    gpu->next = gpu->is_pausing && gpu->poll_at < next ? gpu->poll_at : next;
}

/* How much of a saturated DRAM slow and fast SMs get, relative to an even part. */
static void find_gains(struct gsim_gpu *gpu)
{
    const struct gsim_device_spec *d = gpu->device;
    gpu->gains[0] = gpu->gains[1] = 1;
    if (d->fast_sm_share <= 0 || !gsim_gpu_rule(gpu, GSIM_RULE_FAST_SMS)) return;
    double saturation = (gpu->dram.stretch - d->fast_sm_from) / d->fast_sm_range;
    saturation = saturation < 0 ? 0 : saturation > 1 ? 1 : saturation;
    double slow = -d->fast_sm_gain * d->fast_sm_share / (1 - d->fast_sm_share);
    gpu->gains[0] = 1 + saturation * slow;
    gpu->gains[1] = 1 + saturation * d->fast_sm_gain;
}

void gsim_groups_set_dram(struct gsim_gpu *gpu, double stretch, double load)
{
    gpu->dram.stretch = stretch;
    gpu->dram.load = load;
    gpu->applied_gbps = NAN;
    find_gains(gpu);
}

/* DRAM as the group's SMs see it. Groups without DRAM traffic see an idle DRAM, so that its load is no change to
 * them. */
static struct gsim_dram_state dram_of(const struct gsim_gpu *gpu, const struct gsim_sm_group *g)
{
    struct gsim_dram_state dram = gpu->dram;
    if (!g->feels_memory) return (struct gsim_dram_state){.stretch = 1, .gain = 1};
    dram.gain = gpu->gains[g->is_fast];
    return dram;
}

/* Finds the group's mix anew. */
static void find_mix(struct gsim_gpu *gpu, struct gsim_sm_group *g)
{
    const struct gsim_sm_blocks blocks = {g->cohorts, g->cohort_count, g->carveout, g->is_fast};
    g->mix = gsim_memo_mix(&gpu->memo, gpu->device, &blocks);
    g->mix_since = gpu->memo.since;
}

static void set_demand(struct gsim_gpu *gpu, struct gsim_sm_group *g, double gbps)
{
    g->has_demand = true;
    g->demand_gbps = gbps;
    gpu->demand_gbps += gbps * g->sm_count;
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) gpu->chip_asked[p] += g->chip[p] * g->sm_count / gpu->device->sm_count;
}

static void remove_demand(struct gsim_gpu *gpu, struct gsim_sm_group *g)
{
    if (!g->has_demand) return;
    g->has_demand = false;
    gpu->demand_gbps -= g->demand_gbps * g->sm_count;
    g->demand_gbps = 0;
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) {
        gpu->chip_asked[p] -= g->chip[p] * g->sm_count / gpu->device->sm_count;
        g->chip[p] = 0;
    }
}

/* When the group ends, SOONEST picoseconds after it was settled. */
static gsim_time end_after(const struct gsim_sm_group *g, double soonest)
{
    if (!(soonest <= LONGEST)) return GSIM_TIME_NEVER;
    gsim_time end = g->updated + gsim_whole(soonest);
    end = (end + GSIM_END_GRID - 1) / GSIM_END_GRID * GSIM_END_GRID;
    return end < g->updated ? g->updated : end;
}

/* The time of the group's next end at its present speeds. */
static gsim_time find_end(const struct gsim_sm_group *g)
{
    double soonest = INFINITY;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        double remaining = gsim_cohort_remaining(&g->cohorts[i]);
        soonest = remaining < soonest ? remaining : soonest;
    }
    return end_after(g, soonest);
}

void gsim_groups_set_end(struct gsim_gpu *gpu, uint32_t index)
{
    gsim_soonest_set(&gpu->ends, index, find_end(gpu->groups[index]));
}

/* Returns the demand per SM. */
static double find_speeds(struct gsim_gpu *gpu, struct gsim_sm_group *g)
{
    struct gsim_dram_state dram = dram_of(gpu, g);
    return g->mix ? gsim_mix_share(g->mix, gpu->device, g->cohorts, &dram, g->chip)
                  : gsim_share_sm(gpu->device, g->cohorts, g->cohort_count, &dram, g->carveout, g->chip);
}

void gsim_groups_rate_blocks(struct gsim_gpu *gpu, uint32_t index)
{
    struct gsim_sm_group *g = gpu->groups[index];
    remove_demand(gpu, g);
    double soonest;
    if (!g->feels_memory && gsim_share_plain_chip(gpu->device, &gpu->chip, g->cohorts, g->cohort_count, &soonest)) {
        g->mix = NULL;
        gsim_soonest_set(&gpu->ends, index, end_after(g, soonest));
        return;
    }
    find_mix(gpu, g);
    set_demand(gpu, g, find_speeds(gpu, g));
    gsim_soonest_set(&gpu->ends, index, find_end(g));
}

void gsim_groups_rate_empty(struct gsim_gpu *gpu, uint32_t index)
{
    struct gsim_sm_group *g = gpu->groups[index];
    gsim_groups_set_bit(gpu->unrated, index, false);
    gsim_soonest_set(&gpu->ends, index, GSIM_TIME_NEVER);
    remove_demand(gpu, g);
}

void gsim_groups_rate_unrated(struct gsim_gpu *gpu)
{
    gpu->has_unrated = false;
    for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) {
        uint64_t bits = gpu->unrated[w];
        gpu->unrated[w] = 0;
        for (; bits; bits &= bits - 1) gpu->model->rate(gpu, w * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

/* Sums up what all SMs ask of DRAM under the present stretch. Speeds are set when that is settled. */
static void sum_up_demand(struct gsim_gpu *gpu, gsim_time now)
{
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) gpu->chip_asked[p] = 0;
    gpu->demand_gbps = 0; /* summed up afresh, so that rounding never accumulates */
    for (uint32_t i = 0; (i = gsim_groups_of(gpu->feeling, i)) != GSIM_MAX_SMS; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        struct gsim_dram_state dram = dram_of(gpu, g);
        if (g->mix_since != gpu->memo.since) find_mix(gpu, g);
        if (!g->mix) gsim_group_settle(g, now);
        set_demand(gpu, g, g->mix ? gsim_mix_demand(g->mix, g->cohorts, &dram, g->chip) : find_speeds(gpu, g));
    }
}

/* Long queues do not vanish in so few half steps. Once no block asks for memory they are empty. */
static void reset_memory(struct gsim_gpu *gpu)
{
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) gpu->dram.chip_wait[p] = 0;
    gsim_groups_set_dram(gpu, 1, 0);
}

enum { MAX_STEPS = 24 };

bool gsim_groups_share_chip(struct gsim_gpu *gpu, gsim_time now)
{
    int step = 0;
    struct gsim_search last = {0}, last_waits[GSIM_CHIP_PIPES] = {{0}};
    gsim_groups_rate_all(gpu);
    if (gpu->demand_gbps + gpu->copies_gbps == gpu->applied_gbps && !gsim_chip_waits(gpu)) return false;
    for (; step < MAX_STEPS; step++) {
        double demand = gpu->demand_gbps + gpu->copies_gbps;
        bool is_chip_near = gsim_chip_settle(gpu, step, last_waits);
        if (demand == gpu->applied_gbps && is_chip_near) break;
        double stretch = gsim_share_dram(gpu->device, demand > 0 ? demand : 0);
        if (fabs(stretch / gpu->dram.stretch - 1) <= gpu->options.tolerance && is_chip_near) {
            gpu->applied_gbps = demand;
            break;
        }
        double at = gpu->dram.stretch, next = at + (stretch - at) * gsim_search_share(&last, step, at, stretch - at, 1);
        if (fabs(stretch / next - 1) <= gpu->options.tolerance) next = stretch;
        gsim_groups_set_dram(gpu, next, demand / gpu->device->dram_gbps);
        sum_up_demand(gpu, now);
    }
    if (step && gsim_chip_waits(gpu) && gsim_groups_of(gpu->feeling, 0) == GSIM_MAX_SMS && gpu->copies_gbps <= 0)
        reset_memory(gpu);
    for (uint32_t i = 0; step && (i = gsim_groups_of(gpu->feeling, i)) != GSIM_MAX_SMS; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        if (!g->cohort_count) continue;
        gsim_group_settle(g, now);
        if (g->mix_since != gpu->memo.since) find_mix(gpu, g); /* the last step may have dropped it */
        find_speeds(gpu, g);
        gsim_soonest_put(&gpu->ends, i, find_end(g));
    }
    if (step) gsim_soonest_sort(&gpu->ends, gpu->group_count);
    return step;
}

/* N, or as many blocks as THERE is enough for when each takes EACH. */
static uint32_t at_most(uint32_t n, uint32_t there, uint32_t each) { return n * each <= there ? n : there / each; }

uint32_t gsim_group_room(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_demand *w)
{
    const struct gsim_sm_limits *l = gpu->limits;
    if (!g->slots) return w->need.blocks_per_sm;
    if (g->slots == l->blocks || w->join_bytes > g->carveout) return 0;
    uint32_t n = at_most(l->blocks - g->slots, l->warps - g->warps, w->need.warps);
    n = at_most(n, l->registers - g->registers, w->registers);
    n = at_most(n, g->carveout > g->smem ? g->carveout - g->smem : 0, w->need.smem_bytes);
    /* Registers come in whole warps per sub-partition, so a kernel's own limit may be below what the sums allow. */
    uint32_t own = 0;
    for (uint32_t i = 0; n && i < g->cohort_count; i++)
        own += (g->cohorts[i].work == w && g->cohorts[i].frees) ? g->cohorts[i].blocks : 0;
    uint32_t most = own < w->need.blocks_per_sm ? w->need.blocks_per_sm - own : 0;
    return n < most ? n : most;
}
