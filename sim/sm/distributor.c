/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work distributor: which kernel places blocks next, and on which SMs (rules in sim/sm/gpu.h). Leaves the
 * ends of blocks to gpu.c.
 */
#include "sim/sm/state.h"

#include <math.h>
#include <string.h>

/* An empty SM takes the kernel's shared-memory configuration. One that the head of the queue fills as it empties keeps
 * its own if the kernel's full occupancy fits there: who comes later finds it changed. H200, traces/h200/vm/joins.txt:
 * within 0.35 us. */
static void configure(struct gsim_gpu *gpu, struct gsim_sm_group *g, const struct gsim_demand *w)
{
    bool keeps = gpu->keeps_carveout && gsim_gpu_rule(gpu, GSIM_RULE_CARVEOUT_KEPT);
    if (g->slots || (keeps && w->join_bytes <= g->carveout)) return;
    g->carveout = w->carveout_bytes;
}

/* The pair of sub-partitions that the next issue-bound block of two warps goes to: that with fewer of them (H200: of 3
 * such blocks on an SM the first and the third share, 1.77 times as long as the second: traces/h200/vm/ages.txt). */
static uint8_t next_half(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_demand *w)
{
    uint32_t on[3] = {0};
    if (w->kind != GSIM_DEMAND_ISSUE || w->need.warps != 2 || !gsim_gpu_rule(gpu, GSIM_RULE_HALF_SM_BLOCKS)) return 0;
    for (uint32_t i = 0; i < g->cohort_count; i++) on[g->cohorts[i].half]++;
    return on[1] <= on[2] ? 1 : 2;
}

/* Blocks that share issue have a progress of their own, issue-bound ones in units; others that start together progress
 * alike. */
static void add_cohorts(struct gsim_gpu *gpu, struct gsim_sm_group *g, struct gsim_kernel_run *run, uint32_t blocks,
                        double factor, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    bool is_single = gpu->options.exact || w->kind == GSIM_DEMAND_ISSUE || w->is_crowded;
    uint32_t pieces = is_single ? blocks : 1;
    configure(gpu, g, w);
    struct gsim_cohort *last = g->cohort_count ? &g->cohorts[g->cohort_count - 1] : NULL;
    double work = w->cold * run->scale * run->part * factor;
    if (factor == 0) work = fmin(1, gpu->device->idle_block_us * 1e6 / w->block_ps);
    bool has_marks = gsim_marks_has(run);
    if (!is_single && !has_marks && last && last->run == run && last->since == now && last->left == work) {
        last->blocks += blocks;
        last->asks = 0;
        gsim_group_take(gpu, g, w, (int)blocks);
        return;
    }
    for (uint32_t i = 0; i < pieces * w->units; i++) {
        GSIM_INVARIANT(g->cohort_count < GSIM_MAX_COHORTS);
        uint8_t half = next_half(gpu, g, w);
        g->cohorts[g->cohort_count++] = (struct gsim_cohort){
            .run = run, .work = w, .blocks = blocks / pieces, .frees = i % w->units == w->units - 1,
            .half = half, .since = now, .left = work, .reached = 1, .pace = run->pace};
        if (has_marks) gsim_marks_begin(&g->cohorts[g->cohort_count - 1], work);
    }
    gsim_group_take(gpu, g, w, (int)blocks);
    if (gsim_demand_feels(w)) g->feels_memory = true;
}

/* Puts BLOCKS blocks of RUN, each FACTOR times the mean's work, on every SM of the group. */
static void place_alike(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks,
                        double factor, gsim_time now)
{
    struct gsim_sm_group *g = gpu->groups[index];
    uint64_t count = (uint64_t)blocks * g->sm_count;
    if (!g->slots) gpu->load.busy_sms += g->sm_count;
    add_cohorts(gpu, g, run, blocks, factor, now);
    GSIM_INVARIANT(run->unplaced >= count);
    run->unplaced -= count;
    run->resident += count;
    if (gsim_demand_triggers(run->work)) run->untriggered += count;
    gpu->load.blocks += count;
    gpu->load.warps += (uint32_t)count * run->work->need.warps;
    if (run->work->is_unknown) gpu->load.unknown_warps += (uint32_t)count * run->work->need.warps;
    gpu->block_events += count;
    if (!run->started) {
        run->started = true;
        gpu->last_start = now;
        gpu->load.kernels++;
        gpu->told++;
        if (gpu->listener.kernel_started) gpu->listener.kernel_started(gpu->listener.data, run->tag, now);
    }
}

void gsim_distributor_put(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, gsim_time now)
{
    place_alike(gpu, index, run, 1, 1, now);
}

