/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "sim/sm/state.h"

/* How many blocks of the kernel with TAG are resident on each SM now. */
static inline void residency_of(const struct gsim_gpu *gpu, const void *tag, uint32_t *blocks_by_sm, uint32_t sm_count)
{
    memset(blocks_by_sm, 0, sm_count * sizeof *blocks_by_sm);
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        const struct gsim_sm_group *g = gpu->groups[i];
        uint32_t blocks = 0;
        for (uint32_t c = 0; c < g->cohort_count; c++)
            if (g->cohorts[c].run->tag == tag && g->cohorts[c].frees) blocks += g->cohorts[c].blocks;
        for (uint32_t s = 0; s < sm_count; s++)
            if (g->sms[s / 64] >> s % 64 & 1) blocks_by_sm[s] = blocks;
    }
}
