/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SM groups, cohorts and the work distributor (rules in sim/gpu.h). A group is a set of SMs in the same
 * state; a cohort is a number of blocks of one kernel per SM that started together. Groups split when
 * placement treats their SMs differently, and empty ones merge again.
 */
#include "sim/gpu.h"

#include "sim/gpu_share.h"

#include <string.h>

#define MAX_SMS 256
#define SM_WORDS (MAX_SMS / 64)
#define MAX_COHORTS 64 /* an SM has at most 64 warps, and a cohort at least one */
#define MAX_LEVELS 6   /* stream priorities 0 .. -5 */
/* Blocks end on this grid, in picoseconds (a GPU counts in clocks, here 0.5 to 1 ns): ends that differ by
 * rounding only are simultaneous, and then go by SM id, whatever the grouping. */
#define END_GRID 1000

struct gsim_kernel_run {
    const struct gsim_work *work;
    void *tag;
    uint64_t unplaced, resident;
    struct gsim_kernel_run *next; /* in its queue, or in the free list */
    int level;
    bool started;
};

struct group {
    uint64_t sms[SM_WORDS];
    uint32_t sm_count, cohort_count;
    uint32_t warps, registers, smem, slots; /* used, per SM */
    uint32_t carveout;                      /* shared-memory bytes configured; 0: never set */
    double demand_gbps;                     /* asked of DRAM, per SM */
    gsim_time updated;
    bool is_fast;                           /* gets more of a saturated DRAM (device: fast_sm_share) */
    bool feels_memory;
    struct gsim_cohort cohorts[MAX_COHORTS];
};

struct queue {
    struct gsim_kernel_run *head, **tail;
};

struct gsim_gpu {
    const struct gsim_device_spec *device;
    const struct gsim_sm_limits *limits;
    struct gsim_gpu_options options;
    struct gsim_gpu_listener listener;
    struct gsim_arena *arena;
    struct queue queues[MAX_LEVELS]; /* [0] is the least urgent, priority 0 */
    struct gsim_kernel_run *free_runs;
    uint32_t group_count, queued_count;
    double demand_gbps;       /* asked of DRAM by all resident blocks */
    double copies_gbps;       /* and by copies */
    struct gsim_dram_state dram; /* as applied to every SM */
    struct gsim_gpu_load load;
    uint64_t block_events, events;
    gsim_time next;           /* earliest of next_at */
    gsim_time next_at[MAX_SMS];
    struct group *groups[MAX_SMS];
    struct group *free_groups[MAX_SMS];
    uint32_t free_group_count;
};

/* --- groups ------------------------------------------------------------------------------------------ */

static uint32_t lowest_sm(const struct group *g)
{
    for (uint32_t w = 0; w < SM_WORDS; w++)
        if (g->sms[w]) return w * 64 + (uint32_t)__builtin_ctzll(g->sms[w]);
    return MAX_SMS;
}

/* How many of the group's SMs have ids below LIMIT. */
static uint32_t sms_below(const struct group *g, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < SM_WORDS && w * 64 < limit; w++) {
        uint64_t mask = limit - w * 64 >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (limit - w * 64)) - 1;
        count += (uint32_t)__builtin_popcountll(g->sms[w] & mask);
    }
    return count;
}

static uint32_t new_group(struct gsim_gpu *gpu)
{
    struct group *g = gpu->free_group_count ? gpu->free_groups[--gpu->free_group_count] : NULL;
    if (!g) g = GSIM_ARENA_NEW(gpu->arena, struct group);
    if (!g) GSIM_BUG("out of memory for an SM group"); /* preallocated in gsim_gpu_create */
    gpu->groups[gpu->group_count] = g;
    gpu->next_at[gpu->group_count] = GSIM_TIME_NEVER;
    return gpu->group_count++;
}

static void remove_group(struct gsim_gpu *gpu, uint32_t index)
{
    gpu->free_groups[gpu->free_group_count++] = gpu->groups[index];
    gpu->group_count--;
    gpu->groups[index] = gpu->groups[gpu->group_count];
    gpu->next_at[index] = gpu->next_at[gpu->group_count];
}