/* What an SM gets of unequal blocks: how many of each kind. */
struct portion {
    uint64_t kinds[GSIM_BLOCK_KINDS];
};

static struct portion portion_of(const struct gsim_unequal *unequal, uint64_t first, uint64_t blocks)
{
    struct portion before = {0}, p = {0};
    gsim_unequal_count(unequal, first, before.kinds);
    gsim_unequal_count(unequal, first + blocks, p.kinds);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) p.kinds[i] -= before.kinds[i];
    return p;
}

/* Whether RUN's blocks differ. Of a part of the grid alone it is not known which blocks those are. */
static bool is_unequal(const struct gsim_kernel_run *run)
{
    return run->work->is_unequal && run->blocks == run->work->blocks;
}

/* Whether the next COUNT blocks of a grid of unequal ones have equal work. */
static bool is_uniform(const struct gsim_kernel_run *run, uint64_t count)
{
    const struct gsim_demand *w = run->work;
    struct portion p = portion_of(&w->unequal, w->blocks - run->unplaced, count);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++)
        if (p.kinds[i]) return p.kinds[i] == count;
    return true;
}

static void place_portion(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, const struct portion *p,
                          gsim_time now)
{
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++)
        if (p->kinds[i]) place_alike(gpu, index, run, (uint32_t)p->kinds[i], run->work->unequal.factor[i], now);
}

/* The grid's next blocks, BLOCKS on every SM of the group, one SM after the other. SMs that get the same become groups,
 * which are rated here but for one, which stays the group. */
static void place_unequal(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks,
                          gsim_time now)
{
    const struct gsim_unequal *unequal = &run->work->unequal;
    uint64_t next = run->work->blocks - run->unplaced;
    uint32_t sm_count = gpu->groups[index]->sm_count, sms[GSIM_MAX_SMS], left = 0;
    struct portion portions[GSIM_MAX_SMS];
    if (sm_count == 1 || is_uniform(run, (uint64_t)blocks * sm_count)) {
        portions[0] = portion_of(unequal, next, blocks);
        place_portion(gpu, index, run, &portions[0], now);
        return;
    }
    for (uint32_t sm = 0; (sm = gsim_groups_of(gpu->groups[index]->sms, sm)) != GSIM_MAX_SMS; sm++, next += blocks) {
        portions[left] = portion_of(unequal, next, blocks);
        sms[left++] = sm;
    }
    while (left) {
        struct portion first = portions[0];
        uint64_t mask[GSIM_SM_WORDS] = {0};
        uint32_t others = 0;
        for (uint32_t i = 0; i < left; i++) {
            if (memcmp(&portions[i], &first, sizeof first) == 0) {
                gsim_groups_set_bit(mask, sms[i], true);
                continue;
            }
            portions[others] = portions[i];
            sms[others++] = sms[i];
        }
        left = others;
        uint32_t part = left ? gsim_groups_split_mask(gpu, index, mask) : index;
        place_portion(gpu, part, run, &first, now);
        if (left) gsim_groups_rate(gpu, part);
    }
}

/* Puts BLOCKS blocks of RUN on every SM of the group. The group must be settled; the caller rates it. */
static void place(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks, gsim_time now)
{
    uint32_t sms = gpu->groups[index]->sm_count;
    gsim_tiles_join(gpu, run, (uint64_t)blocks * sms, now);
    for (uint32_t alike; (alike = gsim_tiles_part(run, blocks, sms, now)) < sms; sms -= alike) {
        uint32_t part = gsim_groups_split(gpu, index, alike); /* the other SMs' blocks have a tile less */
        place_alike(gpu, part, run, blocks, 1, now);
        gsim_groups_rate(gpu, part);
    }
    if (is_unequal(run)) place_unequal(gpu, index, run, blocks, now);
    else place_alike(gpu, index, run, blocks, 1, now);
}

void gsim_distributor_place(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks,
                            gsim_time now)
{
    gsim_group_settle(gpu->groups[index], now);
    place(gpu, index, run, blocks, now);
    gsim_groups_rate(gpu, index);
}

/* The most urgent kernel with blocks to place, or NULL. */
static struct gsim_kernel_run *most_urgent(const struct gsim_gpu *gpu)
{
    if (!gpu->queued_count) return NULL;
    for (int level = GSIM_MAX_LEVELS - 1; level >= 0; level--) {
        struct gsim_kernel_run *run = gpu->queues[level].head;
        if (!run) continue;
        bool has_grid = run->started || gpu->load.kernels < gsim_whole_u32(gpu->device->resident_grids);
        if (has_grid) return run; /* else those that have one go on, however urgent it is */
    }
    return NULL;
}

