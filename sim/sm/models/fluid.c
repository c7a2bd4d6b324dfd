/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fluid: each kernel flows through the chip as a whole. It asks for min(SMs, blocks / blocks per SM) SMs. While kernels
 * ask for no more than there are, each goes as alone; beyond that all are slowed by asked / SMs.
 */
#include <math.h>

#include "sim/sm/models/model.h"

static enum gsim_status describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                 const struct gsim_kernel *kernel, struct gsim_error *error)
{
    struct gsim_demand shape;
    double solo_ps;
    enum gsim_status status = gsim_demand_shape(&shape, device, kernel, error);
    if (!status) status = gsim_simple_alone(device, kernel, false, &solo_ps, error);
    if (status) return status;
    *work = (struct gsim_demand){.width = fmin(device->sm_count, (double)shape.blocks / shape.need.blocks_per_sm),
                                 .need = {.blocks_per_sm = GSIM_WHOLE_MAX}};
    gsim_simple_demand(work, kernel, 1, solo_ps, solo_ps);
    return GSIM_OK;
}

static bool share(struct gsim_gpu *gpu, gsim_time now)
{
    double asked = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++)
        for (uint32_t n = 0; n < gpu->groups[i]->cohort_count; n++) {
            const struct gsim_cohort *c = &gpu->groups[i]->cohorts[n];
            asked += c->work->width * c->pace * c->blocks * gpu->groups[i]->sm_count;
        }
    double stretch = fmax(1, asked / gpu->device->sm_count);
    gsim_groups_rate_all(gpu);
    if (stretch == gpu->dram.stretch) return false;
    gpu->dram.stretch = stretch;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        if (!gpu->groups[i]->cohort_count) continue;
        gsim_group_settle(gpu->groups[i], now);
        gsim_simple_rate(gpu, i);
    }
    return true;
}

const struct gsim_work_model gsim_model_fluid = {
    .name = "fluid",
    .summary = "each kernel is one fluid on a chip that all share",
    .is_whole = true,
    .describe = describe,
    .place = gsim_distributor_serve,
    .rate = gsim_simple_rate,
    .share = share,
    .end = gsim_ends_handle,
};