/* Moves the COUNT lowest SMs of the group into a new one in the same state; returns its index. */
static uint32_t split_group(struct gsim_gpu *gpu, uint32_t index, uint32_t count)
{
    uint32_t other = new_group(gpu);
    struct group *from = gpu->groups[index], *to = gpu->groups[other];
    memcpy(to, from, offsetof(struct group, cohorts) + from->cohort_count * sizeof(struct gsim_cohort));
    memset(to->sms, 0, sizeof to->sms);
    uint32_t moved = 0;
    for (uint32_t w = 0; w < SM_WORDS && moved < count; w++) {
        uint64_t word = from->sms[w];
        uint32_t held = (uint32_t)__builtin_popcountll(word);
        if (held <= count - moved) {
            to->sms[w] = word;
            moved += held;
        } else {
            for (; moved < count; moved++) {
                to->sms[w] |= word & -word;
                word &= word - 1;
            }
        }
        from->sms[w] &= ~to->sms[w];
    }
    to->sm_count = count;
    from->sm_count -= count;
    gpu->next_at[other] = gpu->next_at[index];
    return other;
}

/* Empty groups are one (one per kind of SM). */
static void merge_idle(struct gsim_gpu *gpu, uint32_t index)
{
    struct group *g = gpu->groups[index];
    if (gpu->options.exact) return;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct group *other = gpu->groups[i];
        if (i == index || other->cohort_count || other->is_fast != g->is_fast) continue;
        for (uint32_t w = 0; w < SM_WORDS; w++) other->sms[w] |= g->sms[w];
        other->sm_count += g->sm_count;
        remove_group(gpu, index);
        return;
    }
}

/* Brings the cohorts' remaining work to NOW. */
static void settle(struct group *g, gsim_time now)
{
    double elapsed = (double)(now - g->updated);
    g->updated = now;
    if (elapsed <= 0) return;
    for (uint32_t i = 0; i < g->cohort_count; i++) g->cohorts[i].left -= elapsed * g->cohorts[i].speed;
}

static void find_next(struct gsim_gpu *gpu)
{
    gsim_time next = GSIM_TIME_NEVER;
    for (uint32_t i = 0; i < gpu->group_count; i++)
        if (gpu->next_at[i] < next) next = gpu->next_at[i];
    gpu->next = next;
}

/* How much of a saturated DRAM the group's SMs get, relative to an even part. */
static double dram_gain(const struct gsim_gpu *gpu, const struct group *g)
{
    const struct gsim_device_spec *d = gpu->device;
    if (d->fast_sm_share <= 0) return 1;
    double saturation = (gpu->dram.stretch - 1.3) / 1.5; /* H200, measured: full from a stretch of 2.8 on */
    saturation = saturation < 0 ? 0 : saturation > 1 ? 1 : saturation;
    double slow = -d->fast_sm_gain * d->fast_sm_share / (1 - d->fast_sm_share);
    return 1 + saturation * (g->is_fast ? d->fast_sm_gain : slow);
}

/* Speeds under the present load and the time of the group's next end. The group must be settled. */
static void rate(struct gsim_gpu *gpu, uint32_t index)
{
    struct group *g = gpu->groups[index];
    gpu->demand_gbps -= g->demand_gbps * g->sm_count;
    g->demand_gbps = 0;
    if (!g->cohort_count) {
        gpu->next_at[index] = GSIM_TIME_NEVER;
        return;
    }
    struct gsim_dram_state dram = gpu->dram;
    if (g->feels_memory) dram.gain = dram_gain(gpu, g);
    g->demand_gbps = gsim_share_sm(gpu->device, g->cohorts, g->cohort_count, &dram, g->carveout);
    gpu->demand_gbps += g->demand_gbps * g->sm_count;
    double soonest = INFINITY;
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        struct gsim_cohort *c = &g->cohorts[i];
        double remaining = c->left > 0 ? c->left / c->speed : 0;
        if (remaining < soonest) soonest = remaining;
    }
    gsim_time end = g->updated + (gsim_time)soonest;
    gpu->next_at[index] = (end + END_GRID - 1) / END_GRID * END_GRID;
    if (gpu->next_at[index] < g->updated) gpu->next_at[index] = g->updated;
}

