/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One GPU's SMs over time (rules in sim/sm/gpu.h): its interface. Ends of blocks are in ends.c, placement in
 * distributor.c, sets of SMs in groups.c, equations in share.c.
 */
#include "sim/sm/models/model.h"

#include <math.h>
#include <string.h>

/* --- interface ------------------------------------------------------------------------------------------ */

/* Which SMs are fast differs from chip to chip of a model: any even spread will do. */
static bool is_fast_sm(const struct gsim_device_spec *d, uint32_t sm)
{
    double turn = sm * 0.6180339887498949;
    return turn - floor(turn) < d->fast_sm_share;
}

/* Room for all groups that there may ever be, of which few are touched. */
static bool add_pool(struct gsim_gpu *gpu, uint32_t count)
{
    size_t size = count * sizeof(struct gsim_sm_group);
    struct gsim_sm_group *pool = gsim_realloc(NULL, size); /* nothing of it is zeroed but heads */
    if (!pool || gsim_arena_adopt(gpu->arena, pool, size) != 0) {
        gsim_free(pool);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) gpu->free_groups[gpu->free_group_count++] = &pool[count - 1 - i];
    return true;
}

struct gsim_gpu *gsim_gpu_create(struct gsim_arena *arena, const struct gsim_device_spec *device,
                                 const struct gsim_gpu_options *options, const struct gsim_gpu_listener *listener)
{
    struct gsim_gpu *gpu = GSIM_ARENA_NEW(arena, struct gsim_gpu);
    if (!gpu) return NULL;
    gpu->device = device;
    gpu->model = gsim_model_at(device->model);
    gpu->sms_each = 1;
    if (options && options->sample > 1 && !gpu->model->is_whole)
        device = gsim_sample_begin(gpu, (double)options->sample);
    gpu->own_limits = gsim_sm_limits(device);
    gpu->limits = &gpu->own_limits;
    if (gpu->model->is_whole) gpu->own_limits.blocks = GSIM_WHOLE_MAX;
    if (options) gpu->options = *options;
    if (listener) gpu->listener = *listener;
    gpu->arena = gpu->memo.arena = arena;
    gpu->dram = (struct gsim_dram_state){.gain = 1};
    gsim_groups_set_dram(gpu, 1, 0);
    gpu->next = GSIM_TIME_NEVER;
    for (int i = 0; i < GSIM_MAX_LEVELS; i++) gpu->queues[i].tail = &gpu->queues[i].head;
    uint32_t sm_count = gsim_whole_u32(device->sm_count);
    gsim_soonest_init(&gpu->ends);
    if (!add_pool(gpu, sm_count)) return NULL;
    uint32_t group_of[2] = {GSIM_MAX_SMS, GSIM_MAX_SMS};
    for (uint32_t i = 0; i < sm_count; i++) {
        bool is_fast = is_fast_sm(device, i);
        uint32_t index = group_of[is_fast];
        if (index == GSIM_MAX_SMS || gpu->options.exact) {
            index = group_of[is_fast] = gsim_groups_add(gpu);
            memset(gpu->groups[index], 0, offsetof(struct gsim_sm_group, cohorts));
            gpu->groups[index]->index = index;
            gpu->roomy[index / 64] |= UINT64_C(1) << index % 64;
            gpu->idle[index / 64] |= UINT64_C(1) << index % 64;
            gpu->groups[index]->lowest_sm = i;
        }
        gpu->groups[index]->is_fast = is_fast;
        gpu->groups[index]->sms[i / 64] |= UINT64_C(1) << i % 64;
        gpu->groups[index]->sm_count++;
    }
    return gpu;
}

void gsim_gpu_forget_works(struct gsim_gpu *gpu) { gsim_memo_forget(&gpu->memo); }

/* Nothing is resident: DRAM serves the copies alone, whatever was applied last within the tolerance, and kernels' work
 * may have changed. */
static void forget_load(struct gsim_gpu *gpu)
{
    double copies = gpu->copies_gbps > 0 && gpu->model == &gsim_model_blocks ? gpu->copies_gbps : 0;
    gsim_memo_forget(&gpu->memo);
    gpu->demand_gbps = 0;
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) gpu->chip_asked[p] = gpu->dram.chip_wait[p] = 0;
    gsim_groups_set_dram(gpu, gsim_share_dram(gpu->device, copies), copies / gpu->device->dram_gbps);
}

