/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal: sim/platform/engine.c alone includes it). What SimGrid does for the engine: host threads as
 * actors, and transfers that share links. All but load and run are called by actors. It is loaded at its first use in a
 * process.
 */
#pragma once

#include "gpusim/memory.h"
#include "sim/platform/engine.h"

/* SimGrid's clock is a double in seconds, off by a few of its last digits: a picosecond an hour into a simulation. */
#define GSIM_CLOCK_SLACK  10
#define GSIM_CLOCK_DIGITS 1e-3 /* picoseconds per second: four times a double's resolution */
/* Two times are one for SimGrid within this, in seconds. */
#define GSIM_CLOCK_PRECISION 1e-12
/* Ends of transfers lie on a grid of 1 ns, so that a run comes out the same wherever in the process' simulated time
 * it began (the clock's last digits do not). Rounded down, with the slack that keeps whole nanoseconds whole. */
#define GSIM_END_GRID 1000

static inline gsim_time gsim_clock_slack(double seconds)
{
    return GSIM_CLOCK_SLACK + (gsim_time)(seconds * GSIM_CLOCK_DIGITS);
}

struct gsim_simgrid; /* one run's part of it */

struct gsim_actor {
    struct gsim_simgrid *simgrid;
    void *handle; /* SimGrid's */
    void (*body)(void *);
    void *argument;
    bool may_run;
};

struct gsim_helper; /* an actor that sleeps or transfers for others */

/* What something that is no transfer takes of a device's own links, to the device and to the host. */
struct gsim_reserved {
    double gbps[2];
    bool is_cut; /* it has taken some in this run */
};

struct gsim_simgrid {
    double start_seconds;     /* when the run began, by SimGrid's clock */
    struct gsim_arena arena;
    const struct gsim_platform *platform;
    struct gsim_reserved *reserved; /* by device; the engine's to set */
    uint32_t *wires; /* by the platform's number of a link: SimGrid's, from 1; 0: no transfer has used it yet */
    double *told_gbps;        /* by wire, from 1: what it has in this run */
    uint32_t wire_count, wire_room;
    uint32_t endpoint_count;  /* one of each helper that transfers */
    struct gsim_actor *self;  /* the thread that runs now */
    void *waiting;            /* the actor that is blocked in gsim_simgrid_wait */
    bool woken;
    bool is_over; /* the helpers end (3.32 crashes on daemons that it must kill itself) */
    struct gsim_helper *helpers;
    struct gsim_helper *ended_first, **ended_last;
    uint32_t in_flight;
    uint64_t calls;
};

/* Loads it and gives it its platform, once per process. */
enum gsim_status gsim_simgrid_load(struct gsim_error *error) GSIM_NODISCARD;
/* Returns when all actors have ended, or none can go on. */
void gsim_simgrid_run(void);

double gsim_simgrid_clock(void);
void gsim_simgrid_sleep_until(double seconds); /* by its clock */
/* ACTOR, zeroed but for body, argument and may_run, stays its caller's until the end of the run. */
void gsim_simgrid_start(struct gsim_simgrid *simgrid, struct gsim_actor *actor);
/* The rest is as in sim/platform/engine.h. NULL: out of memory. */
struct gsim_actor *gsim_simgrid_spawn(struct gsim_simgrid *simgrid, void (*body)(void *), void *argument);
void gsim_simgrid_release(struct gsim_simgrid *simgrid, struct gsim_actor *to);
void gsim_simgrid_switch(struct gsim_simgrid *simgrid, struct gsim_actor *to);
void gsim_simgrid_finish(struct gsim_simgrid *simgrid);
gsim_time gsim_simgrid_time(const struct gsim_simgrid *simgrid);
void gsim_simgrid_transfer(struct gsim_simgrid *simgrid, gsim_time at, const struct gsim_leg *leg, uint64_t bytes,
                           void *tag);
void gsim_simgrid_set_links(struct gsim_simgrid *simgrid, uint32_t device); /* its own, to what is left of them now */
void gsim_simgrid_wait(struct gsim_simgrid *simgrid, gsim_time until);
void *gsim_simgrid_ended(struct gsim_simgrid *simgrid, gsim_time *when);

/* What transfers have of a link now. */
double gsim_simgrid_gbps(const struct gsim_simgrid *simgrid, uint32_t link);
