/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The event queue: a heap of event sources by time; all timers are one source. A source is a member of its
 * owner, which sets the time of its next event. The loop is in sim/platform/machine.c.
 *
 * Order at one time: classes as listed, within a class by handle, timers first come, first served. A source that
 * FOLLOWS is handled after all others at each time with an event, due or not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/units.h"

enum gsim_agenda_class {
    GSIM_AGENDA_BLOCKS,    /* of SMs: ends of blocks, polls of the distributor */
    GSIM_AGENDA_FRONT,     /* hardware queues */
    GSIM_AGENDA_TIMERS,
    GSIM_AGENDA_FAULTS,    /* missing pages */
    GSIM_AGENDA_COLLECTIVES,
    GSIM_AGENDA_L2,
    GSIM_AGENDA_OCCUPANCY, /* records of occupancy */
};

struct gsim_agenda_source {
    enum gsim_agenda_class class;
    uint32_t handle_index;        /* owner's index among its kind: the GPU's number */
    gsim_time next;               /* set by gsim_agenda_set() alone; GSIM_TIME_NEVER: none */
    bool follows;                 /* set by gsim_agenda_follow_if() alone */
    void (*handle)(void *owner);  /* handles all that is due now; may advance time while no other source is due */
    void *owner;
    size_t place;                 /* in the heap */
    size_t order;                 /* in ORDERED */
};

/* A call at a fixed time: graph nodes that become ready, delayed starts. */
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
    struct gsim_agenda_source **ordered; /* all sources, by (class, handle index) */
    size_t heap_count, heap_capacity, count, ordered_capacity;
    uint64_t *due, *followers;    /* a bit for each of ORDERED: may be due; follows */
    size_t word_capacity, follower_capacity;
    bool is_handling;
    struct gsim_agenda_source due_timers;
    struct gsim_timer *timers; /* binary heap by (time, sequence) */
    size_t timer_count, timer_capacity;
    uint64_t timer_sequence;
    const gsim_time *now;
};

/* Makes an empty agenda on the clock NOW. False: out of memory. */
bool gsim_agenda_init(struct gsim_agenda *agenda, const gsim_time *now);
void gsim_agenda_release(struct gsim_agenda *agenda); /* accepts zeroed */
/* Adds SOURCE without an event. The owner keeps it, and it must outlive the agenda. False: out of memory. */
bool gsim_agenda_add(struct gsim_agenda *agenda, struct gsim_agenda_source *source);
/* Adds a source that only follows and has no events of its own. */
bool gsim_agenda_add_follower(struct gsim_agenda *agenda, struct gsim_agenda_source *source);
void gsim_agenda_move(struct gsim_agenda *agenda, struct gsim_agenda_source *source,
                      gsim_time next); /* for gsim_agenda_set() alone */
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
/* Returns the time of the next event of all sources, timers included / of all but BESIDES. */
static inline gsim_time gsim_agenda_next(const struct gsim_agenda *agenda) { return agenda->heap[0].next; }
gsim_time gsim_agenda_next_besides(const struct gsim_agenda *agenda, const struct gsim_agenda_source *besides);
/* Handles the sources that are due or follow, once each and in order / only those that follow. */
void gsim_agenda_handle(struct gsim_agenda *agenda);
void gsim_agenda_follow(struct gsim_agenda *agenda);
/* Calls FIRE with ARGUMENT at TIME. False: out of memory. */
bool gsim_agenda_at(struct gsim_agenda *agenda, gsim_time time, void (*fire)(void *argument), void *argument);
