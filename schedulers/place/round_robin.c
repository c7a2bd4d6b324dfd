/* SPDX-License-Identifier: GPL-3.0-or-later */
/* round-robin: one GPU after the other, in the order of the ops (GrCUDA). */
#include "gpusim/placement.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    (void)op;
    return gsim_placing_next(p, candidates, count);
}

const struct gsim_placement_ops gsim_placement_round_robin = {
    GSIM_PLACEMENT_HEAD,
    .name = "round-robin",
    .summary = "one GPU after the other",
    .source = "GrCUDA, runtime/stream/policy/RoundRobinDeviceSelectionPolicy.java",
    .choose = choose,
};
