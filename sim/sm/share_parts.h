/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal to sim/sm: share*.c and memo.c). What they know of all cohorts of an SM, and share. */
#pragma once

#include "sim/device/rules.h"
#include "sim/sm/share.h"

#define GSIM_EQUAL_WIDTH 3.0        /* issue-bound warps per sub-partition that share alike */
#define GSIM_FULL_WIDTH 4.0         /* and that take all of its slots from younger warps */
#define GSIM_THREADS_OF_WIDTH 128.0 /* a warp on each of four sub-partitions */

/* What the walk over an SM's cohorts needs to know of all of them. */
struct gsim_share_sums {
    double half_width[3]; /* issue-bound warps per sub-partition, of each pair of these, 1 and 2 */
    double memory_width;  /* warps per sub-partition of memory blocks */
    bool has_on_chip;
    bool is_crowded;      /* by some of them */
    bool has_arithmetic;  /* memory blocks with arithmetic of their own */
    double on_chip;       /* issue rate that on-chip blocks would take */
    double lines;         /* scattered loads in flight */
    double l1_kib;        /* what the carve-out leaves */
    double filled;        /* share of it that streams' loads under way would fill */
    double crowding;      /* scattered loads in flight, and streams' beside them, of the most that it has room for */
    double loading;       /* threads of memory blocks that wait for data */
    double demand_gbps;
    double used;          /* issue rate that memory blocks with arithmetic use */
    double taken;         /* share of the issue slots that issue-bound blocks take from others */
    double described;     /* issue rate that described blocks ask for */
    double fair;          /* of it, what a block gets at most where they ask for more than there is */
    const struct gsim_device_spec *device;
    bool has_pipes;       /* blocks of which these are known: */
    double dram_wait;     /* as chip_wait, for DRAM */
    double chip_wait[GSIM_CHIP_PIPES];  /* as in struct gsim_dram_state */
    double chip[GSIM_CHIP_PIPES];       /* asked of the pipes that all SMs share */
    double own_load;      /* on DRAM, relative to what one SM gets of it */
    double stretch, load; /* of DRAM, as this SM sees it */
    double pipes_time[GSIM_MAX_COHORTS]; /* by cohort, where its pipes are known: what a block takes */
};

static inline bool gsim_share_rule(const struct gsim_share_sums *s, enum gsim_rule rule)
{
    return gsim_rule_holds(s->device->rules_off, rule);
}

/* What follows from the cohorts alone. They must stay as they are, but for speeds and what is left, while SUMS is
 * used. */
void gsim_share_sum(const struct gsim_device_spec *device, const struct gsim_cohort *cohorts, uint32_t count,
                    uint32_t carveout_bytes, struct gsim_share_sums *sums);
/* Their demand on DRAM in GB/s. */
double gsim_share_demand(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts, uint32_t count,
                         const struct gsim_dram_state *dram);
/* The same, and their speeds. */
double gsim_share_speeds(const struct gsim_device_spec *device, struct gsim_share_sums *sums,
                         struct gsim_cohort *cohorts, uint32_t count, const struct gsim_dram_state *dram);

static inline double gsim_share_memory_time(const struct gsim_demand *w, const struct gsim_share_sums *s)
{
    return w->memory_ps * s->stretch;
}

static inline bool gsim_share_has_arithmetic(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_MEMORY && w->has_flops;
}

static inline double gsim_share_width_on_half(const struct gsim_cohort *c)
{
    return c->half ? 2 * c->work->width : c->work->width;
}

/* Adds C's issue-bound warps per sub-partition to those of each pair of these, 1 and 2. */
static inline void gsim_share_add_to_halves(double at[3], const struct gsim_cohort *c)
{
    double width = c->blocks * c->pace * gsim_share_width_on_half(c);
    if (c->work->kind != GSIM_DEMAND_ISSUE) return;
    if (c->half != 2) at[1] += width;
    if (c->half != 1) at[2] += width;
}

/* What some of an SM's blocks take of its issue slots from others. */
struct gsim_share_slots {
    double halves[3]; /* issue-bound warps per sub-partition, of each pair of these, 1 and 2 */
    double rate;      /* at which memory blocks with arithmetic, or on-chip ones, issue */
};

/* Share of the slots. Issue-bound warps are always ready, others seldom at the same time. */
static inline double gsim_share_taken(const struct gsim_share_sums *s, const struct gsim_share_slots *slots)
{
    double width = slots->halves[1] > slots->halves[2] ? slots->halves[1] : slots->halves[2];
    double free = width < GSIM_FULL_WIDTH ? 1 - width / GSIM_FULL_WIDTH : 0;
    double background = gsim_share_rule(s, GSIM_RULE_BACKGROUND_ISSUE)
                            ? s->device->issue_background * (slots->rate < 1 ? slots->rate : 1)
                            : 0;
    return 1 - free * (1 - background);
}

/* Finds pipes_time of blocks with known pipes under the chip's load (sim/sm/known/pipes.c). */
void gsim_share_pipes(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts, uint32_t count);

/* Sets the speeds of the on-chip cohorts. Those of one kernel that began together share alike unless they crowd the
 * SM. */
void gsim_share_on_chip(struct gsim_cohort *cohorts, uint32_t count, const struct gsim_share_sums *sums);
