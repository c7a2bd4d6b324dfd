/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launches that pause between blocks, and launches whose blocks are killed (sim/sm/gpu.h). */
#include "sim/sm/models/model.h"

/* Takes RUN, which has blocks to place, out of the distributor's queue. */
static void unqueue(struct gsim_gpu *gpu, struct gsim_kernel_run *run)
{
    struct gsim_level *q = &gpu->queues[run->level];
    struct gsim_kernel_run **at = &q->head;
    while (*at != run) at = &(*at)->next;
    *at = run->next;
    if (!run->next) q->tail = at;
    run->next = NULL;
    gpu->queued_count--;
    gpu->blocked = NULL;
}

static void changed(struct gsim_gpu *gpu, gsim_time now)
{
    gpu->model->place(gpu, now);
    gpu->model->share(gpu, now);
    gsim_groups_find_next(gpu);
}

bool gsim_gpu_pause(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run)
{
    if (run->is_paused || !run->unplaced) return false;
    unqueue(gpu, run);
    run->is_paused = true;
    changed(gpu, now);
    return true;
}

bool gsim_gpu_is_drained(const struct gsim_kernel_run *run) { return run->is_paused && !run->resident; }

void gsim_gpu_go_on(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run)
{
    if (!run->is_paused) return;
    run->is_paused = false;
    *gpu->queues[run->level].tail = run;
    gpu->queues[run->level].tail = &run->next;
    gpu->queued_count++;
    changed(gpu, now);
}

/* Takes the run's blocks off the group's SMs. */
static void empty_group(struct gsim_gpu *gpu, uint32_t index, const struct gsim_kernel_run *run, gsim_time now)
{
    struct gsim_sm_group *g = gpu->groups[index];
    bool had = false;
    gsim_group_settle(g, now);
    for (uint32_t i = 0; i < g->cohort_count;) {
        if (g->cohorts[i].run != run) {
            i++;
            continue;
        }
        had = true;
        gsim_ends_take_blocks(gpu, g, i, g->cohorts[i].blocks, now);
    }
    if (!had) return;
    gsim_group_feel(g);
    if (!g->slots) gpu->load.busy_sms -= g->sm_count;
    gsim_groups_rate(gpu, index);
}

void gsim_gpu_kill(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run)
{
    if (run->unplaced && !run->is_paused) unqueue(gpu, run);
    for (uint32_t i = 0; i < gpu->group_count; i++) empty_group(gpu, i, run, now);
    gsim_ends_merge_idle(gpu);
    GSIM_INVARIANT(!run->resident);
    if (run->started) gpu->load.kernels--;
    gpu->run_count--;
    gpu->horizon = 0;
    gpu->blocked = NULL;
    run->next = gpu->free_runs;
    gpu->free_runs = run;
    changed(gpu, now);
}
