/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/sm (internal: share.c, share_chip.c, known/pipes.c, memo.c). The sums over an SM's cohorts that the
 * equations of share.h need. Rates are shares of the SM's issue rate; widths are warps per sub-partition. */
#pragma once

#include "sim/device/rules.h"
#include "sim/sm/share.h"

#define GSIM_EQUAL_WIDTH 3.0        /* issue-bound warps per sub-partition that share alike */
#define GSIM_FULL_WIDTH 4.0         /* and that take all of its slots from younger warps */
#define GSIM_THREADS_OF_WIDTH 128.0 /* a warp on each of four sub-partitions */

struct gsim_share_sums {
    double half_width[3]; /* W: width of issue-bound blocks on the pairs of sub-partitions 1 and 2 */
    double memory_width;  /* width of memory blocks */
    bool has_on_chip;     /* on-chip blocks are there */
    bool is_crowded;      /* some of them crowd the SM: served by age */
    bool has_arithmetic;  /* memory blocks with flops are there */
    double on_chip;       /* shared memory's time that on-chip blocks ask for */
    double lines;         /* scattered loads in flight */
    double l1_kib;        /* L1 that the carve-out leaves */
    double filled;        /* share of L1 that loads of streams in flight would fill */
    double crowding;      /* X: lines in flight, streams' among them, over those that L1 has room for */
    double loading;       /* threads of memory blocks that wait for data */
    double demand_gbps;   /* asked of DRAM */
    double used;          /* u: rate of memory blocks with flops */
    double taken;         /* U by issue-bound blocks */
    double described;     /* rate that described blocks ask for */
    double fair;          /* l: what one of them gets at most where that is above 1 */
    const struct gsim_device_spec *device;
    bool has_pipes;       /* blocks with known pipes are there, those of a kernel a crowd: */
    bool has_others;      /* blocks without */
    uint32_t crowd_count;
    double dram_wait;     /* s - 1 */
    double chip_wait[GSIM_CHIP_PIPES];  /* as in struct gsim_dram_state */
    double chip[GSIM_CHIP_PIPES];       /* asked of the pipes that all SMs share */
    double own_load;      /* o: what its blocks ask of DRAM over what one SM gets */
    double stretch, load; /* s and D / B as this SM sees them */
    double pipes_time[GSIM_MAX_COHORTS], crowd_blocks[GSIM_MAX_COHORTS];  /* by crowd: T of a block, how many */
    double crowd_alone[GSIM_MAX_COHORTS]; /* its time without waits at the SM's pipes */
    uint8_t crowd_of[GSIM_MAX_COHORTS], crowd_first[GSIM_MAX_COHORTS]; /* by cohort; by crowd: its first cohort */
};

static inline bool gsim_share_rule(const struct gsim_share_sums *s, enum gsim_rule rule)
{
    return gsim_rule_holds(s->device->rules_off, rule);
}

/* Sets what follows from the cohorts alone. While SUMS is used only their speeds and what they have left may change. */
void gsim_share_sum(const struct gsim_device_spec *device, const struct gsim_cohort *cohorts, uint32_t count,
                    uint32_t carveout_bytes, struct gsim_share_sums *sums);
/* Returns their demand on DRAM in GB/s under DRAM's load. */
double gsim_share_demand(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts, uint32_t count,
                         const struct gsim_dram_state *dram);
/* The same, and sets their speeds. DRAM NULL: as it was in the last call for SUMS. */
double gsim_share_speeds(const struct gsim_device_spec *device, struct gsim_share_sums *sums,
                         struct gsim_cohort *cohorts, uint32_t count, const struct gsim_dram_state *dram);

/* m s */
static inline double gsim_share_memory_time(const struct gsim_demand *w, const struct gsim_share_sums *s)
{
    return w->memory_ps * s->stretch;
}

static inline bool gsim_share_has_arithmetic(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_MEMORY && w->has_flops;
}

/* The width of one of its blocks on the sub-partitions where it is. */
static inline double gsim_share_width_on_half(const struct gsim_cohort *c)
{
    return c->half ? 2 * c->work->width : c->work->width;
}

/* Adds C's width, if it is issue-bound, to that of its pair of sub-partitions, or of both. */
static inline void gsim_share_add_to_halves(double at[3], const struct gsim_cohort *c)
{
    double width = c->blocks * c->pace * gsim_share_width_on_half(c);
    if (c->work->kind != GSIM_DEMAND_ISSUE) return;
    if (c->half != 2) at[1] += width;
    if (c->half != 1) at[2] += width;
}

/* Returns how many cohorts from C on share alike, those of one launch that started together, unless they crowd the SM;
 * sets how many BLOCKS ask. */
static inline uint32_t gsim_share_alike(const struct gsim_cohort *c, uint32_t count, double *blocks)
{
    uint32_t length = 1;
    *blocks = c->blocks * c->pace;
    for (; !c->work->is_crowded && length < count && c[length].run == c->run && c[length].since == c->since; length++)
        *blocks += c[length].blocks * c->pace;
    return length;
}

/* What some of an SM's blocks take of its issue slots from others. */
struct gsim_share_slots {
    double halves[3]; /* width of issue-bound blocks, on each pair of sub-partitions */
    double rate;      /* of memory blocks with flops, or of on-chip ones */
};

/* Share of the slots that are taken, U or S: of issue-bound warps W / 4, as they are always ready; of others
 * issue_background times their rate. The parts left free multiply. */
static inline double gsim_share_taken(const struct gsim_share_sums *s, const struct gsim_share_slots *slots)
{
    double width = slots->halves[1] > slots->halves[2] ? slots->halves[1] : slots->halves[2];
    double free = width < GSIM_FULL_WIDTH ? 1 - width / GSIM_FULL_WIDTH : 0;
    double background = gsim_share_rule(s, GSIM_RULE_BACKGROUND_ISSUE)
                            ? s->device->issue_background * (slots->rate < 1 ? slots->rate : 1)
                            : 0;
    return 1 - free * (1 - background);
}

/* Finds the crowds; sets their pipes_time under the chip's load (sim/sm/known/pipes.c). */
void gsim_share_crowd(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts, uint32_t count);
void gsim_share_pipes(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts);

/* Sets the speeds of the on-chip cohorts (share_chip.c). Those of one kernel that started together share alike unless
 * they crowd the SM. */
void gsim_share_on_chip(struct gsim_cohort *cohorts, uint32_t count, const struct gsim_share_sums *sums);
