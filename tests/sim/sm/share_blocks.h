/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks made up for the tests of sim/sm/share.h, and a device that lets them be counted by hand. */
#pragma once

#include "sim/sm/share.h"
#include "tests/sim/default_device.h"
#include "tests/test.h"

/* Issue rate that 1, 2 and 3 warps per sub-partition of dense arithmetic reach (measured). */
#define SHARE1 0.826
#define SHARE2 0.94
#define SHARE3 0.995
#define STARVED 0.003

static const struct gsim_dram_state calm = {.stretch = 1, .gain = 1};

/* DRAM out of everybody's way unless a test changes that. */
static inline struct gsim_device_spec device(void)
{
    return with_sm_numbers((struct gsim_device_spec){.sm_count = 10,
                                                     .dram_gbps = 1000,
                                                     .dram_knee = 2,
                                                     .sm_dram_gbps = 200,
                                                     .compute_memory_knee = 4,
                                                     .l1_kib = 256});
}

static inline struct gsim_demand issue_work(double width)
{
    struct gsim_device_spec d = device();
    double compute = 1000 / gsim_issue_share(&d, width);
    return (struct gsim_demand){.kind = GSIM_DEMAND_ISSUE,
                                .has_flops = true,
                                .units = 1,
                                .width = width,
                                .issue_ps = 1000,
                                .compute_ps = compute,
                                .block_ps = compute};
}

/* 1000 ps alone: latency and DRAM. ISSUE of it needs the SM's issue rate. */
static inline struct gsim_demand memory_work(double issue)
{
    return (struct gsim_demand){.kind = GSIM_DEMAND_MEMORY, .units = 1, .width = 2, .threads = 256, .issue_ps = issue,
                              .latency_ps = 300, .memory_ps = 700, .block_ps = 1000, .dram_gbps = 1};
}

/* 1000 ps of on-chip work, using ISSUE ps of the issue rate, and 200 of latency. */
static inline struct gsim_demand chip_work(double issue)
{
    return (struct gsim_demand){.kind = GSIM_DEMAND_ON_CHIP, .units = 1, .width = 2, .issue_ps = issue,
                              .compute_ps = 1000, .latency_ps = 200, .block_ps = 1200};
}

static inline struct gsim_cohort cohort(const struct gsim_demand *work, uint32_t blocks, gsim_time since)
{
    return (struct gsim_cohort){
        .work = work, .blocks = blocks, .since = since, .left = 1, .reached = 1, .pace = 1, .frees = true};
}
