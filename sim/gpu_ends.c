/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends of blocks: SMs lose them and are refilled, kernels end. In which order SMs are free whose blocks end together
 * decides how tightly the next kernel is packed. Leaves what is placed where to gpu_distributor.c.
 */
#include "sim/gpu_state.h"

#include <string.h>

/* --- ends ----------------------------------------------------------------------------------------------- */

static void end_run(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    void *tag = run->tag;
    gpu->load.kernels--;
    run->next = gpu->free_runs;
    gpu->free_runs = run;
    gpu->horizon = 0; /* what follows the kernel may come at any time: the promise is over */
    if (gpu->listener.kernel_ended) gpu->listener.kernel_ended(gpu->listener.data, tag, now);
}

/* Takes BLOCKS of the cohort off every SM of the group; an empty cohort leaves, the others stay in the order of their age. */
static void take_blocks(struct gsim_gpu *gpu, struct gsim_group *g, uint32_t at, uint32_t blocks, gsim_time now)
{
    struct gsim_cohort c = g->cohorts[at];
    g->cohorts[at].blocks -= blocks;
    if (!g->cohorts[at].blocks) {
        g->cohort_count--;
        memmove(&g->cohorts[at], &g->cohorts[at + 1], (g->cohort_count - at) * sizeof c);
    }
    if (!c.frees) return;
    uint64_t count = (uint64_t)blocks * g->sm_count;
    gsim_group_take(g, c.work, -(int)blocks);
    c.run->resident -= count;
    gpu->load.blocks -= count;
    gpu->load.warps -= (uint32_t)count * c.work->need.warps;
    gpu->block_events += count;
    if (gpu->watcher.blocks_stayed) gpu->watcher.blocks_stayed(gpu->watcher.data, c.run->tag, g->sms, blocks, c.since, now);
}

static bool is_over(const struct gsim_cohort *c)
{
    return c->left <= 2 * c->speed; /* the rounding of two picoseconds */
}

/* Ends what is over on the group's SMs: all of it, or one block on each; the head of the queue refills them. */
static void end_blocks(struct gsim_gpu *gpu, uint32_t index, gsim_time now, bool only_one, bool refills)
{
    struct gsim_group *g = gpu->groups[index];
    struct gsim_kernel_run *ended[GSIM_MAX_COHORTS];
    uint32_t ended_count = 0, lost = 0;
    gsim_group_settle(g, now);
    for (uint32_t i = 0; i < g->cohort_count && !(only_one && lost);) {
        struct gsim_cohort c = g->cohorts[i];
        if (!is_over(&c)) {
            i++;
            continue;
        }
        take_blocks(gpu, g, i, only_one && c.frees ? 1 : c.blocks, now);
        lost += c.frees;
        if (c.frees && !c.run->resident && !c.run->unplaced) ended[ended_count++] = c.run;
    }
    g->feels_memory = false;
    for (uint32_t i = 0; i < g->cohort_count; i++) g->feels_memory |= g->cohorts[i].work->dram_gbps > 0;
    if (lost && !g->slots) gpu->load.busy_sms -= g->sm_count;
    if (refills) gsim_distributor_refill(gpu, index, now);
    gsim_groups_rate(gpu, index);
    if (refills && !only_one && !gpu->groups[index]->slots) gsim_groups_merge_idle(gpu, index);
    for (uint32_t i = 0; i < ended_count; i++) end_run(gpu, ended[i], now);
}

/* --- ends that leave room ------------------------------------------------------------------------------- */

