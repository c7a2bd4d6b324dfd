/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Which of several things, known by their indices, comes soonest: a tournament tree over their times.
 * Its size follows the number of things, so that few of them cost little, however many there may be.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/units.h"

#define GSIM_SOONEST_MOST 512 /* things; a power of two */

struct gsim_soonest {
    uint32_t leaves; /* a power of two: room for so many; those that are not there come at GSIM_TIME_NEVER */
    gsim_time times[2 * GSIM_SOONEST_MOST]; /* [n] is the earlier of [2n], [2n + 1]; the things' are LEAVES from
                                               [LEAVES] on */
};

/* Room for one. */
void gsim_soonest_init(struct gsim_soonest *soonest);
/* Of COUNT things the last has just been added: room for it. It comes never. */
void gsim_soonest_grow(struct gsim_soonest *soonest, uint32_t count);
/* COUNT are left: room for no more than several times as many. */
void gsim_soonest_shrink(struct gsim_soonest *soonest, uint32_t count);
/* Those below COUNT have new times, which gsim_soonest_put has put there. */
void gsim_soonest_sort(struct gsim_soonest *soonest, uint32_t count);
/* One of those that come first; whether it is the only one. */
uint32_t gsim_soonest_which(const struct gsim_soonest *soonest, bool *is_alone);

static inline gsim_time gsim_soonest_first(const struct gsim_soonest *soonest) { return soonest->times[1]; }
static inline gsim_time gsim_soonest_get(const struct gsim_soonest *soonest, uint32_t index)
{
    return soonest->times[soonest->leaves + index];
}
/* Without looking who is first then. */
static inline void gsim_soonest_put(struct gsim_soonest *soonest, uint32_t index, gsim_time time)
{
    soonest->times[soonest->leaves + index] = time;
}

static inline void gsim_soonest_set(struct gsim_soonest *soonest, uint32_t index, gsim_time time)
{
    gsim_time *times = soonest->times;
    uint32_t at = soonest->leaves + index;
    times[at] = time;
    while (at > 1) {
        time = time < times[at ^ 1] ? time : times[at ^ 1];
        at /= 2;
        if (times[at] == time) return; /* nor do those above change */
        times[at] = time;
    }
}

/* The lowest index from INDEX on that comes at NOW, before which none comes; UINT32_MAX: there is none below LIMIT. */
static inline uint32_t gsim_soonest_due(const struct gsim_soonest *soonest, uint32_t index, uint32_t limit,
                                        gsim_time now)
{
    const gsim_time *times = soonest->times;
    uint32_t at = soonest->leaves + index;
    if (index >= limit || index >= soonest->leaves) return UINT32_MAX;
    while (times[at] > now) {
        while (at & 1) at /= 2; /* ends at 0 behind the last */
        if (!at) return UINT32_MAX;
        at++;
    }
    while (at < soonest->leaves) at = 2 * at + (times[2 * at] > now);
    index = at - soonest->leaves;
    return index < limit ? index : UINT32_MAX;
}
