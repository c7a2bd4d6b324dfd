/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Remembers what gsim_share_sm gave: most of the SMs that it is asked for hold the same blocks as another one did just before, which
 * began at other times (90 DAGs of traces/h200/vm/dags-acquired.json.gz: 83 % of 53 million calls).
 */
#ifndef GSIM_GPU_MEMO_H
#define GSIM_GPU_MEMO_H

#include "gpusim/memory.h"
#include "sim/sm/share.h"

struct gsim_memo {
    struct gsim_arena *arena; /* the rest may be zero */
    struct gsim_memo_entry *entries;
    uint64_t since;           /* entries made before hold no more */
};

/* As gsim_share_sm, to the digit. */
double gsim_memo_share_sm(struct gsim_memo *memo, const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                          const struct gsim_dram_state *dram, uint32_t carveout_bytes);

/* From now on the work of the cohorts may be another. */
static inline void gsim_memo_forget(struct gsim_memo *memo) { memo->since++; }

#endif