/* SMs that end together are free one after the other, and the head of the queue fills each before it sees the next, or
 * several alike that it sees together. Which it sees depends on how far apart they end (H200, measured:
 * traces/h200/vm/packs.json.gz, how many blocks the SMs got behind 13 kinds of kernel):
 *  - a full last wave of blocks that compute leaves all SMs within 1 us, by pairs of GPCs: a first and a second SM,
 *    the rest of a pair, then portions of 24 together. The counts are cumulative;
 *  - blocks that wait for memory end within microseconds, in turns on a tenth of the SMs (13), then on the others;
 *  - where there were several waves of such blocks, they end in no order (DAG rd6: 132 blocks of 256 threads behind four waves stand
 *    2, 4 and 6 on 28, 10 and 6 SMs; drawn at random, with the time as seed, so that pooled and exact draw alike);
 *  - other blocks that compute end in turns on all SMs. */
static const uint32_t wave_portions[] = {1, 2, 34, 58, 82, GSIM_MAX_SMS};
enum { MEMORY_PARTS = 10, NO_RANK = 2 * GSIM_MAX_SMS };

enum end_order { END_WAVE, END_MEMORY, END_SCATTERED, END_OTHER };

static uint64_t ending_sms(const struct gsim_gpu *gpu, gsim_time now)
{
    uint64_t sms = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++)
        if (gpu->next_at[i] == now) sms += gpu->groups[i]->sm_count;
    return sms;
}

/* May the head of the queue leave room on the SMs whose blocks end now? Else their order does not matter. */
static bool leaves_room(const struct gsim_gpu *gpu, gsim_time now)
{
    const struct gsim_kernel_run *head = gsim_distributor_head(gpu);
    if (!head) return false;
    uint64_t sms = ending_sms(gpu, now);
    return sms > 1 && head->unplaced < sms * head->work->need.blocks_per_sm;
}

/* The order of SMs whose blocks end together: fast ones first, then by id. A group's SMs have a rank each. */
static uint32_t lowest_rank(const struct gsim_group *g) { return g->is_fast ? g->lowest_sm : GSIM_MAX_SMS + g->lowest_sm; }

static uint32_t sms_below_rank(const struct gsim_group *g, uint32_t rank)
{
    if (g->is_fast) return gsim_group_sms_below(g, rank < GSIM_MAX_SMS ? rank : GSIM_MAX_SMS);
    return rank > GSIM_MAX_SMS ? gsim_group_sms_below(g, rank - GSIM_MAX_SMS) : 0;
}

/* Of the SM with the lowest rank whose block ends. */
static enum end_order order_of(const struct gsim_gpu *gpu, gsim_time now)
{
    uint32_t lowest = NO_RANK;
    enum end_order order = END_OTHER;
    bool is_alone = gpu->load.kernels == 1 && gpu->queued_count == 1; /* and so waits for itself */
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_group *g = gpu->groups[i];
        if (gpu->next_at[i] != now || lowest_rank(g) >= lowest) continue;
        gsim_group_settle(g, now);
        const struct gsim_work *w = NULL;
        bool empties = true;
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (!is_over(&g->cohorts[c]))
                empties = false;
            else if (g->cohorts[c].frees)
                w = g->cohorts[c].work;
        }
        if (!w) continue;
        lowest = lowest_rank(g);
        if (w->kind != GSIM_WORK_ISSUE && w->kind != GSIM_WORK_ON_CHIP)
            order = w->is_one_wave || is_alone ? END_MEMORY : END_SCATTERED;
        else
            order = empties && (w->is_one_wave || w->blocks % ((uint64_t)gpu->device->sm_count * w->need.blocks_per_sm) == 0) ? END_WAVE : END_OTHER;
    }
    return order;
}

/* Of the SMs whose blocks end now, the rank that comes after the COUNT lowest. Splits groups there. */
static uint32_t cut_after(struct gsim_gpu *gpu, gsim_time now, uint32_t count)
{
    uint64_t all[2 * GSIM_SM_WORDS] = {0};
    uint32_t limit = 0, group_count = gpu->group_count;
    for (uint32_t i = 0; i < group_count; i++)
        for (uint32_t w = 0; w < GSIM_SM_WORDS && gpu->next_at[i] == now; w++)
            all[(gpu->groups[i]->is_fast ? 0 : GSIM_SM_WORDS) + w] |= gpu->groups[i]->sms[w];
    for (; count && limit < NO_RANK; limit++) count -= (uint32_t)(all[limit / 64] >> limit % 64 & 1);
    for (uint32_t i = 0; i < group_count; i++) {
        if (gpu->next_at[i] != now) continue;
        uint32_t below = sms_below_rank(gpu->groups[i], limit);
        if (below && below < gpu->groups[i]->sm_count) gsim_groups_split(gpu, i, below);
    }
    return limit;
}

