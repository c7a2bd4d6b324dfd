/* SPDX-License-Identifier: GPL-3.0-or-later */
/* minmin-transfer-time: the least sum of transfer times, each at the greatest bandwidth from a place that holds it
 * (GrCUDA). */
#include "schedulers/place/grcuda.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    return gsim_grcuda_least_time(p, op, candidates, count, false);
}

const struct gsim_placement_ops gsim_placement_minmin_transfer_time = {
    GSIM_PLACEMENT_HEAD,
    .name = "minmin-transfer-time",
    .summary = "the GPU to which the arguments come soonest, over the greatest bandwidth",
    .source = "GrCUDA, runtime/stream/policy/TransferTimeDeviceSelectionPolicy.java (MinMin)",
    .params_size = sizeof(struct gsim_grcuda_params),
    .params = gsim_grcuda_params,
    .decision_us = 16, /* as minmax */
    .choose = choose,
};
