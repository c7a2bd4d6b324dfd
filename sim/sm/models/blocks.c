/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks: every block on its SM, at the speed that the SM's issue slots, its shared memory and the chip's DRAM leave
 * it. Demands are demand.c's, placement distributor.c's, speeds groups.c's and share.c's, ends ends.c's.
 */
#include "sim/sm/models/model.h"

const struct gsim_work_model gsim_model_blocks = {
    .name = "blocks",
    .summary = "every block on its SM, sharing issue slots, shared memory, L2 and DRAM",
    .describe = gsim_demand_describe,
    .place = gsim_distributor_serve,
    .rate = gsim_groups_rate_blocks,
    .share = gsim_groups_share_chip,
    .end = gsim_ends_handle,
};