/* Ends what is over on SMs with ranks in [LOW, HIGH) and leaves the refilling to the caller. */
static bool end_at_once(struct gsim_gpu *gpu, gsim_time now, uint32_t low, uint32_t high)
{
    bool any = false;
    uint32_t group_count = gpu->group_count;
    for (uint32_t i = 0; i < group_count; i++) {
        if (gpu->next_at[i] != now || lowest_rank(gpu->groups[i]) < low || lowest_rank(gpu->groups[i]) >= high) continue;
        end_blocks(gpu, i, now, false, false);
        any = true;
    }
    gpu->blocked = NULL;
    return any;
}

/* The next group by rank, from *LOW on, whose blocks end now: those of its SMs that come before any other group's,
 * which begins at *LOW afterwards. */
static uint32_t next_in_turn(struct gsim_gpu *gpu, gsim_time now, uint32_t *low, uint32_t high)
{
    uint32_t index = GSIM_MAX_SMS, lowest = high, second = high;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        if (gpu->next_at[i] != now) continue;
        uint32_t rank = lowest_rank(gpu->groups[i]);
        if (rank < *low || rank >= second) continue;
        if (rank < lowest) {
            second = lowest;
            lowest = rank;
            index = i;
        } else {
            second = rank;
        }
    }
    *low = second;
    if (index == GSIM_MAX_SMS) return index;
    uint32_t before = sms_below_rank(gpu->groups[index], second);
    return before < gpu->groups[index]->sm_count ? gsim_groups_split(gpu, index, before) : index;
}

/* Splits off, of SMs of which each loses a block, those that the head of the queue will take up; the others come after
 * it, for the kernels behind it. */
static uint32_t part_for_head(struct gsim_gpu *gpu, uint32_t index, gsim_time now)
{
    const struct gsim_kernel_run *run = gsim_distributor_head(gpu);
    struct gsim_group *g = gpu->groups[index];
    if (!run || g->sm_count == 1) return index;
    gsim_group_settle(g, now);
    struct gsim_group freed; /* as it will be once the block is gone */
    memcpy(&freed, g, offsetof(struct gsim_group, cohorts) + g->cohort_count * sizeof(struct gsim_cohort));
    for (uint32_t i = 0; i < freed.cohort_count; i++) {
        struct gsim_cohort *c = &freed.cohorts[i];
        if (!c->frees || !is_over(c)) continue;
        gsim_group_take(&freed, c->work, -1);
        c->blocks--;
        break;
    }
    uint32_t fit = gsim_group_room(gpu, &freed, run->work);
    uint64_t sms = fit ? (run->unplaced + fit - 1) / fit : g->sm_count;
    return sms < g->sm_count ? gsim_groups_split(gpu, index, (uint32_t)sms) : index;
}

/* Ends one block on each SM with a rank in [LOW, HIGH), in turn. */
static bool end_in_turn(struct gsim_gpu *gpu, gsim_time now, uint32_t low, uint32_t high)
{
    bool any = false;
    for (uint32_t index; (index = next_in_turn(gpu, now, &low, high)) != GSIM_MAX_SMS; any = true) {
        uint32_t queued = gpu->queued_count, part = part_for_head(gpu, index, now);
        if (part != index) low = lowest_rank(gpu->groups[index]);
        end_blocks(gpu, part, now, true, true);
        if (gpu->queued_count != queued) gsim_distributor_serve(gpu, now);
    }
    return any;
}