/* After the chip-wide load changed: re-rates the SMs that feel it. Demand falls as DRAM gets slower, so the
 * load is a fixed point; half steps converge. */
static void rate_memory(struct gsim_gpu *gpu, gsim_time now)
{
    for (int step = 0; step < 8; step++) {
        double demand = gpu->demand_gbps + gpu->copies_gbps;
        double stretch = gsim_share_dram(gpu->device, demand > 0 ? demand : 0);
        if (fabs(stretch / gpu->dram.stretch - 1) <= gpu->options.tolerance) return;
        gpu->dram.stretch = 0.5 * (gpu->dram.stretch + stretch);
        if (fabs(stretch / gpu->dram.stretch - 1) <= gpu->options.tolerance) gpu->dram.stretch = stretch;
        gpu->dram.load = demand / gpu->device->dram_gbps;
        gpu->demand_gbps = 0; /* summed up afresh, so that rounding never accumulates */
        for (uint32_t i = 0; i < gpu->group_count; i++) {
            struct group *g = gpu->groups[i];
            if (!g->feels_memory) continue;
            gpu->demand_gbps += g->demand_gbps * g->sm_count;
            settle(g, now);
            rate(gpu, i);
        }
    }
}

/* --- placement ---------------------------------------------------------------------------------------- */

/* How many more blocks an SM of the group can take. */
static uint32_t room(const struct gsim_gpu *gpu, const struct group *g, const struct gsim_work *w)
{
    const struct gsim_sm_limits *l = gpu->limits;
    if (!g->slots) return w->need.blocks_per_sm;
    if (g->slots == l->blocks || w->join_bytes > g->carveout) return 0;
    uint32_t n = (l->warps - g->warps) / w->need.warps;
    if (!n) return 0;
    uint32_t most = (l->registers - g->registers) / w->registers;
    if (most < n) n = most;
    if (l->blocks - g->slots < n) n = l->blocks - g->slots;
    if (w->need.smem_bytes) {
        most = g->carveout > g->smem ? (g->carveout - g->smem) / w->need.smem_bytes : 0;
        if (most < n) n = most;
    }
    return n < w->need.blocks_per_sm ? n : w->need.blocks_per_sm;
}

static void take_resources(struct group *g, const struct gsim_work *w, int blocks)
{
    g->slots += (uint32_t)blocks;
    g->warps += (uint32_t)blocks * w->need.warps;
    g->registers += (uint32_t)blocks * w->registers;
    g->smem += (uint32_t)blocks * w->need.smem_bytes;
}

/* Issue-bound blocks have a progress of their own, in units; others that start together progress alike. */
static void add_cohorts(struct gsim_gpu *gpu, struct group *g, struct gsim_kernel_run *run, uint32_t blocks, gsim_time now)
{
    const struct gsim_work *w = run->work;
    bool is_single = gpu->options.exact || w->kind == GSIM_WORK_ISSUE;
    uint32_t pieces = is_single ? blocks : 1;
    if (!g->slots) g->carveout = w->carveout_bytes;
    for (uint32_t i = 0; i < pieces * w->units; i++) {
        GSIM_INVARIANT(g->cohort_count < MAX_COHORTS);
        g->cohorts[g->cohort_count++] = (struct gsim_cohort){
            .run = run, .work = w, .blocks = blocks / pieces, .frees = i % w->units == w->units - 1, .since = now, .left = w->cold};
    }
    take_resources(g, w, (int)blocks);
    if (w->dram_gbps > 0) g->feels_memory = true;
}

