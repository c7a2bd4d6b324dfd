/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/host (internal). The simulated backend of include/gpusim/driver.h: streams, events and work (driver.c),
 * graphs (graphs.c), threads, locks and queues (threads.c), gsim_wait_any(), host functions and gates (waits.c). Here
 * are their common functions.
 */
#pragma once

#include "sim/front/front.h"

/* The calls of all these files. */
#define GSIM_DO(name, parameters, arguments)         void gsim_api_##name parameters;
#define GSIM_CALL(type, name, parameters, arguments) type gsim_api_##name parameters;
#include "gpusim/driver.def"

/* --- driver.c ----------------------------------------------------------------------------------------------- */
/* Makes the process's driver, with stream 0 on its current device. False: out of memory. */
bool gsim_api_init(struct gsim_process *p);
static inline struct gsim_process *gsim_api_process(struct gsim_driver *driver)
{
    return (struct gsim_process *)driver;
}
/* Returns the stream's device. */
static inline struct gsim_device *gsim_api_device(const struct gsim_process *p, uint32_t stream)
{
    return p->streams[stream].front->device;
}
/* One API call: begin() returns its start, spend() moves the running thread's clock, and end() records the call if the
 * run is detailed. */
gsim_time gsim_api_begin(struct gsim_process *p);
void gsim_api_spend(struct gsim_process *p, double us);
/* With several host threads: waits for the driver's lock and holds it for HOLD_US, SWITCH_US longer if another thread
 * held it last. */
void gsim_api_take_driver(struct gsim_process *p, double hold_us, double switch_us);
/* Gives COMMAND, of a call that began at LAUNCH, to its front end. */
void gsim_api_send(struct gsim_process *p, struct gsim_command *command, gsim_time launch, double latency_us);
/* Appends an op to a stream; the caller has spent the call's host time. */
void gsim_api_issue(struct gsim_process *p, enum gsim_command_kind kind, const struct gsim_op *op, uint32_t exec,
                    uint32_t stream, gsim_time launch, double latency_us);
/* Blocks the running thread until its launch queue has room; returns for how long. */
gsim_time gsim_api_wait_queue(struct gsim_process *p, uint32_t stream);
/* Counts the stream as used in this iteration. */
void gsim_api_use_stream(struct gsim_process *p, uint32_t stream);
/* Whether the stream / event exists. False: the run has failed, now or before. */
bool gsim_api_is_stream(struct gsim_process *p, uint32_t stream);
bool gsim_api_is_event(struct gsim_process *p, gsim_event event);
void gsim_api_end(struct gsim_process *p, enum gsim_api api, gsim_time start, gsim_time waited, uint32_t stream,
                  const char *detail);

/* If STREAM is being captured, adds the call to the graph and returns true. */
bool gsim_api_capture_op(struct gsim_process *p, uint32_t stream, const struct gsim_op *op);
bool gsim_api_capture_record(struct gsim_process *p, uint32_t event, uint32_t stream);
bool gsim_api_capture_wait(struct gsim_process *p, uint32_t stream, uint32_t event);

/* Returns since when the queue has held an item, at least now; GSIM_TIME_NEVER: it is empty. */
gsim_time gsim_api_queue_filled(const struct gsim_process *p, gsim_queue queue);
bool gsim_api_is_queue(struct gsim_process *p, gsim_queue queue);