/* The next of a fixed sequence of numbers below COUNT (linear congruential, with the constants of Knuth's MMIX). Not sim/random.h's: the
 * sequence starts afresh from the time of each event, so that what happened before, and how SMs are grouped, does not matter. */
static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % count);
}

/* An SM of those whose blocks end now, any of them alike, in a group of its own. GSIM_MAX_SMS: there is none. */
static uint32_t draw_ending(struct gsim_gpu *gpu, gsim_time now, uint64_t *state)
{
    uint64_t all[GSIM_SM_WORDS] = {0};
    uint32_t sms = (uint32_t)ending_sms(gpu, now), sm = 0;
    if (!sms) return GSIM_MAX_SMS;
    for (uint32_t i = 0; i < gpu->group_count; i++)
        for (uint32_t w = 0; w < GSIM_SM_WORDS && gpu->next_at[i] == now; w++) all[w] |= gpu->groups[i]->sms[w];
    for (uint32_t before = draw(state, sms);; sm++) {
        if (!(all[sm / 64] >> sm % 64 & 1)) continue;
        if (!before--) break;
    }
    uint64_t mask[GSIM_SM_WORDS] = {0};
    mask[sm / 64] = UINT64_C(1) << sm % 64;
    uint32_t index = 0;
    while (!(gpu->groups[index]->sms[sm / 64] & mask[sm / 64])) index++;
    return gpu->groups[index]->sm_count > 1 ? gsim_groups_split_mask(gpu, index, mask) : index;
}

/* Ends one block after the other, wherever. */
static void end_scattered(struct gsim_gpu *gpu, gsim_time now)
{
    uint64_t state = (uint64_t)now;
    for (uint32_t index; (index = draw_ending(gpu, now, &state)) != GSIM_MAX_SMS;) {
        uint32_t queued = gpu->queued_count;
        end_blocks(gpu, index, now, true, true);
        if (gpu->queued_count != queued) gsim_distributor_serve(gpu, now);
    }
}

static void end_wave(struct gsim_gpu *gpu, gsim_time now)
{
    enum { PORTIONS = sizeof wave_portions / sizeof *wave_portions };
    uint32_t limits[PORTIONS], queued = gpu->queued_count, low = 0;
    for (int p = 0; p < PORTIONS; p++) limits[p] = cut_after(gpu, now, wave_portions[p]);
    for (int p = 0; p < PORTIONS; low = limits[p++]) {
        if (!end_at_once(gpu, now, low, limits[p])) continue;
        /* The kernel after the head comes so much later that it sees all of them free (H200: 0.4 us). */
        if (gpu->queued_count == queued) gsim_distributor_serve_head(gpu, now);
    }
}

static void end_in_order(struct gsim_gpu *gpu, gsim_time now)
{
    enum end_order order = order_of(gpu, now);
    if (order == END_WAVE) {
        end_wave(gpu, now);
        return;
    }
    if (order == END_SCATTERED) {
        end_scattered(gpu, now);
        return;
    }
    uint32_t tenth = ((uint32_t)gpu->device->sm_count + MEMORY_PARTS / 2) / MEMORY_PARTS;
    uint32_t limit = order == END_MEMORY ? cut_after(gpu, now, tenth) : NO_RANK;
    while (end_in_turn(gpu, now, 0, limit)) {}
    while (end_in_turn(gpu, now, limit, NO_RANK)) {}
}

void gsim_ends_handle(struct gsim_gpu *gpu, gsim_time now)
{
    if (!leaves_room(gpu, now)) {
        end_blocks(gpu, gpu->next_index, now, false, true);
        return;
    }
    end_in_order(gpu, now);
    for (uint32_t i = 0, before; i < gpu->group_count; i += gpu->group_count == before) {
        before = gpu->group_count;
        if (!gpu->groups[i]->slots) gsim_groups_merge_idle(gpu, i);
    }
}