/* Puts BLOCKS blocks of RUN on every SM of the group. The group must be settled; the caller rates it. */
static void place(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks, gsim_time now)
{
    struct group *g = gpu->groups[index];
    uint64_t count = (uint64_t)blocks * g->sm_count;
    if (!g->slots) gpu->load.busy_sms += g->sm_count;
    add_cohorts(gpu, g, run, blocks, now);
    GSIM_INVARIANT(run->unplaced >= count);
    run->unplaced -= count;
    run->resident += count;
    gpu->load.blocks += count;
    gpu->load.warps += (uint32_t)count * run->work->need.warps;
    gpu->block_events += count;
    if (!run->started) {
        run->started = true;
        gpu->load.kernels++;
        if (gpu->listener.kernel_started) gpu->listener.kernel_started(gpu->listener.data, run->tag, now);
    }
}

/* The most urgent kernel with blocks to place, or NULL. */
static struct gsim_kernel_run *head(const struct gsim_gpu *gpu)
{
    if (!gpu->queued_count) return NULL;
    for (int level = MAX_LEVELS - 1; level >= 0; level--) {
        struct gsim_kernel_run *run = gpu->queues[level].head;
        if (!run) continue;
        if (!run->started && gpu->load.kernels >= (uint32_t)gpu->device->resident_grids) return NULL;
        return run;
    }
    return NULL;
}

static void pop_head(struct gsim_gpu *gpu, struct gsim_kernel_run *run)
{
    struct queue *q = &gpu->queues[run->level];
    GSIM_INVARIANT(q->head == run && !run->unplaced);
    q->head = run->next;
    if (!q->head) q->tail = &q->head;
    gpu->queued_count--;
}

/* The SMs that take the head's next blocks: those with fewest resident warps, in groups. */
struct candidates {
    uint32_t index[MAX_SMS], count;
    uint32_t warps, next_warps; /* resident there, and on the next busier SMs with room (UINT32_MAX: none) */
    uint32_t room;              /* least room among them */
    uint64_t sms;
};

static struct candidates find_candidates(const struct gsim_gpu *gpu, const struct gsim_work *w)
{
    struct candidates c;
    c.count = 0;
    c.warps = c.next_warps = UINT32_MAX;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct group *g = gpu->groups[i];
        if (g->warps > c.warps && g->warps >= c.next_warps) continue;
        uint32_t n = room(gpu, g, w);
        if (!n) continue;
        if (g->warps > c.warps) {
            c.next_warps = g->warps;
            continue;
        }
        if (g->warps < c.warps) {
            c.next_warps = c.warps;
            c.warps = g->warps;
            c.count = 0;
            c.sms = 0;
            c.room = n;
        }
        c.index[c.count++] = i;
        c.sms += g->sm_count;
        if (n < c.room) c.room = n;
    }
    return c;
}

/* Fewer blocks are left than candidates: one each on those with the lowest ids. */
static void place_last(struct gsim_gpu *gpu, const struct candidates *c, struct gsim_kernel_run *run, gsim_time now)
{
    uint64_t all[SM_WORDS] = {0}, wanted = run->unplaced;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t w = 0; w < SM_WORDS; w++) all[w] |= gpu->groups[c->index[i]]->sms[w];
    uint32_t limit = 0;
    for (; wanted; limit++) wanted -= all[limit / 64] >> limit % 64 & 1;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t index = c->index[i], below = sms_below(gpu->groups[index], limit);
        if (!below) continue;
        if (below < gpu->groups[index]->sm_count) index = split_group(gpu, index, below);
        settle(gpu->groups[index], now);
        place(gpu, index, run, 1, now);
        rate(gpu, index);
    }
}

/* Places the head's blocks on the SMs with fewest warps, until all are placed or none fits. */
static bool spread(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    while (run->unplaced) {
        struct candidates c = find_candidates(gpu, run->work);
        if (!c.count) return false;
        uint64_t step = run->unplaced / c.sms;
        uint64_t level = c.next_warps == UINT32_MAX ? c.room : (c.next_warps - c.warps) / run->work->need.warps;
        if (!level) level = 1;
        if (level < step) step = level;
        if (c.room < step) step = c.room;
        if (!step) {
            place_last(gpu, &c, run, now);
            continue;
        }
        for (uint32_t i = 0; i < c.count; i++) {
            settle(gpu->groups[c.index[i]], now);
            place(gpu, c.index[i], run, (uint32_t)step, now);
            rate(gpu, c.index[i]);
        }
    }
    return true;
}

