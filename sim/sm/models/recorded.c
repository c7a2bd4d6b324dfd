/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recorded: each kernel takes the time that was recorded, on whatever GPU, beside any others. No device is needed: what
 * it would refuse is not checked. A kernel without a time takes that of "blocks".
 */
#include "sim/sm/models/model.h"

static enum gsim_status describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                 const struct gsim_kernel *kernel, struct gsim_error *error)
{
    double solo_ps;
    enum gsim_status status = gsim_simple_alone(device, kernel, true, &solo_ps, error);
    *work = (struct gsim_demand){.need = {.blocks_per_sm = GSIM_WHOLE_MAX}};
    gsim_simple_demand(work, kernel, 1, solo_ps, solo_ps);
    return status;
}

const struct gsim_work_model gsim_model_recorded = {
    .name = "recorded",
    .summary = "each kernel takes its recorded time, beside any others: for GPUs that nobody knows",
    .is_whole = true,
    .describe = describe,
    .place = gsim_distributor_serve,
    .rate = gsim_simple_rate,
    .share = gsim_simple_share,
    .end = gsim_ends_handle,
};
