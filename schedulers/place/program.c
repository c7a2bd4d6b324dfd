/* SPDX-License-Identifier: GPL-3.0-or-later */
/* program: each op on the GPU that its field "device" says, for schedulers that know one GPU and take a placed
 * program. */
#include "gpusim/placement.h"

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    (void)p;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i] == op->device) return op->device;
    return candidates[0];
}

const struct gsim_placement_ops gsim_placement_program = {
    GSIM_PLACEMENT_HEAD,
    .name = "program",
    .summary = "the GPU that the program says (op field device)",
    .source = "our definition",
    .follows_program = true,
    .choose = choose,
};
