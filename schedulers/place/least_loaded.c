/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least-loaded: the GPU whose kernels' estimated times add up to least; ties go to the lowest number. */
#include "gpusim/placement.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    uint32_t best = candidates[0];
    (void)op;
    for (uint32_t i = 1; i < count; i++)
        if (p->load_us[candidates[i]] < p->load_us[best]) best = candidates[i];
    return best;
}

const struct gsim_placement_ops gsim_placement_least_loaded = {
    GSIM_PLACEMENT_HEAD,
    .name = "least-loaded",
    .summary = "the GPU with the least estimated work",
    .source = "a baseline",
    .choose = choose,
};
