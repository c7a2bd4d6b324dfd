/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. The speeds of the blocks that are resident on one SM: the equations of the SM model. A block does
 * 1 / T of its work per picosecond, where T is what a whole block takes under the present load. T depends on the other
 * blocks of the SM, in the order of their age, and on the load of DRAM and L2 that the chip has now (groups.c).
 *
 *     T = C (L / g + w) + l                             on-chip block
 *     T = C + l + m s + T0 w + b + (l + m s) (X - 1)    memory block, scattered loads
 *     T = I / min(j, d, left)                           issue-bound block
 *     T^n = T0^n - m^n + max(m s, T0 D / B)^n + (T0 Y)^n    described block
 *     T = T0 (1 + max(e (s - 1), f k)) + waits at the SM's pipes    block with known pipes
 *
 *   C, l, m, I, T0   compute_ps, latency_ps, memory_ps, issue_ps, block_ps of its demand (demand.h)
 *   s, D, B          stretch of DRAM time; GB/s that the chip asks of DRAM; dram_gbps
 *   k, e, f          wait for L2 by the chip's load on it; dram_exposed, chip_exposed of its demand
 *   w                wait for issue slots: a U^p / (1 - S)^q, U the share of them that is taken, S that by older blocks
 *   g                share of its demand on shared memory that it is served, older blocks first
 *   L, X             L1: how much longer on-chip blocks take beside loads; loads in flight over the room for them
 *   b                wait of memory blocks with arithmetic for the arithmetic of their like
 *   j, d, left       an issue-bound block's part by age, the rate that it has alone, the rate that is left
 *   n, Y             compute_memory_knee; what described blocks ask of the issue rate together, and more beyond 1
 *
 * docs/model/sharing.md has each symbol's own equation, the numbers, the recordings behind them and the test of each.
 * The equations are solved in that order: L1 and DRAM's stretch, on-chip blocks, memory blocks (a fixed point: slower
 * ones use fewer slots), described blocks, then issue-bound blocks among which the oldest win. What is served of issue
 * slots and of shared memory is at most 1 in all, and s is never below D / B.
 */
#pragma once

#include "sim/sm/demand.h"

#define GSIM_MAX_COHORTS 64 /* an SM has at most 64 warps, and a cohort at least one */

struct gsim_kernel_run;

/* Blocks of one kernel on one SM that started together and progress alike; or one unit of an issue-bound block. LEFT
 * is in units of a block's work: 1 is a block of mean work, with its data in L2. */
struct gsim_cohort {
    struct gsim_kernel_run *run;
    const struct gsim_demand *work;
    uint32_t blocks;
    bool frees;      /* its end is the end of its blocks; false: an earlier unit of an issue-bound block */
    bool is_spread;  /* its own end has been told from those that began alike on other SMs (spread.c) */
    uint8_t half;    /* an issue-bound block of two warps: its pair of sub-partitions, 1 or 2; else 0, on all four */
    gsim_time since; /* start of its blocks: their age */
    double left;     /* work still to do, up to REACHED */
    double speed;    /* 1 / T: work per picosecond at pace 1 */
    double reached;  /* share of its work at which LEFT ends: 1, or where it triggers or waits (known/marks.c) */
    double whole;    /* all of its work, where it has such marks */
    double pace;     /* share of SPEED, and of all that it asks for, that arriving pages allow; 0: it waits */
    double asks;     /* gsim_cohort_asks() of a plain on-chip cohort; 0: not found since BLOCKS or PACE changed */
};

static inline bool gsim_cohort_is_over(const struct gsim_cohort *c)
{
    return c->left <= 2 * c->speed; /* within the rounding of two picoseconds */
}

/* What it asks of the SM's shared memory, as share of time. */
static inline double gsim_cohort_asks(const struct gsim_cohort *c)
{
    return c->blocks * c->pace * c->work->issue_ps / c->work->compute_ps;
}

/* Picoseconds until it ends at its present speed; infinite at pace 0. */
static inline double gsim_cohort_remaining(const struct gsim_cohort *c)
{
    return c->left > 0 ? c->left / (c->speed * c->pace) : 0;
}

/* The chip's DRAM and L2 as one SM sees them; idle: stretch 1, gain 1, else 0. */
struct gsim_dram_state {
    double load;    /* D / B */
    double stretch; /* s of the chip, before GAIN */
    double chip_wait[GSIM_CHIP_PIPES]; /* k, of L2 and of its busiest slice */
    double gain;    /* this SM's part of a saturated DRAM relative to an even one */
};

/* Sets the speeds of the COUNT cohorts of one SM, oldest first, under DRAM. Returns what they ask of DRAM in GB/s.
 * CHIP, if not NULL: what they ask of L2's pipes, as shares of an SM's part of the peak. */
double gsim_share_sm(const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                     const struct gsim_dram_state *dram, uint32_t carveout_bytes, double chip[GSIM_CHIP_PIPES]);

/* Caches for one device, by what is asked of an SM's shared memory, the share that is served. Zero at first. */
#define GSIM_CHIP_SHARE_BITS 9
struct gsim_chip_shares {
    struct gsim_chip_share {
        double asked, share;
    } known[1 << GSIM_CHIP_SHARE_BITS];
};

/* The same as gsim_share_sm(), to the digit and faster, if all cohorts are on-chip, without flops and not crowded; else
 * returns false and sets nothing. SOONEST: picoseconds until the first of them ends. */
bool gsim_share_plain_chip(const struct gsim_device_spec *device, struct gsim_chip_shares *known,
                           struct gsim_cohort *cohorts, uint32_t count, double *soonest);

/* The stretch of a pipe of which ASKED, a share of its peak, is asked: (1 + asked^knee)^(1/knee). */
double gsim_share_knee(double asked, double knee);
/* What is asked where that is STRETCH: the inverse. */
double gsim_share_knee_load(double stretch, double knee);

/* Stretch s of DRAM time when DEMAND_GBPS is asked for in all; and the load D / B at which it is STRETCH. */
double gsim_share_dram(const struct gsim_device_spec *device, double demand_gbps);
double gsim_share_dram_load(const struct gsim_device_spec *device, double stretch);
