/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. A cache of solved SMs. A mix is what an SM holds: its cohorts' demands, counts and order, but not
 * their ages or what they have left. Many SMs hold the same mix, so that the equations of share.h are solved once for
 * each mix and DRAM load (90 DAGs of traces/h200/vm/dags-mixed.json.gz: 8 million changes of SMs, 52 million of their
 * load).
 */
#pragma once

#include "gpusim/memory.h"
#include "sim/sm/share.h"

struct gsim_mix;
struct gsim_mix_entry;

struct gsim_memo {
    struct gsim_arena *arena; /* set by the caller; the rest is zero at first */
    struct gsim_mix_entry *table;
    char *room;               /* for mixes */
    size_t room_size, used;
    uint32_t count;
    uint64_t since;           /* changes when all mixes are dropped */
};

struct gsim_sm_blocks {
    const struct gsim_cohort *cohorts;
    uint32_t count, carveout_bytes;
    bool is_fast; /* its SMs get another part of DRAM */
};

/* The mix of BLOCKS, which MEMO owns; valid until memo->since changes, as it may in this call. NULL: it is not kept,
 * because a cohort waits for pages or memory is out. */
struct gsim_mix *gsim_memo_mix(struct gsim_memo *memo, const struct gsim_device_spec *device,
                               const struct gsim_sm_blocks *blocks);
/* gsim_share_sm() of COHORTS, which are of that mix: the same to the digit. The first one leaves their speeds alone. */
double gsim_mix_demand(struct gsim_mix *mix, const struct gsim_cohort *cohorts, const struct gsim_dram_state *dram,
                       double chip[GSIM_CHIP_PIPES]);
double gsim_mix_share(struct gsim_mix *mix, const struct gsim_device_spec *device, struct gsim_cohort *cohorts,
                      const struct gsim_dram_state *dram, double chip[GSIM_CHIP_PIPES]);

/* Drops all mixes: demands may have changed. */
void gsim_memo_forget(struct gsim_memo *memo);
