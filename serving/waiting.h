/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: serving. A line of requests: most join at its end, those that were preempted in front. Zeroed is empty. */
#pragma once

#include "gpusim/memory.h"

struct gsim_waiting {
    uint32_t *list; /* a ring; freed by gsim_free() */
    size_t first, count, room;
};

/* The request at PLACE, 0 being the next. */
static inline uint32_t *gsim_waiting_at(const struct gsim_waiting *w, size_t place)
{
    return &w->list[(w->first + place) % w->room];
}

/* The next, which leaves. */
static inline uint32_t gsim_waiting_take(struct gsim_waiting *w)
{
    uint32_t next = *gsim_waiting_at(w, 0);
    w->first = (w->first + 1) % w->room;
    w->count--;
    return next;
}

/* False: out of memory. */
static inline bool gsim_waiting_put(struct gsim_waiting *w, uint32_t request, bool in_front)
{
    if (w->count == w->room) {
        struct gsim_waiting more = {.count = w->count, .room = w->room ? w->room * 2 : 64};
        if (!(more.list = gsim_alloc(sizeof *more.list * more.room))) return false;
        for (size_t i = 0; i < w->count; i++) more.list[i] = *gsim_waiting_at(w, i);
        gsim_free(w->list);
        *w = more;
    }
    if (in_front) w->first = (w->first + w->room - 1) % w->room;
    w->count++;
    *gsim_waiting_at(w, in_front ? 0 : w->count - 1) = request;
    return true;
}