struct gsim_kernel_run *gsim_distributor_head(const struct gsim_gpu *gpu)
{
    return gpu->is_pausing ? NULL : most_urgent(gpu);
}

/* Pauses for distributor_turn_us (H200 and H100, traces/h200/vm/heads.txt, traces/h100/heads.txt: so long after one
 * kernel's last block comes the first of the next that has waited; it finds several SMs free at a time). */
static void begin_pause(struct gsim_gpu *gpu, gsim_time now)
{
    if (!gsim_gpu_rule(gpu, GSIM_RULE_DISPATCH_INTERVAL)) return;
    gpu->poll_at = now + gsim_time_from_us(gpu->device->distributor_turn_us);
    gpu->is_pausing = gpu->queued_count > 0 && gpu->poll_at > now;
}

static void pop_head(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    struct gsim_level *q = &gpu->queues[run->level];
    GSIM_INVARIANT(q->head == run && !run->unplaced);
    q->head = run->next;
    if (!q->head) q->tail = &q->head;
    gpu->queued_count--;
    gpu->blocked = NULL;
    run->placed_at = now;
    if (run->has_waited) begin_pause(gpu, now);
    const struct gsim_kernel_run *next = gpu->is_pausing ? most_urgent(gpu) : NULL;
    if (next) gsim_groups_spread_tails(gpu, next, now);
    gsim_marks_placed(gpu, run, now);
}

enum { MAX_ROOM = 48 }; /* blocks_per_sm is not above */

/* Groups with room for blocks of a kernel, by index, for how many on each SM, and how many SMs have so much room. */
struct rooms {
    uint32_t count;
    uint16_t index[GSIM_MAX_SMS];
    uint8_t of[GSIM_MAX_SMS];
    uint32_t sms[MAX_ROOM + 1];
    uint64_t there; /* a bit for each room that some have */
};

static void find_rooms(const struct gsim_gpu *gpu, const struct gsim_demand *w, struct rooms *rooms)
{
    memset(rooms->sms, 0, sizeof rooms->sms);
    rooms->count = 0;
    rooms->there = 0;
    for (uint32_t i = 0; (i = gsim_groups_of(gpu->roomy, i)) != GSIM_MAX_SMS; i++) {
        uint32_t room = gsim_group_room(gpu, gpu->groups[i], w);
        GSIM_INVARIANT(room <= MAX_ROOM);
        rooms->index[rooms->count] = (uint16_t)i;
        rooms->of[rooms->count] = (uint8_t)room;
        rooms->count += room > 0;
        rooms->sms[room] += gpu->groups[i]->sm_count;
        rooms->there |= UINT64_C(1) << room;
    }
    rooms->there &= ~UINT64_C(1);
}

/* The id behind that of the COUNT-th of SMS. */
static uint32_t behind_lowest(const uint64_t sms[GSIM_SM_WORDS], uint64_t count)
{
    uint32_t w = 0;
    for (uint64_t held; (held = gsim_groups_count_bits(sms[w])) < count; w++) count -= held;
    uint64_t left = sms[w];
    while (--count) left &= left - 1;
    return 64 * w + (uint32_t)__builtin_ctzll(left) + 1;
}

/* The SMs with room for LEVEL blocks or more take blocks until they have room for no more than LEVEL. */
static void place_down_to(struct gsim_gpu *gpu, const struct rooms *rooms, uint32_t level, struct gsim_kernel_run *run,
                          gsim_time now)
{
    for (uint32_t i = 0; i < rooms->count; i++) {
        uint32_t index = rooms->index[i];
        if (rooms->of[i] <= level) continue;
        gsim_group_settle(gpu->groups[index], now);
        place(gpu, index, run, rooms->of[i] - level, now);
        gsim_groups_rate(gpu, index);
    }
}

/* Fewer blocks are left than SMs that have room for LEVEL blocks now: one each on those with the lowest ids. */
static void place_last(struct gsim_gpu *gpu, const struct rooms *rooms, uint32_t level, struct gsim_kernel_run *run,
                       gsim_time now)
{
    uint64_t all[GSIM_SM_WORDS] = {0};
    for (uint32_t i = 0; i < rooms->count; i++)
        for (uint32_t w = 0; w < GSIM_SM_WORDS && rooms->of[i] >= level; w++)
            all[w] |= gpu->groups[rooms->index[i]]->sms[w];
    uint32_t limit = behind_lowest(all, run->unplaced);
    for (uint32_t i = 0; i < rooms->count; i++) {
        uint32_t index = rooms->index[i],
                 below = rooms->of[i] < level ? 0 : gsim_group_sms_below(gpu->groups[index], limit);
        if (!below) continue;
        if (below < gpu->groups[index]->sm_count) index = gsim_groups_split_below(gpu, index, limit);
        gsim_group_settle(gpu->groups[index], now);
        place(gpu, index, run, 1, now);
        gsim_groups_rate(gpu, index);
    }
}