static void serve_queues(struct gsim_gpu *gpu, gsim_time now)
{
    for (struct gsim_kernel_run *run; (run = head(gpu)) != NULL;) {
        if (!spread(gpu, run, now)) return;
        pop_head(gpu, run);
    }
}

/* The SMs of the group have just lost blocks, one SM after the other: the head of the queue fills each before
 * the next. The caller made the group so that the head's blocks end on its last SM, or fill them all. */
static void refill(struct gsim_gpu *gpu, uint32_t index, gsim_time now)
{
    struct gsim_kernel_run *run = head(gpu);
    uint32_t fit = run ? room(gpu, gpu->groups[index], run->work) : 0;
    if (!fit) return;
    uint64_t full = run->unplaced / fit;
    if (full && full < gpu->groups[index]->sm_count) {
        uint32_t part = split_group(gpu, index, (uint32_t)full);
        place(gpu, part, run, fit, now);
        rate(gpu, part);
    } else if (full) {
        place(gpu, index, run, fit, now);
    }
    if (run->unplaced && full < gpu->groups[index]->sm_count) {
        GSIM_INVARIANT(gpu->groups[index]->sm_count == 1);
        place(gpu, index, run, (uint32_t)run->unplaced, now);
    }
    if (!run->unplaced) pop_head(gpu, run);
}

/* --- ends ----------------------------------------------------------------------------------------------- */

static void end_run(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    void *tag = run->tag;
    gpu->load.kernels--;
    run->next = gpu->free_runs;
    gpu->free_runs = run;
    if (gpu->listener.kernel_ended) gpu->listener.kernel_ended(gpu->listener.data, tag, now);
}

/* Takes the cohort out; the others stay in the order of their age. */
static void remove_cohort(struct gsim_gpu *gpu, struct group *g, uint32_t at)
{
    struct gsim_cohort c = g->cohorts[at];
    g->cohort_count--;
    memmove(&g->cohorts[at], &g->cohorts[at + 1], (g->cohort_count - at) * sizeof c);
    if (!c.frees) return;
    uint64_t count = (uint64_t)c.blocks * g->sm_count;
    take_resources(g, c.work, -(int)c.blocks);
    c.run->resident -= count;
    gpu->load.blocks -= count;
    gpu->load.warps -= (uint32_t)count * c.work->need.warps;
    gpu->block_events += count;
}

static bool is_over(const struct gsim_cohort *c)
{
    return c->left <= 2 * c->speed; /* the rounding of two picoseconds */
}

/* Splits off, of the SMs whose blocks end, those that the head of the queue will take up; the others come
 * after it, for the kernels behind it. */
static uint32_t part_for_head(struct gsim_gpu *gpu, uint32_t index, gsim_time now)
{
    const struct gsim_kernel_run *run = head(gpu);
    struct group *g = gpu->groups[index];
    if (!run || g->sm_count == 1) return index;
    settle(g, now);
    struct group freed; /* its resources once the blocks are gone; cohorts not needed */
    memcpy(&freed, g, offsetof(struct group, cohorts));
    for (uint32_t i = 0; i < g->cohort_count; i++) {
        const struct gsim_cohort *c = &g->cohorts[i];
        if (is_over(c) && c->frees) take_resources(&freed, c->work, -(int)c->blocks);
    }
    uint32_t fit = room(gpu, &freed, run->work);
    uint64_t sms = fit ? (run->unplaced + fit - 1) / fit : g->sm_count;
    return sms < g->sm_count ? split_group(gpu, index, (uint32_t)sms) : index;
}

