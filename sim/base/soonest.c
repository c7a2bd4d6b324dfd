/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/soonest.h. */
#include "sim/base/soonest.h"

#include <string.h>

#define MIN_LEAVES 4 /* that it shrinks to */

void gsim_soonest_init(struct gsim_soonest *s)
{
    s->leaves = 1;
    s->times[1] = GSIM_TIME_NEVER;
}

static gsim_time earlier(const gsim_time *times) { return times[0] < times[1] ? times[0] : times[1]; }

static void set_leaves(struct gsim_soonest *s, uint32_t leaves)
{
    gsim_time *times = s->times;
    uint32_t before = s->leaves;
    memmove(&times[leaves], &times[before], (before < leaves ? before : leaves) * sizeof *times);
    for (uint32_t i = before; i < leaves; i++) times[leaves + i] = GSIM_TIME_NEVER;
    for (uint32_t i = leaves - 1; i; i--) times[i] = earlier(&times[2 * i]);
    s->leaves = leaves;
}

void gsim_soonest_grow(struct gsim_soonest *s, uint32_t count)
{
    if (count > s->leaves) set_leaves(s, 2 * s->leaves);
    gsim_soonest_set(s, count - 1, GSIM_TIME_NEVER);
}

void gsim_soonest_shrink(struct gsim_soonest *s, uint32_t count)
{
    if (s->leaves > MIN_LEAVES && count < s->leaves / 4) set_leaves(s, s->leaves / 2);
}

void gsim_soonest_sort(struct gsim_soonest *s, uint32_t count)
{
    for (uint32_t first = s->leaves / 2, last = (s->leaves + count - 1) / 2; first; first /= 2, last /= 2)
        for (uint32_t i = first; i <= last; i++) s->times[i] = earlier(&s->times[2 * i]);
}

uint32_t gsim_soonest_which(const struct gsim_soonest *s, bool *is_alone)
{
    const gsim_time *times = s->times;
    uint32_t at = 1, several = 0;
    while (at < s->leaves) {
        uint32_t right = times[2 * at + 1] == times[1];
        several |= right & (times[2 * at] == times[1]);
        at = 2 * at + right;
    }
    *is_alone = !several;
    return at - s->leaves;
}
