/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends of blocks: SMs lose them and are refilled, kernels end. In which order SMs are free whose blocks end together
 * decides how tightly the next kernel is packed. Leaves what is placed where to distributor.c.
 */
#include "sim/sm/state.h"

/* --- ends ----------------------------------------------------------------------------------------------- */

/* The listener is told by gsim_ends_tell. */
static void end_run(struct gsim_gpu *gpu, struct gsim_kernel_run *run)
{
    struct gsim_kernel_run **at = &gpu->ended_runs;
    gpu->load.kernels--;
    gpu->run_count--;
    gpu->horizon = 0; /* what follows the kernel may come at any time: the promise is over */
    while (*at && (*at)->number < run->number) at = &(*at)->next;
    run->next = *at;
    *at = run;
}

void gsim_ends_tell(struct gsim_gpu *gpu, gsim_time now)
{
    for (struct gsim_kernel_run *run; (run = gpu->ended_runs) != NULL;) {
        void *tag = run->tag;
        gpu->ended_runs = run->next;
        run->next = gpu->free_runs;
        gpu->free_runs = run;
        gpu->told++;
        if (gpu->listener.kernel_ended) gpu->listener.kernel_ended(gpu->listener.data, tag, now);
    }
}

void gsim_ends_take_blocks(struct gsim_gpu *gpu, struct gsim_sm_group *g, uint32_t at, uint32_t blocks, gsim_time now)
{
    struct gsim_cohort *c = &g->cohorts[at];
    struct gsim_kernel_run *run = c->run;
    bool frees = c->frees;
    gsim_time since = c->since;
    c->asks = 0;
    c->blocks -= blocks;
    if (!c->blocks) {
        g->cohort_count--;
        for (; at < g->cohort_count; at++) g->cohorts[at] = g->cohorts[at + 1];
    }
    if (!frees) return;
    uint64_t count = (uint64_t)blocks * g->sm_count;
    gsim_group_take(gpu, g, run->work, -(int)blocks);
    run->resident -= count;
    gpu->load.blocks -= count;
    gpu->load.warps -= (uint32_t)count * run->work->need.warps;
    if (run->work->is_unknown) gpu->load.unknown_warps -= (uint32_t)count * run->work->need.warps;
    gpu->block_events += count;
    if (gpu->watcher.blocks_stayed)
        gpu->watcher.blocks_stayed(gpu->watcher.data, run->tag, g->sms, blocks * run->stands_for, since, now);
}

/* Brings the group to NOW. Returns which of its cohorts are over then, a bit each. */
static uint64_t over_at(struct gsim_sm_group *g, gsim_time now)
{
    uint64_t over = 0;
    gsim_group_settle(g, now);
    for (uint32_t i = 0; i < g->cohort_count; i++) over |= (uint64_t)gsim_cohort_is_over(&g->cohorts[i]) << i;
    return over;
}

/* Ends what is over on the group's SMs: all of it, or one block on each; the head of the queue refills them. */
static void end_blocks(struct gsim_gpu *gpu, uint32_t index, gsim_time now, bool only_one, bool refills)
{
    struct gsim_sm_group *g = gpu->groups[index];
    struct gsim_kernel_run *ended[GSIM_MAX_COHORTS], *drained[GSIM_MAX_COHORTS];
    uint32_t ended_count = 0, drained_count = 0, lost = 0;
    uint32_t left = 0; /* of the group already */
    for (uint64_t over = over_at(g, now); over && !(only_one && lost); over &= over - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(over) - left, count = g->cohort_count;
        struct gsim_cohort *c = &g->cohorts[i];
        if (c->reached < 1 && gsim_marks_pass(gpu, g, c, now)) continue;
        struct gsim_kernel_run *run = c->run;
        bool frees = c->frees;
        gsim_ends_take_blocks(gpu, g, i, only_one && frees ? 1 : c->blocks, now);
        left += count - g->cohort_count;
        lost += frees;
        if (frees && !run->resident && !run->unplaced) ended[ended_count++] = run;
        if (frees && gsim_gpu_is_drained(run)) drained[drained_count++] = run;
    }
    if (g->feels_memory) gsim_group_feel(g);
    if (lost && !g->slots) gpu->load.busy_sms -= g->sm_count;
    if (refills) gsim_distributor_refill(gpu, index, now);
    gsim_groups_rate(gpu, index);
    if (refills && !only_one && !gpu->groups[index]->slots) gsim_groups_merge_idle(gpu, index);
    for (uint32_t i = 0; i < ended_count; i++) end_run(gpu, ended[i]);
    gpu->told += drained_count;
    for (uint32_t i = 0; i < drained_count && gpu->listener.kernel_drained; i++)
        gpu->listener.kernel_drained(gpu->listener.data, drained[i]->tag, now);
}

/* --- ends that leave room ------------------------------------------------------------------------------- */

/* The distributor polls for free SMs every distributor_turn_us and gives all of them to the head of the queue. So how
 * far apart blocks end that started together decides on how many SMs that launch is placed (spread.c). Blocks of
 * streams of several waves end in no order (H200, DAG rd6: 132 blocks of 256 threads behind four waves: 2, 4 and 6
 * blocks on 28, 10 and 6 SMs): the order is drawn from the time and the scatter, so that groups and single SMs draw
 * alike. */

/* On how many of the group's SMs a block leaves now: on none where it only passes a mark. */
static uint64_t left_sms(struct gsim_sm_group *g, gsim_time now)
{
    gsim_group_settle(g, now);
    for (const struct gsim_cohort *c = g->cohorts; c < g->cohorts + g->cohort_count; c++)
        if (c->frees && c->reached >= 1 && gsim_cohort_is_over(c)) return g->sm_count;
    return 0;
}