static void end_blocks(struct gsim_gpu *gpu, uint32_t index, gsim_time now)
{
    struct group *g = gpu->groups[index];
    struct gsim_kernel_run *ended[MAX_COHORTS];
    uint32_t ended_count = 0;
    settle(g, now);
    for (uint32_t i = 0; i < g->cohort_count;) {
        struct gsim_cohort *c = &g->cohorts[i];
        if (!is_over(c)) {
            i++;
            continue;
        }
        struct gsim_kernel_run *run = c->run;
        bool frees = c->frees;
        remove_cohort(gpu, g, i);
        if (frees && !run->resident && !run->unplaced) ended[ended_count++] = run;
    }
    g->feels_memory = false;
    for (uint32_t i = 0; i < g->cohort_count; i++) g->feels_memory |= g->cohorts[i].work->dram_gbps > 0;
    if (!g->slots) gpu->load.busy_sms -= g->sm_count;
    refill(gpu, index, now);
    rate(gpu, index);
    if (!gpu->groups[index]->slots) merge_idle(gpu, index);
    for (uint32_t i = 0; i < ended_count; i++) end_run(gpu, ended[i], now);
}

/* --- interface ------------------------------------------------------------------------------------------ */

/* Which SMs are fast differs from chip to chip of a model: any even spread will do. */
static bool is_fast_sm(const struct gsim_device_spec *d, uint32_t sm)
{
    double turn = sm * 0.6180339887498949;
    return turn - floor(turn) < d->fast_sm_share;
}

struct gsim_gpu *gsim_gpu_create(struct gsim_arena *arena, const struct gsim_device_spec *device,
                                 const struct gsim_gpu_options *options, const struct gsim_gpu_listener *listener)
{
    struct gsim_gpu *gpu = GSIM_ARENA_NEW(arena, struct gsim_gpu);
    if (!gpu) return NULL;
    gpu->device = device;
    gpu->limits = gsim_sm_limits(device->compute_capability);
    if (options) gpu->options = *options;
    if (listener) gpu->listener = *listener;
    gpu->arena = arena;
    gpu->dram = (struct gsim_dram_state){.stretch = 1, .gain = 1};
    gpu->next = GSIM_TIME_NEVER;
    for (int i = 0; i < MAX_LEVELS; i++) gpu->queues[i].tail = &gpu->queues[i].head;
    uint32_t sm_count = (uint32_t)device->sm_count;
    struct group *pool = GSIM_ARENA_ARRAY(arena, struct group, sm_count);
    if (!pool) return NULL;
    for (uint32_t i = 0; i < sm_count; i++) gpu->free_groups[gpu->free_group_count++] = &pool[sm_count - 1 - i];
    uint32_t group_of[2] = {MAX_SMS, MAX_SMS};
    for (uint32_t i = 0; i < sm_count; i++) {
        bool is_fast = is_fast_sm(device, i);
        uint32_t index = group_of[is_fast];
        if (index == MAX_SMS || gpu->options.exact) index = group_of[is_fast] = new_group(gpu);
        gpu->groups[index]->is_fast = is_fast;
        gpu->groups[index]->sms[i / 64] |= UINT64_C(1) << i % 64;
        gpu->groups[index]->sm_count++;
    }
    return gpu;
}

bool gsim_gpu_submit(struct gsim_gpu *gpu, gsim_time now, const struct gsim_work *work, int priority, void *tag)
{
    struct gsim_kernel_run *run = gpu->free_runs;
    if (run)
        gpu->free_runs = run->next;
    else if (!(run = GSIM_ARENA_NEW(gpu->arena, struct gsim_kernel_run)))
        return false;
    int levels = (int)gpu->device->priority_levels, level = -priority;
    if (level < 0) level = 0;
    if (level >= levels) level = levels - 1;
    *run = (struct gsim_kernel_run){.work = work, .tag = tag, .unplaced = work->blocks, .level = level};
    *gpu->queues[level].tail = run;
    gpu->queues[level].tail = &run->next;
    gpu->queued_count++;
    gpu->events++;
    if (head(gpu) == run) {
        serve_queues(gpu, now);
        rate_memory(gpu, now);
        find_next(gpu);
    }
    return true;
}

gsim_time gsim_gpu_next(const struct gsim_gpu *gpu) { return gpu->next; }