struct gsim_kernel_run *gsim_gpu_new_run(struct gsim_gpu *gpu, const struct gsim_demand *work, double scale, void *tag)
{
    struct gsim_kernel_run *run = gpu->free_runs;
    if (run)
        gpu->free_runs = run->next;
    else if (!(run = GSIM_ARENA_NEW(gpu->arena, struct gsim_kernel_run)))
        return NULL;
    uint64_t blocks = gsim_sample_blocks(gpu, work->blocks);
    *run = (struct gsim_kernel_run){
        .work = work, .tag = tag, .blocks = blocks, .unplaced = blocks, .pace = 1, .scale = scale, .part = 1,
        .stands_for = 1, .prologue = work->prologue, .number = gpu->run_number++};
    if (gpu->noise) run->scale *= gsim_random_scale(gpu->noise, gpu->device->kernel_spread);
    if (!gsim_gpu_is_busy(gpu)) forget_load(gpu);
    gpu->run_count++;
    gpu->events++;
    return run;
}

struct gsim_kernel_run *gsim_gpu_submit_as(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                           double scale, bool is_held, int priority, void *tag)
{
    struct gsim_kernel_run *run = gsim_gpu_new_run(gpu, work, scale, tag);
    if (!run) return NULL;
    run->is_held = is_held;
    int levels = gsim_whole_int(gpu->device->priority_levels), level = -priority;
    if (level < 0) level = 0;
    if (level >= levels) level = levels - 1;
    run->level = level;
    *gpu->queues[level].tail = run;
    gpu->queues[level].tail = &run->next;
    gpu->queued_count++;
    if (now < gpu->poll_at) {
        gpu->is_pausing = true;
        if (gpu->poll_at < gpu->next) gpu->next = gpu->poll_at;
    }
    if (gsim_distributor_head(gpu) == run) {
        gpu->model->place(gpu, now);
        gpu->model->share(gpu, now);
        gsim_groups_find_next(gpu);
    }
    return run;
}

void gsim_gpu_set_noise(struct gsim_gpu *gpu, const struct gsim_random *noise) { gpu->noise = noise; }
void gsim_gpu_set_scatter(struct gsim_gpu *gpu, uint64_t scatter) { gpu->scatter = scatter; }
void gsim_gpu_watch(struct gsim_gpu *gpu, const struct gsim_gpu_watcher *watcher) { gpu->watcher = *watcher; }
gsim_time gsim_gpu_next(const struct gsim_gpu *gpu) { return gpu->next; }
uint64_t gsim_gpu_told(const struct gsim_gpu *gpu) { return gpu->told; }
void gsim_gpu_promise(struct gsim_gpu *gpu, gsim_time horizon) { gpu->horizon = horizon; }

void gsim_gpu_advance(struct gsim_gpu *gpu, gsim_time now)
{
    GSIM_INVARIANT(now <= gpu->next);
    while (gpu->next == now) {
        gpu->events++;
        if (gpu->is_pausing && gpu->poll_at == now)
            gsim_distributor_poll(gpu, now); /* what ends now comes after it */
        else
            gpu->model->end(gpu, now);
        if (gpu->queued_count) gpu->model->place(gpu, now);
        gsim_groups_find_next(gpu);
        if (gpu->next != now) gsim_ends_tell(gpu, now);
    }
    if (gpu->model->share(gpu, now)) gsim_groups_find_next(gpu);
    if (gpu->queued_count && gpu->horizon > now) gsim_waves_skip(gpu, now);
}

void gsim_gpu_add_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps)
{
    gpu->copies_gbps += gbps / gpu->sms_each;
    if (fabs(gpu->copies_gbps) < 1e-6) gpu->copies_gbps = 0;
    gpu->model->share(gpu, now);
    gsim_groups_find_next(gpu);
}

void gsim_gpu_set_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps)
{
    double before = gpu->copies_gbps * gpu->sms_each;
    if (gbps != before) gsim_gpu_add_copy_load(gpu, now, gbps - before);
}

double gsim_gpu_demand(const struct gsim_gpu *gpu) { return gpu->load.kernels ? gpu->demand_gbps * gpu->sms_each : 0; }

void gsim_gpu_delay(struct gsim_gpu *gpu, gsim_time by)
{
    for (int level = 0; level < GSIM_MAX_LEVELS; level++)
        for (struct gsim_kernel_run *run = gpu->queues[level].head; run; run = run->next) run->placed_at += by;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        g->updated += by;
        gsim_time next = gsim_soonest_get(&gpu->ends, i);
        if (next != GSIM_TIME_NEVER) gsim_soonest_set(&gpu->ends, i, next + by);
        for (uint32_t c = 0; c < g->cohort_count; c++) g->cohorts[c].since += by;
    }
    gpu->poll_at += by;
    gpu->last_start += by;
    gpu->horizon = 0;
    gsim_groups_find_next(gpu);
}