/* Whether the head of the queue may leave room on the SMs whose blocks end now; else their order does not matter. */
static bool leaves_room(const struct gsim_gpu *gpu, gsim_time now)
{
    const struct gsim_kernel_run *head = gsim_distributor_head(gpu);
    if (!head || head->work->cluster > 1 ||
        head->unplaced >= gsim_whole_u64(gpu->device->sm_count) * head->work->need.blocks_per_sm)
        return false;
    uint64_t sms = 0;
    for (uint32_t i = 0; (i = gsim_soonest_due(&gpu->ends, i, gpu->group_count, now)) != UINT32_MAX; i++)
        sms += left_sms(gpu->groups[i], now);
    return sms > 1 && head->unplaced < sms * head->work->need.blocks_per_sm;
}

/* Whether blocks that end now are of a stream of several waves while another launch waits; the SM of lowest id
 * decides. */
static bool is_scattered(const struct gsim_gpu *gpu, gsim_time now)
{
    uint32_t lowest = GSIM_MAX_SMS;
    bool scattered = false, is_shared = gsim_gpu_is_shared(gpu) && gsim_gpu_rule(gpu, GSIM_RULE_DRAWN_ENDS);
    for (uint32_t i = 0; is_shared && (i = gsim_soonest_due(&gpu->ends, i, gpu->group_count, now)) != UINT32_MAX; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        if (g->lowest_sm >= lowest) continue;
        gsim_group_settle(g, now);
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            const struct gsim_demand *w = g->cohorts[c].work;
            if (!gsim_cohort_is_over(&g->cohorts[c]) || !g->cohorts[c].frees) continue;
            lowest = g->lowest_sm;
            scattered = !gsim_demand_computes(w) && !w->is_one_wave;
        }
    }
    return scattered;
}

/* Ends all blocks whose work is done; the caller refills the SMs. */
static void end_at_once(struct gsim_gpu *gpu, gsim_time now)
{
    uint32_t group_count = gpu->group_count;
    for (uint32_t i = 0; (i = gsim_soonest_due(&gpu->ends, i, group_count, now)) != UINT32_MAX; i++)
        end_blocks(gpu, i, now, false, false);
    gpu->blocked = NULL;
}

/* The next of a fixed sequence of numbers below COUNT (linear congruential, with the constants of Knuth's MMIX). Not
 * include/gpusim/random.h's: the sequence starts afresh from the time of each event, so that what happened before, and
 * how SMs are grouped, does not matter. */
static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % count);
}

/* Draws one of the SMs whose blocks end now and makes it a group of its own. GSIM_MAX_SMS: there is none. */
static uint32_t draw_ending(struct gsim_gpu *gpu, gsim_time now, uint64_t *state)
{
    uint64_t all[GSIM_SM_WORDS] = {0};
    uint32_t sms = 0, sm;
    for (uint32_t i = 0; (i = gsim_soonest_due(&gpu->ends, i, gpu->group_count, now)) != UINT32_MAX; i++) {
        sms += gpu->groups[i]->sm_count;
        for (uint32_t w = 0; w < GSIM_SM_WORDS; w++) all[w] |= gpu->groups[i]->sms[w];
    }
    if (!sms) return GSIM_MAX_SMS;
    uint32_t before = draw(state, sms);
    for (sm = gsim_groups_of(all, 0); before; before--) sm = gsim_groups_of(all, sm + 1);
    uint64_t mask[GSIM_SM_WORDS] = {0};
    mask[sm / 64] = UINT64_C(1) << sm % 64;
    uint32_t index = 0;
    while (!(gpu->groups[index]->sms[sm / 64] & mask[sm / 64])) index++;
    return gpu->groups[index]->sm_count > 1 ? gsim_groups_split_mask(gpu, index, mask) : index;
}

/* Ends one block after another, on drawn SMs, until the head of the queue is placed. */
static void end_scattered(struct gsim_gpu *gpu, gsim_time now)
{
    uint64_t state = (uint64_t)now + gpu->scatter;
    for (uint32_t index; !gpu->is_pausing && (index = draw_ending(gpu, now, &state)) != GSIM_MAX_SMS;) {
        end_blocks(gpu, index, now, true, true);
        gsim_groups_rate_all(gpu);
    }
}

void gsim_ends_merge_idle(struct gsim_gpu *gpu)
{
    for (uint32_t i = 0, before; (i = gsim_groups_of(gpu->idle, i)) != GSIM_MAX_SMS; i += gpu->group_count == before) {
        before = gpu->group_count;
        gsim_groups_merge_idle(gpu, i);
    }
}

void gsim_ends_handle(struct gsim_gpu *gpu, gsim_time now)
{
    bool is_alone;
    uint32_t due = gsim_soonest_which(&gpu->ends, &is_alone);
    if (!gpu->is_pausing && !leaves_room(gpu, now)) {
        end_blocks(gpu, due, now, false, true);
        return;
    }
    if (gpu->is_pausing && is_alone) {
        end_blocks(gpu, due, now, false, false);
        gpu->blocked = NULL;
    } else if (gpu->is_pausing) {
        end_at_once(gpu, now);
    } else if (is_scattered(gpu, now)) {
        end_scattered(gpu, now);
    } else if (!gsim_groups_delay_ends(gpu, now)) {
        end_at_once(gpu, now);
        gsim_distributor_poll(gpu, now);
    }
    gsim_ends_merge_idle(gpu);
}
