/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. An observer that keeps which kernels' blocks were resident on which SMs from when to when, for traces
 * with a track per SM (sim/report/chrome_sms.h). It sees what the machine knows: SMs in the same state together, and
 * blocks that start and end together as one; with gpu.exact=1 every block.
 */
#pragma once

#include "gpusim/timeline.h"

struct gsim_block_log {
    struct gsim_block_record *records; /* in the order in which they ended */
    size_t count, capacity;
    uint32_t sm_count; /* of the SMs that are asked for: the first ones */
    bool failed;       /* memory ran out; records are missing */
    struct gsim_observer observer;
};

/* The log stays where it is until the run is over. */
void gsim_block_log_init(struct gsim_block_log *log, uint32_t sm_count);
void gsim_block_log_release(struct gsim_block_log *log); /* accepts a zeroed one */

/* Blocks of one kernel on one SM, without a moment in which none is there. */
struct gsim_stay {
    gsim_time start, end;
    uint64_t blocks;
    uint32_t record; /* one of them */
};
/* What stood on SM, by start; IS_MERGED: blocks of a kernel that follow or overlap one another are one stay, else those
 * of one record, each with its number of blocks. *STAYS: for gsim_free(), also on failure. */
enum gsim_status gsim_block_log_stays(const struct gsim_block_log *log, uint32_t sm, bool is_merged,
                                      struct gsim_stay **stays, size_t *count, struct gsim_error *error) GSIM_NODISCARD;
