/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What the machine knows of SimGrid: simulated clock, host threads as actors, and host-device links as
 * SimGrid routes whose bandwidth concurrent transfers share. Everything between the host's blocking calls runs without
 * SimGrid (sim/platform/machine.h explains the temporal decoupling). It is loaded where transfers meet or a second host
 * thread is made; a run that has neither comes out the same to the picosecond.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/status.h"
#include "gpusim/units.h"
#include "sim/platform/platform.h"

struct gsim_engine;
struct gsim_actor; /* one simulated host thread */

/* Runs MAIN_THREAD as the first host thread and returns when all host threads have ended. One engine at a
 * time per process (SimGrid has one), any number one after another. Where SimGrid is needed and cannot be loaded, the
 * run goes on without it to its end, and then fails. */
enum gsim_status gsim_engine_run(const struct gsim_platform *platform, void (*main_thread)(void *argument),
                                 void *argument, struct gsim_engine **running, struct gsim_error *error) GSIM_NODISCARD;

/* The engine's clock since this run began. Host threads and the GPU may be ahead of it, never behind. */
gsim_time gsim_engine_clock(const struct gsim_engine *engine);

struct gsim_actor *gsim_engine_self(struct gsim_engine *engine);
/* A new thread, not running until the first gsim_engine_switch() to it. NULL: out of memory, or no SimGrid. */
struct gsim_actor *gsim_engine_spawn(struct gsim_engine *engine, void (*body)(void *argument), void *argument);
/* Lets TO run and blocks the calling thread until somebody switches back to it. */
void gsim_engine_switch(struct gsim_engine *engine, struct gsim_actor *to);
/* Lets TO run and returns: for a thread that is about to end. */
void gsim_engine_release(struct gsim_engine *engine, struct gsim_actor *to);

/* The last thread is about to end: so do the engine's own actors. */
void gsim_engine_finish(struct gsim_engine *engine);

/* Starts a transfer at time AT >= clock (the clock is brought there first). The leg has a route. */
void gsim_engine_transfer(struct gsim_engine *engine, gsim_time at, const struct gsim_leg *leg, uint64_t bytes,
                          void *tag);
/* Something that is no transfer takes that much of a device's own links, by direction; transfers share the rest. */
void gsim_engine_reserve(struct gsim_engine *engine, uint32_t device, double to_device_gbps, double to_host_gbps);
uint32_t gsim_engine_transfers_in_flight(const struct gsim_engine *engine);
/* With transfers in flight: lets simulated time pass until the clock is at UNTIL or a transfer ended,
 * whichever comes first; may return earlier. Call again until one of the two holds. */
void gsim_engine_wait(struct gsim_engine *engine, gsim_time until);
/* The next ended transfer's tag and end, in order of their ends; NULL when there is none. */
void *gsim_engine_ended(struct gsim_engine *engine, gsim_time *when);
/* Calls into SimGrid, not those that read its clock. */
uint64_t gsim_engine_calls(const struct gsim_engine *engine);
