/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal: sim/platform/engine.c alone includes it). SimGrid's part of the engine: host threads as actors,
 * and transfers that share links. It is loaded at its first use in a process. Actors call all functions but load and
 * run.
 */
#pragma once

#include "gpusim/memory.h"
#include "sim/base/whole.h"
#include "sim/platform/engine.h"

/* Error of SimGrid's clock, a double in seconds: some of its last digits, a picosecond after an hour. */
#define GSIM_CLOCK_SLACK  10
#define GSIM_CLOCK_DIGITS 1e-3 /* picoseconds per second: four times a double's resolution */
/* SimGrid takes times this close, in seconds, as equal. */
#define GSIM_CLOCK_PRECISION 1e-12
/* Ends of transfers are rounded down to 1 ns, plus the slack. So a run does not depend on SimGrid's clock at its
 * start. */
#define GSIM_END_GRID 1000

static inline gsim_time gsim_clock_slack(double seconds)
{
    return GSIM_CLOCK_SLACK + gsim_whole(seconds * GSIM_CLOCK_DIGITS);
}

struct gsim_simgrid; /* SimGrid's part of one run */

struct gsim_actor {
    struct gsim_simgrid *simgrid;
    void *handle; /* SimGrid's */
    void (*body)(void *);
    void *argument;
    bool may_run;
};

struct gsim_helper; /* an actor that sleeps or transfers for others */

/* Bandwidth of a device's own links reserved for page faults: to the device, to the host. */
struct gsim_reserved {
    double gbps[2];
    bool is_cut; /* some was reserved in this run */
};

struct gsim_simgrid {
    double start_seconds;     /* start of the run by SimGrid's clock */
    struct gsim_arena arena;
    const struct gsim_platform *platform;
    struct gsim_reserved *reserved; /* by device; set by the engine */
    uint32_t *wires; /* SimGrid's number by the platform's; 0: link not used yet */
    double *told_gbps;        /* by wire, from 1: its bandwidth in this run */
    uint32_t wire_count, wire_room;
    uint32_t endpoint_count;  /* one for each helper that transfers */
    struct gsim_actor *self;  /* the running thread */
    void *waiting;            /* the actor in gsim_simgrid_wait() */
    bool woken;
    bool is_over; /* helpers must end by themselves: 3.32 crashes when it kills daemons */
    struct gsim_helper *helpers;
    struct gsim_helper *ended_first, **ended_last;
    uint32_t in_flight;
    uint64_t calls;
};

/* Loads SimGrid and builds its platform, once a process. */
enum gsim_status gsim_simgrid_load(struct gsim_error *error) GSIM_NODISCARD;
/* Runs all actors until they have ended or all are blocked. */
void gsim_simgrid_run(void);

double gsim_simgrid_clock(void);
void gsim_simgrid_sleep_until(double seconds); /* SimGrid's clock */
/* Starts ACTOR, zeroed but for body, argument and may_run. The caller keeps it until the end of the run. */
void gsim_simgrid_start(struct gsim_simgrid *simgrid, struct gsim_actor *actor);
/* The rest is as in sim/platform/engine.h. NULL: out of memory. */
struct gsim_actor *gsim_simgrid_spawn(struct gsim_simgrid *simgrid, void (*body)(void *), void *argument);
void gsim_simgrid_release(struct gsim_simgrid *simgrid, struct gsim_actor *to);
void gsim_simgrid_switch(struct gsim_simgrid *simgrid, struct gsim_actor *to);
void gsim_simgrid_finish(struct gsim_simgrid *simgrid);
gsim_time gsim_simgrid_time(const struct gsim_simgrid *simgrid);
void gsim_simgrid_transfer(struct gsim_simgrid *simgrid, gsim_time at, const struct gsim_leg *leg, uint64_t bytes,
                           void *tag);
void gsim_simgrid_set_links(struct gsim_simgrid *simgrid, uint32_t device); /* own links: what is not reserved */
void gsim_simgrid_wait(struct gsim_simgrid *simgrid, gsim_time until);
void *gsim_simgrid_ended(struct gsim_simgrid *simgrid, gsim_time *when);

/* Returns the GB/s of LINK that transfers have now. */
double gsim_simgrid_gbps(const struct gsim_simgrid *simgrid, uint32_t link);
