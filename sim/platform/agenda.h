/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What happens next: a heap of event sources by time, and timers, which are one of them. A source is part
 * of whoever owns it, who says when its next event is. sim/platform/machine.c lets time pass.
 *
 * Order at one time: classes as listed, within a class by handle, timers first come, first served. A source that
 * FOLLOWS is handled after whatever else happened, due or not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/units.h"

enum gsim_agenda_class {
    GSIM_AGENDA_BLOCKS,    /* of an SM: they end, or the distributor looks */
    GSIM_AGENDA_FRONT,     /* hardware queues */
    GSIM_AGENDA_TIMERS,
    GSIM_AGENDA_FAULTS,    /* kernels in missing pages */
    GSIM_AGENDA_COLLECTIVES,
    GSIM_AGENDA_L2,
    GSIM_AGENDA_OCCUPANCY, /* records */
};

struct gsim_agenda_source {
    enum gsim_agenda_class class;
    uint32_t handle_index;        /* of the owner among its kind: the GPU's number */
    gsim_time next;               /* set by gsim_agenda_set alone; GSIM_TIME_NEVER: nothing to come */
    bool follows;                 /* once it is in the agenda, set by gsim_agenda_follow_if alone */
    void (*handle)(void *owner);  /* everything of it that is due now; it may let time pass in which nobody else has
                                     anything to do */
    void *owner;
    size_t place;                 /* in the heap */
    size_t order;                 /* among all */
};

/* A thing that happens once at a fixed time: graph nodes becoming ready, delayed starts. */
struct gsim_timer {
    gsim_time time;
    uint64_t sequence;
    void (*fire)(void *argument);
    void *argument;
};

struct gsim_agenda_entry {
    gsim_time next; /* the source's */
    struct gsim_agenda_source *source;
};

struct gsim_agenda {
    struct gsim_agenda_entry *heap; /* by time */
    struct gsim_agenda_source **ordered; /* all, by (class, handle) */
    size_t heap_count, heap_capacity, count, ordered_capacity;
    uint64_t *due, *followers;    /* a bit each, as ordered: while they are handled, may be due; follow */
    size_t word_capacity, follower_capacity;
    bool is_handling;
    struct gsim_agenda_source due_timers;
    struct gsim_timer *timers; /* binary heap by (time, sequence) */
    size_t timer_count, timer_capacity;
    uint64_t timer_sequence;
    const gsim_time *now;
};

/* NOW: the clock that it goes by. False: out of memory. */
bool gsim_agenda_init(struct gsim_agenda *agenda, const gsim_time *now);
void gsim_agenda_release(struct gsim_agenda *agenda); /* accepts zeroed */
/* SOURCE stays its owner's and must outlive the agenda; its next event is GSIM_TIME_NEVER. False: out of memory. */
bool gsim_agenda_add(struct gsim_agenda *agenda, struct gsim_agenda_source *source);
/* One that only ever follows: without events of its own. */
bool gsim_agenda_add_follower(struct gsim_agenda *agenda, struct gsim_agenda_source *source);
void gsim_agenda_move(struct gsim_agenda *agenda, struct gsim_agenda_source *source,
                      gsim_time next); /* for gsim_agenda_set */
static inline void gsim_agenda_set(struct gsim_agenda *agenda, struct gsim_agenda_source *source, gsim_time next)
{
    if (next != source->next) gsim_agenda_move(agenda, source, next);
}
static inline void gsim_agenda_follow_if(struct gsim_agenda *agenda, struct gsim_agenda_source *source, bool follows)
{
    uint64_t *word = &agenda->followers[source->order / 64], bit = UINT64_C(1) << source->order % 64;
    source->follows = follows;
    *word = follows ? *word | bit : *word & ~bit;
}
/* Of all sources, the timers among them; of all but BESIDES. */
static inline gsim_time gsim_agenda_next(const struct gsim_agenda *agenda) { return agenda->heap[0].next; }
gsim_time gsim_agenda_next_besides(const struct gsim_agenda *agenda, const struct gsim_agenda_source *besides);
/* Handles once, in their order, the sources that are due or follow; only those that follow. */
void gsim_agenda_handle(struct gsim_agenda *agenda);
void gsim_agenda_follow(struct gsim_agenda *agenda);
/* False: out of memory. */
bool gsim_agenda_at(struct gsim_agenda *agenda, gsim_time time, void (*fire)(void *argument), void *argument);
