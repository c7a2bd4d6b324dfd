/* SPDX-License-Identifier: GPL-3.0-or-later */
/* minmax-transfer-time: the least sum of transfer times, each at the smallest bandwidth from a place that holds it
 * (GrCUDA). */
#include "schedulers/place/grcuda.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    return gsim_grcuda_least_time(p, op, candidates, count, true);
}

const struct gsim_placement_ops gsim_placement_minmax_transfer_time = {
    GSIM_PLACEMENT_HEAD,
    .name = "minmax-transfer-time",
    .summary = "the GPU to which the arguments come soonest, over the smallest bandwidth",
    .source = "GrCUDA, runtime/stream/policy/TransferTimeDeviceSelectionPolicy.java (MinMax)",
    .params_size = sizeof(struct gsim_grcuda_params),
    .params = gsim_grcuda_params,
    .decision_us = 16, /* the authors' log (2 V100, 2023): medians of four programs, less round robin's */
    .choose = choose,
};
