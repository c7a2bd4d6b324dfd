/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. How the blocks on one SM share its issue rate, its shared memory and the chip's DRAM: the
 * equations of the SM model. All rules were found on an H200 (traces/h200/, traces/runner/micro/); the issue
 * rules follow from warp schedulers that serve the oldest ready warp, so they should hold where there are
 * four sub-partitions; the constants are one chip's. tests/sim/sm/test_share.c holds each rule.
 *
 *  - Issue-bound blocks: up to 3 warps per sub-partition share equally; beyond that the oldest two warps get
 *    1/3 each, the next two 1/6 each, the rest nothing until they leave. So blocks end one after the other
 *    (4 blocks of 256 threads: 96, 144, 213, 254 us), in units of two warps per sub-partition.
 *    They get what memory blocks and older on-chip ones leave.
 *  - The others wait in line, older ones first: a U^p / (1 - S)^q longer, U = share of the resource that is taken, S =
 * that by older ones. Of issue slots W issue-bound warps per sub-partition take W / 4; younger ones of them are felt up
 * to 1 - u^2, u = what the kind itself uses. On-chip blocks wait 8.5 U / (1 - S) for slots and 0.2 U (1 - S)^-1.5 for
 * shared memory, in their times alone; streams, scattered loads and memory blocks with arithmetic 0.1, 0.17 and 0.8
 * U^0.5 / (1 - S); the last ones for each other, too: 0.84 u^2 / ((1 - v)^0.5 (1 - S)), v = what older ones of them
 * use.
 *  - Memory blocks: t = compute + latency + memory * s(D) + waits; D = what all resident blocks ask for.
 *    A block of two warps is on two of four sub-partitions, the next one on the others.
 *  - Described blocks: t^p = t0^p - m^p + max(m s(D), t0 D/BW)^p + (t0 U)^p, U = issue rate that all such blocks
 *    ask for: parts overlap, and neither issue nor DRAM ever serves more than it has. Where U > 1 a block that asks for
 * u takes (U max(1, u / l))^(1/2) in its place, l the level to which the demands fill the SM: alike blocks as before.
 *  - L1 (what the carve-out leaves): at most 8 scattered lines in flight per KiB, of which streams beside them take up
 * to half; both wait C times as long where C times as many are asked for. On-chip blocks take 1 + 2.7 (C - 1) times as
 * long, where streams count as C = 1 from 0.56 of L1 on.
 */
#pragma once

#include "sim/sm/work.h"

#define GSIM_MAX_COHORTS 64 /* an SM has at most 64 warps, and a cohort at least one */

struct gsim_kernel_run;

/* Blocks of one kernel on an SM that started together and progress alike, or one unit of an issue-bound block. */
struct gsim_cohort {
    struct gsim_kernel_run *run;
    const struct gsim_demand *work;
    uint32_t blocks;
    bool frees;      /* its end is the end of its blocks (false: an issue-bound block's earlier unit) */
    bool is_spread;  /* told apart from those that began alike on other SMs (spread.c) */
    uint8_t half; /* of an issue-bound block of two warps: the pair of sub-partitions that it is on, 1 or 2; 0: on all
                     four */
    gsim_time since;
    double left;     /* share of the work still to do */
    double speed;    /* shares per picosecond while its data is there */
    double reached; /* share of its work at which what is LEFT ends: 1, or where it triggers or waits (known/marks.c) */
    double whole;    /* all of its work, where it has such marks */
    double pace;     /* share of that speed which arriving pages allow, and so of everything it asks for */
    double
        asks; /* gsim_cohort_asks, where that is all they ask for; 0: to be found, as whenever BLOCKS or PACE changes */
};

static inline bool gsim_cohort_is_over(const struct gsim_cohort *c)
{
    return c->left <= 2 * c->speed; /* the rounding of two picoseconds */
}

/* What is asked of the SM's shared memory, as share of its time. */
static inline double gsim_cohort_asks(const struct gsim_cohort *c)
{
    return c->blocks * c->pace * c->work->issue_ps / c->work->compute_ps;
}

/* Picoseconds until what is left of it is done; infinite at pace 0. */
static inline double gsim_cohort_remaining(const struct gsim_cohort *c)
{
    return c->left > 0 ? c->left / (c->speed * c->pace) : 0;
}

/* The chip's DRAM as one SM sees it. */
struct gsim_dram_state {
    double load;    /* asked for, relative to dram_gbps */
    double stretch; /* of memory time: gsim_share_dram of it */
    double chip_wait[GSIM_CHIP_PIPES]; /* stretch of the time that waits for L2 and its busiest slice, less 1 */
    double gain;    /* how much more (or less) than its part this SM gets */
};

/* Sets the speeds of the COUNT cohorts of one SM, oldest first. Returns its demand on DRAM in GB/s. */
/* The same; CHIP: what it asks of the pipes that all SMs share, in SMs' parts of their peak. */
double gsim_share_sm(const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                          const struct gsim_dram_state *dram, uint32_t carveout_bytes, double chip[GSIM_CHIP_PIPES]);

/* Of what is asked of an SM's shared memory, what it serves; of one device; zero at first. */
#define GSIM_CHIP_SHARE_BITS 9
struct gsim_chip_shares {
    struct gsim_chip_share {
        double asked, share; /* of what is asked for, what it serves */
    } known[1 << GSIM_CHIP_SHARE_BITS];
};

/* As gsim_share_sm, to the digit, of on-chip blocks alone that neither compute nor crowd the SM; false: there are
 * others. SOONEST: picoseconds until the first of them is done. */
bool gsim_share_plain_chip(const struct gsim_device_spec *device, struct gsim_chip_shares *known,
                           struct gsim_cohort *cohorts, uint32_t count, double *soonest);

/* By how much what is ASKED of a pipe exceeds what it serves. */
double gsim_share_knee(double asked, double knee);
/* Of what is asked where that is so. */
double gsim_share_knee_load(double stretch, double knee);
double gsim_share_dram_load(const struct gsim_device_spec *device, double stretch);

/* Stretch s(D) of DRAM time when DEMAND_GBPS is asked for. */
double gsim_share_dram(const struct gsim_device_spec *device, double demand_gbps);
