/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream-aware: the GPU with the fewest busy streams; ties go to the lowest number (GrCUDA). A stream is busy until the
 * host knows that its work has ended. A program that is placed before the run has no such streams: all kernels so far
 * count.
 */
#include "gpusim/placement.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    uint32_t best = candidates[0];
    (void)op;
    for (uint32_t i = 1; i < count; i++)
        if (p->busy_streams[candidates[i]] < p->busy_streams[best]) best = candidates[i];
    return best;
}

const struct gsim_placement_ops gsim_placement_stream_aware = {
    GSIM_PLACEMENT_HEAD,
    .name = "stream-aware",
    .summary = "the GPU with the fewest busy streams",
    .source = "GrCUDA, runtime/stream/policy/StreamAwareDeviceSelectionPolicy.java",
    .decision_us = 3.3, /* the authors' log (2 V100, 2023): medians of four programs, less round robin's */
    .choose = choose,
};
