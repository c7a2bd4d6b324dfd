/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Remembers mixes: what an SM holds, and how fast its blocks go under the load that DRAM has. Most SMs hold
 * the same blocks as others do, which began at other times, so that the equations are solved once for each mix and load
 * (90 DAGs of traces/h200/vm/dags-mixed.json.gz: 8 million changes of SMs, 52 million of the load that they feel).
 */
#pragma once

#include "gpusim/memory.h"
#include "sim/sm/share.h"

struct gsim_mix;
struct gsim_mix_entry;

struct gsim_memo {
    struct gsim_arena *arena; /* the rest may be zero */
    struct gsim_mix_entry *table;
    char *room;               /* for mixes */
    size_t room_size, used;
    uint32_t count;
    uint64_t since;           /* mixes found before hold no more */
};

struct gsim_sm_blocks {
    const struct gsim_cohort *cohorts;
    uint32_t count, carveout_bytes;
    bool is_fast; /* such SMs see another DRAM */
};

/* The mix of BLOCKS. NULL: it is not kept. It holds until MEMO.since changes, here too. */
struct gsim_mix *gsim_memo_mix(struct gsim_memo *memo, const struct gsim_device_spec *device,
                               const struct gsim_sm_blocks *blocks);
/* As gsim_share_sm, to the digit, of COHORTS of that mix: their demand on DRAM alone, or speeds, too. */
double gsim_mix_demand(struct gsim_mix *mix, const struct gsim_cohort *cohorts, const struct gsim_dram_state *dram,
                       double chip[GSIM_CHIP_PIPES]);
double gsim_mix_share(struct gsim_mix *mix, const struct gsim_device_spec *device, struct gsim_cohort *cohorts,
                      const struct gsim_dram_state *dram, double chip[GSIM_CHIP_PIPES]);

/* From now on the work of the cohorts may be another. */
void gsim_memo_forget(struct gsim_memo *memo);
