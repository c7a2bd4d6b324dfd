/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What the machine uses of SimGrid: the clock, host threads as actors, and links that transfers share.
 * Between the host's blocking calls nothing runs in SimGrid (sim/platform/machine.h explains the temporal decoupling).
 * How a link is shared:
 *   1. gsim_engine_transfer() starts a transfer on the route of its leg (gsim_platform_route()).
 *   2. A transfer that is alone takes the latency, then its bytes over the narrowest link. SimGrid is not loaded.
 *   3. Once two overlap, or a second host thread starts, SimGrid is loaded. It shares every link max-min fairly.
 */
#pragma once

#include "gpusim/status.h"
#include "gpusim/units.h"
#include "sim/platform/platform.h"

struct gsim_engine;
struct gsim_actor; /* a simulated host thread */

/* Runs MAIN_THREAD as the first host thread; returns when all host threads have ended. A process runs one engine at a
 * time. If SimGrid is needed and cannot be loaded, the run goes on to its end and then fails. */
enum gsim_status gsim_engine_run(const struct gsim_platform *platform, void (*main_thread)(void *argument),
                                 void *argument, struct gsim_engine **running, struct gsim_error *error) GSIM_NODISCARD;

/* Returns the engine's clock, from the start of the run. Host threads and the GPU may be ahead of it, never behind. */
gsim_time gsim_engine_clock(const struct gsim_engine *engine);

struct gsim_actor *gsim_engine_self(struct gsim_engine *engine);
/* Makes a host thread, which waits for the first gsim_engine_switch() to it. NULL: out of memory, or no SimGrid. */
struct gsim_actor *gsim_engine_spawn(struct gsim_engine *engine, void (*body)(void *argument), void *argument);
/* Runs TO and blocks the calling thread until a switch back to it. */
void gsim_engine_switch(struct gsim_engine *engine, struct gsim_actor *to);
/* Runs TO and returns, for a thread that is about to end. */
void gsim_engine_release(struct gsim_engine *engine, struct gsim_actor *to);

/* Ends the engine's own actors. Call it at the end of the last thread. */
void gsim_engine_finish(struct gsim_engine *engine);

/* Starts a transfer at AT, not before the clock, which advances to it. LEG must have a route. TAG: for
 * gsim_engine_ended(). */
void gsim_engine_transfer(struct gsim_engine *engine, gsim_time at, const struct gsim_leg *leg, uint64_t bytes,
                          void *tag);
/* Reserves bandwidth of a device's own links for page faults. Transfers share the rest. */
void gsim_engine_reserve(struct gsim_engine *engine, uint32_t device, double to_device_gbps, double to_host_gbps);
uint32_t gsim_engine_transfers_in_flight(const struct gsim_engine *engine);
/* Advances the clock to UNTIL or to the first end of a transfer. Needs a transfer in flight. May return earlier: call
 * it again until one of the two holds. */
void gsim_engine_wait(struct gsim_engine *engine, gsim_time until);
/* Returns the tag of the next ended transfer, in order of their ends, and sets *WHEN to its end. NULL: none. */
void *gsim_engine_ended(struct gsim_engine *engine, gsim_time *when);
/* Returns how many calls went into SimGrid, reads of its clock not counted. */
uint64_t gsim_engine_calls(const struct gsim_engine *engine);