/* Groups whose blocks end now are handled in the order of their SM ids, as if SM by SM. That matters only
 * when the head of the queue cannot fill all of them: then the next group's SMs may have to come in between. */
static uint32_t next_ending(struct gsim_gpu *gpu, gsim_time now)
{
    uint32_t index = 0, lowest = MAX_SMS, second = MAX_SMS;
    uint64_t slots = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        if (gpu->next_at[i] != now) continue;
        uint32_t sm = lowest_sm(gpu->groups[i]);
        slots += (uint64_t)gpu->groups[i]->sm_count * gpu->limits->blocks;
        if (sm < lowest) {
            second = lowest;
            lowest = sm;
            index = i;
        } else if (sm < second) {
            second = sm;
        }
    }
    const struct gsim_kernel_run *first = head(gpu);
    if (second == MAX_SMS || !first || first->unplaced >= slots) return index;
    uint32_t before = sms_below(gpu->groups[index], second);
    return before < gpu->groups[index]->sm_count ? split_group(gpu, index, before) : index;
}

void gsim_gpu_advance(struct gsim_gpu *gpu, gsim_time now)
{
    GSIM_INVARIANT(now <= gpu->next);
    while (gpu->next == now) {
        gpu->events++;
        end_blocks(gpu, part_for_head(gpu, next_ending(gpu, now), now), now);
        serve_queues(gpu, now);
        find_next(gpu);
    }
    rate_memory(gpu, now);
    find_next(gpu);
}

void gsim_gpu_add_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps)
{
    gpu->copies_gbps += gbps;
    if (fabs(gpu->copies_gbps) < 1e-6) gpu->copies_gbps = 0;
    rate_memory(gpu, now);
    find_next(gpu);
}

bool gsim_gpu_is_busy(const struct gsim_gpu *gpu) { return gpu->load.kernels || gpu->queued_count; }
struct gsim_gpu_load gsim_gpu_load(const struct gsim_gpu *gpu) { return gpu->load; }

void gsim_gpu_count(const struct gsim_gpu *gpu, struct gsim_statistics *statistics)
{
    statistics->block_events = gpu->block_events;
    statistics->gpu_events = gpu->events;
}

void gsim_gpu_check(const struct gsim_gpu *gpu)
{
    const struct gsim_sm_limits *l = gpu->limits;
    uint32_t sm_count = 0;
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct group *g = gpu->groups[i];
        uint32_t slots = 0, warps = 0, registers = 0, smem = 0;
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            const struct gsim_work *w = g->cohorts[c].work;
            uint32_t n = g->cohorts[c].frees ? g->cohorts[c].blocks : 0;
            slots += n;
            warps += n * w->need.warps;
            registers += n * w->registers;
            smem += n * w->need.smem_bytes;
        }
        if (slots > l->blocks || warps > l->warps || registers > l->registers || smem > l->smem_bytes)
            GSIM_BUG("SM %u over capacity: %u blocks, %u warps, %u registers, %u bytes of shared memory", lowest_sm(g),
                     slots, warps, registers, smem);
        GSIM_INVARIANT(slots == g->slots && warps == g->warps && registers == g->registers && smem == g->smem);
        sm_count += g->sm_count;
        blocks += (uint64_t)slots * g->sm_count;
    }
    GSIM_INVARIANT(sm_count == (uint32_t)gpu->device->sm_count && blocks == gpu->load.blocks);
}

void gsim_gpu_residency(const struct gsim_gpu *gpu, const void *tag, uint32_t *blocks_by_sm, uint32_t sm_count)
{
    memset(blocks_by_sm, 0, sm_count * sizeof *blocks_by_sm);
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct group *g = gpu->groups[i];
        uint32_t blocks = 0;
        for (uint32_t c = 0; c < g->cohort_count; c++)
            if (g->cohorts[c].run->tag == tag && g->cohorts[c].frees) blocks += g->cohorts[c].blocks;
        for (uint32_t s = 0; s < sm_count; s++)
            if (g->sms[s / 64] >> s % 64 & 1) blocks_by_sm[s] = blocks;
    }
}
