/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. An observer that records which kernels' blocks were resident on which SMs and when, for traces
 * with a track per SM (sim/report/chrome_sms.h). SMs in the same state are one record, and so are blocks that start and
 * end together; with gpu.exact=1 each block is one.
 */
#pragma once

#include "gpusim/timeline.h"

struct gsim_block_log {
    struct gsim_block_record *records; /* in the order of their ends */
    size_t count, capacity;
    uint32_t sm_count; /* that are observed: the first ones */
    bool failed;       /* memory ran out; records are missing */
    struct gsim_observer observer;
};

/* Starts to observe the first SM_COUNT SMs. LOG must stay where it is until the run is over. */
void gsim_block_log_init(struct gsim_block_log *log, uint32_t sm_count);
void gsim_block_log_release(struct gsim_block_log *log); /* accepts a zeroed one */

/* A time during which blocks of one kernel are on one SM without a gap. */
struct gsim_stay {
    gsim_time start, end;
    uint64_t blocks;
    uint32_t record; /* one of them */
};
/* The stays on SM, sorted by start. IS_MERGED: blocks of a kernel that follow or overlap one another are one stay; else
 * each record is one. *STAYS is for gsim_free(), also on failure. GSIM_NOMEM. */
enum gsim_status gsim_block_log_stays(const struct gsim_block_log *log, uint32_t sm, bool is_merged,
                                      struct gsim_stay **stays, size_t *count, struct gsim_error *error) GSIM_NODISCARD;
