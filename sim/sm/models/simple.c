/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the simpler models have in common (model.h). */
#include "sim/sm/models/model.h"

enum gsim_status gsim_simple_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel, bool is_any,
                                   double *solo_ps, struct gsim_error *error)
{
    bool is_measured = is_any ? kernel->solo_us > 0 : gsim_demand_is_measured(kernel, device);
    struct gsim_demand work = {.solo_ps = kernel->solo_us * GSIM_PS_PER_US};
    struct gsim_device_spec blocks = *device;
    blocks.model = 0;
    enum gsim_status status = is_measured ? GSIM_OK : gsim_demand_describe(&work, &blocks, kernel, error);
    *solo_ps = work.solo_ps > 1 ? work.solo_ps : 1;
    return status;
}

void gsim_simple_demand(struct gsim_demand *work, const struct gsim_kernel *kernel, uint64_t blocks, double block_ps,
                        double solo_ps)
{
    work->kind = GSIM_DEMAND_DESCRIBED;
    work->blocks = blocks;
    work->units = work->cluster = 1;
    work->cold = 1;
    work->block_ps = block_ps;
    work->solo_ps = solo_ps;
    work->measured_us = kernel->solo_us;
    work->prologue = kernel->prologue;
    work->trigger = kernel->trigger;
    work->is_unequal = false;
}

void gsim_simple_rate(struct gsim_gpu *gpu, uint32_t group)
{
    struct gsim_sm_group *g = gpu->groups[group];
    for (uint32_t i = 0; i < g->cohort_count; i++)
        g->cohorts[i].speed = 1 / (g->cohorts[i].work->block_ps * gpu->dram.stretch);
    gsim_groups_set_end(gpu, group);
}

bool gsim_simple_share(struct gsim_gpu *gpu, gsim_time now)
{
    (void)now;
    gsim_groups_rate_all(gpu);
    return false;
}
