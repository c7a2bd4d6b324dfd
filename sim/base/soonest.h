/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. The earliest of several items by index: a tournament tree over their times. Its size follows the
 * number of items.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/units.h"

#define GSIM_SOONEST_MAX 512 /* items; a power of two */

struct gsim_soonest {
    uint32_t leaves; /* room, a power of two; unused leaves are GSIM_TIME_NEVER */
    gsim_time times[2 * GSIM_SOONEST_MAX]; /* [n] is the earlier of [2n], [2n + 1]; items start at [leaves] */
};

/* Makes a tree with room for one item. */
void gsim_soonest_init(struct gsim_soonest *soonest);
/* Makes room for the last of COUNT items, just added, at GSIM_TIME_NEVER. */
void gsim_soonest_grow(struct gsim_soonest *soonest, uint32_t count);
/* Shrinks the room to several times COUNT, the items left. */
void gsim_soonest_shrink(struct gsim_soonest *soonest, uint32_t count);
/* Updates the tree after gsim_soonest_put() of items below COUNT. */
void gsim_soonest_sort(struct gsim_soonest *soonest, uint32_t count);
/* Returns an earliest item. *IS_ALONE: it is the only one. */
uint32_t gsim_soonest_which(const struct gsim_soonest *soonest, bool *is_alone);

static inline gsim_time gsim_soonest_first(const struct gsim_soonest *soonest) { return soonest->times[1]; }
static inline gsim_time gsim_soonest_get(const struct gsim_soonest *soonest, uint32_t index)
{
    return soonest->times[soonest->leaves + index];
}
/* Sets a time without an update of the tree. */
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
        if (times[at] == time) return; /* nothing above changes */
        times[at] = time;
    }
}

/* Returns the lowest item from INDEX to before LIMIT that is due at NOW, the earliest time; UINT32_MAX: none. */
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
