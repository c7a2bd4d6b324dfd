/* SPDX-License-Identifier: GPL-3.0-or-later */
/* min-transfer-size: the GPU that holds most bytes of the arguments; where none exceeds the threshold, round robin
 * (GrCUDA). */
#include "schedulers/place/grcuda.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    uint32_t best = UINT32_MAX;
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t present = gsim_placing_present(p, op, candidates[i]);
        if (present <= most || !gsim_grcuda_counts(p, op, candidates[i])) continue;
        most = present;
        best = candidates[i];
    }
    return best == UINT32_MAX ? gsim_placing_next(p, candidates, count) : best;
}

const struct gsim_placement_ops gsim_placement_min_transfer_size = {
    GSIM_PLACEMENT_HEAD,
    .name = "min-transfer-size",
    .summary = "the GPU that holds most of the arguments' bytes",
    .source = "GrCUDA, runtime/stream/policy/MinimizeTransferSizeDeviceSelectionPolicy.java",
    .params_size = sizeof(struct gsim_grcuda_params),
    .params = gsim_grcuda_params,
    .decision_us = 12, /* the authors' log (2 V100, 2023): medians of four programs, less round robin's */
    .choose = choose,
};