/* The most room below LIMIT that some SMs have; 0: none. */
static uint32_t most_room(const struct rooms *rooms, uint32_t limit)
{
    uint64_t below = rooms->there & ((UINT64_C(1) << limit) - 1);
    return below ? 63 - (uint32_t)__builtin_clzll(below) : 0;
}

/* Places the head's blocks on the SMs with most room, until all are placed or none fits: these take some until they
 * have as little room as others, then take more together with them. Blocks that are not alike, that take tiles, or that
 * have marks, are placed after each such step: those of each are cohorts of their own. */
static bool spread(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    if (run->work->cluster > 1) return gsim_clusters_spread(gpu, run, now);
    bool is_apart = is_unequal(run), is_stepwise = is_apart || run->work->tiles || gsim_marks_has(run);
    struct rooms rooms;
    while (run->unplaced) {
        find_rooms(gpu, run->work, &rooms);
        uint64_t unplaced = run->unplaced, sms = 0, step = 1, room = 0;
        for (uint32_t of = 1; of <= MAX_ROOM; of++) room += (uint64_t)of * rooms.sms[of];
        gsim_tiles_begin(run, room, now);
        uint32_t level = most_room(&rooms, MAX_ROOM + 1);
        if (!level) return false;
        for (bool goes_on = true; goes_on && level && unplaced;) {
            uint32_t next = most_room(&rooms, level);
            sms += rooms.sms[level];
            step = unplaced / sms;
            if (step > level - next) step = level - next;
            if (step > 1 && is_apart && !is_uniform(run, sms * step)) step = 1; /* block after block, in turn */
            unplaced -= step * sms;
            level -= (uint32_t)step;
            goes_on = step && !is_stepwise;
        }
        place_down_to(gpu, &rooms, level, run, now);
        if (!step) place_last(gpu, &rooms, level, run, now);
        if (!is_stepwise) break;
    }
    return !run->unplaced;
}

void gsim_distributor_poll(struct gsim_gpu *gpu, gsim_time now)
{
    gpu->is_pausing = false;
    struct gsim_kernel_run *run = gsim_distributor_head(gpu);
    if (!run) return;
    uint64_t unplaced = run->unplaced;
    run->has_waited = true;
    gpu->keeps_carveout = true;
    if (spread(gpu, run, now))
        pop_head(gpu, run, now);
    else if (run->unplaced != unplaced)
        begin_pause(gpu, now);
    gpu->keeps_carveout = false;
}

void gsim_distributor_serve(struct gsim_gpu *gpu, gsim_time now)
{
    for (struct gsim_kernel_run *run; (run = gsim_distributor_head(gpu)) != NULL && run != gpu->blocked;) {
        if (!spread(gpu, run, now)) {
            run->has_waited = true;
            gpu->blocked = run; /* until an SM frees up, which is refilled at once */
            gsim_groups_spread(gpu, run, now);
            return;
        }
        pop_head(gpu, run, now);
    }
}

void gsim_distributor_refill(struct gsim_gpu *gpu, uint32_t index, gsim_time now)
{
    struct gsim_kernel_run *run = gsim_distributor_head(gpu);
    uint32_t fit = run ? gsim_group_room(gpu, gpu->groups[index], run->work) : 0;
    if (!fit) return;
    if (run->work->cluster > 1) { /* whole clusters only, wherever there is room now */
        gpu->blocked = NULL;
        return;
    }
    gpu->keeps_carveout = true;
    uint32_t sm_count = gpu->groups[index]->sm_count;
    uint64_t full = run->unplaced / fit;
    gsim_tiles_begin(run, (uint64_t)fit * sm_count, now);
    if (full < sm_count) {
        uint32_t last = (uint32_t)(run->unplaced % fit);
        if (full) {
            uint32_t part = gsim_groups_split(gpu, index, (uint32_t)full);
            place(gpu, part, run, fit, now);
            gsim_groups_rate(gpu, part);
        }
        if (last && full + 1 < sm_count) {
            uint32_t part = gsim_groups_split(gpu, index, 1);
            place(gpu, part, run, last, now);
            gsim_groups_rate(gpu, part);
        } else if (last) {
            place(gpu, index, run, last, now);
        }
    } else {
        place(gpu, index, run, fit, now);
    }
    gpu->keeps_carveout = false;
    if (!run->unplaced) pop_head(gpu, run, now);
}
