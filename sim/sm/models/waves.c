/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waves: blocks wait for room on the SMs, as in "blocks", and each takes an equal part of its kernel's time alone: solo
 * / ceil(blocks / (SMs x blocks per SM)). Blocks on one SM do not slow each other.
 */
#include <math.h>

#include "sim/sm/models/model.h"

static enum gsim_status describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                 const struct gsim_kernel *kernel, struct gsim_error *error)
{
    double solo_ps;
    enum gsim_status status = gsim_demand_shape(work, device, kernel, error);
    if (!status) status = gsim_simple_alone(device, kernel, false, &solo_ps, error);
    if (status) return status;
    double waves = ceil((double)work->blocks / (device->sm_count * work->need.blocks_per_sm));
    gsim_simple_demand(work, kernel, work->blocks, solo_ps / waves, solo_ps);
    return GSIM_OK;
}

const struct gsim_work_model gsim_model_waves = {
    .name = "waves",
    .summary = "blocks wait for room on SMs, and do not slow each other",
    .describe = describe,
    .place = gsim_distributor_serve,
    .rate = gsim_simple_rate,
    .share = gsim_simple_share,
    .end = gsim_ends_handle,
};