void gsim_gpu_change(struct gsim_gpu *gpu, gsim_time now, const struct gsim_kernel_run *run, double factor,
                     bool only_waiting)
{
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        bool holds = false;
        for (uint32_t c = 0; c < g->cohort_count && !holds; c++)
            holds = g->cohorts[c].run == run && (!only_waiting || g->cohorts[c].pace == 0);
        if (!holds) continue;
        gsim_group_settle(g, now);
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (g->cohorts[c].run != run) continue;
            g->cohorts[c].pace = run->pace;
            g->cohorts[c].asks = 0;
            g->cohorts[c].left *= factor;
        }
        gsim_groups_rate(gpu, i);
    }
    gpu->model->share(gpu, now);
    gsim_groups_find_next(gpu);
}

void gsim_gpu_set_pace(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double pace)
{
    if (run->pace == pace) return;
    run->pace = pace;
    gsim_gpu_change(gpu, now, run, 1, false);
}

/* Of the blocks that are not placed yet, in blocks of mean work. */
static double unplaced_work(const struct gsim_kernel_run *run)
{
    const struct gsim_demand *w = run->work;
    uint64_t placed[GSIM_BLOCK_KINDS];
    double work = 0;
    if (!w->is_unequal || run->blocks != w->blocks) return (double)run->unplaced;
    gsim_unequal_count(&w->unequal, w->blocks - run->unplaced, placed);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++)
        work += (double)(w->unequal.counts[i] - placed[i]) * w->unequal.factor[i];
    return work;
}

struct gsim_gpu_progress gsim_gpu_progress(const struct gsim_gpu *gpu, const struct gsim_kernel_run *run, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    double left = unplaced_work(run), speed = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct gsim_sm_group *g = gpu->groups[i];
        double elapsed = (double)(now - g->updated);
        for (uint32_t n = 0; n < g->cohort_count; n++) {
            const struct gsim_cohort *c = &g->cohorts[n];
            if (c->run != run) continue;
            double blocks = (double)c->blocks * g->sm_count / (w->cold * run->scale * w->units);
            left += blocks * (c->left - elapsed * c->speed * c->pace);
            speed += blocks * c->speed;
        }
    }
    double total = (double)run->blocks;
    return (struct gsim_gpu_progress){1 - left / total, speed / total,
                                      (double)run->resident * w->threads * gpu->sms_each};
}

void gsim_gpu_lengthen(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double share)
{
    double left = run->scale * (1 - gsim_gpu_progress(gpu, run, now).done), factor = left > 0 ? 1 + share / left : 1;
    factor = fmax(GSIM_MIN_SCALE, fmin(factor, GSIM_MAX_SCALE));
    run->scale *= factor;
    gsim_gpu_change(gpu, now, run, factor, false);
}

bool gsim_gpu_is_busy(const struct gsim_gpu *gpu) { return gpu->load.kernels || gpu->queued_count; }
uint32_t gsim_gpu_queued(const struct gsim_gpu *gpu) { return gpu->queued_count; }

bool gsim_gpu_has_empty_sm(const struct gsim_gpu *gpu) { return gpu->load.busy_sms < gpu->device->sm_count; }

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
        const struct gsim_sm_group *g = gpu->groups[i];
        uint32_t slots = 0, warps = 0, registers = 0, smem = 0;
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            const struct gsim_demand *w = g->cohorts[c].work;
            uint32_t n = g->cohorts[c].frees ? g->cohorts[c].blocks : 0;
            GSIM_INVARIANT(g->cohorts[c].asks == 0 || g->cohorts[c].asks == gsim_cohort_asks(&g->cohorts[c]));
            slots += n;
            warps += n * w->need.warps;
            registers += n * w->registers;
            smem += n * w->need.smem_bytes;
        }
        if (slots > l->blocks || warps > l->warps || registers > l->registers || smem > l->smem_bytes)
            GSIM_BUG("SM %u over capacity: %u blocks, %u warps, %u registers, %u bytes of shared memory", g->lowest_sm,
                     slots, warps, registers, smem);
        GSIM_INVARIANT(g->index == i && (gpu->idle[i / 64] >> i % 64 & 1) == !slots);
        GSIM_INVARIANT(slots == g->slots && warps == g->warps && registers == g->registers && smem == g->smem);
        sm_count += g->sm_count;
        blocks += (uint64_t)slots * g->sm_count;
    }
    GSIM_INVARIANT(sm_count == gsim_whole_u32(gpu->device->sm_count) && blocks == gpu->load.blocks);
}
