/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks of a persistent kernel. Each of its blocks, a worker, holds its place on an SM and does one task after another.
 * So a task is a block on its worker's SM. It shares issue slots, L1 and DRAM as any block does.
 */
#include "sim/sm/models/model.h"

static uint32_t group_of(const struct gsim_gpu *gpu, uint32_t sm)
{
    uint32_t index = 0;
    while (!(gpu->groups[index]->sms[sm / 64] >> sm % 64 & 1)) index++;
    return index;
}

static bool fits(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_demand *w)
{
    const struct gsim_sm_limits *l = gpu->limits;
    return g->slots < l->blocks && g->warps + w->need.warps <= l->warps &&
           g->registers + w->registers <= l->registers && g->smem + w->need.smem_bytes <= l->smem_bytes;
}

/* The kernel's shared-memory configuration is that of its largest task. */
static void keep_carveout(struct gsim_sm_group *g, const struct gsim_demand *w)
{
    if (g->slots && g->carveout < w->carveout_bytes) g->carveout = w->carveout_bytes;
}

struct gsim_kernel_run *gsim_gpu_place(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                       double factor, uint32_t blocks, uint32_t sm, double ahead, void *tag,
                                       bool *has_room)
{
    uint32_t index = group_of(gpu, sm);
    *has_room = fits(gpu, gpu->groups[index], work);
    if (!*has_room) return NULL;
    struct gsim_kernel_run *run = gsim_gpu_new_run(gpu, work, factor, tag);
    if (!run) return NULL;
    run->is_held = ahead >= 0;
    run->prologue = ahead;
    run->unplaced = 1;
    run->stands_for = blocks;
    if (gpu->groups[index]->sm_count > 1) {
        uint64_t mask[GSIM_SM_WORDS] = {0};
        mask[sm / 64] = UINT64_C(1) << sm % 64;
        index = gsim_groups_split_mask(gpu, index, mask);
    }
    gsim_group_settle(gpu->groups[index], now);
    keep_carveout(gpu->groups[index], work);
    gsim_distributor_put(gpu, index, run, now);
    gsim_groups_rate(gpu, index);
    gpu->model->share(gpu, now);
    gsim_groups_find_next(gpu);
    return run;
}
