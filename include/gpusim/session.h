/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: session (interface). The library behind one opaque pointer, for languages that load it at run time: a device,
 * a program, a scheduler and options by name, a run, its report as JSON. A session is for one thread; a process
 * simulates one at a time.
 *
 * Functions that can fail return 0 or the exit status of the program gpusim; gsim_session_error() has the message then.
 */
#pragma once

#include <stdint.h>

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_session;

/* NULL when memory is out. Device a100-sxm4-40gb, scheduler async, managed memory with prefetching, seed 1. */
struct gsim_session *gsim_session_create(void);
void gsim_session_destroy(struct gsim_session *session); /* accepts NULL */
/* The message of the latest failure; "" before. The session's. */
const char *gsim_session_error(const struct gsim_session *session);

/* NAME or a file's path. */
int gsim_session_device(struct gsim_session *session, const char *name);
/* NAME or a shared object's path. */
int gsim_session_scheduler(struct gsim_session *session, const char *name);
/* A built-in workload at SIZE (0: its default), launched as the scheduler set before it does, or a program file. */
int gsim_session_workload(struct gsim_session *session, const char *name, double size);
/* memory, prefetch, iterations, seed, gpus, noise; gpu.NAME, device.NAME (after the device), or a number of the
 * scheduler (after the scheduler): NAME or SCHED.NAME. */
int gsim_session_set(struct gsim_session *session, const char *name, const char *value);

/* A policy in place of the scheduler. One iteration's ops are known beforehand, data movement among them, and numbered
 * from 0 in program order:
 *   1. push: a device op whose predecessors, PREDS, have all been issued, in order. US: its time alone
 *   2. pop: returns the next op to issue, one that was pushed, and sets *STREAM below STREAM_COUNT; below 0: none. Host
 *      ops go by themselves when all device ops before them have been issued, or pop has none
 *   3. done: the op has been issued
 * Events between streams are the session's. NULL for PUSH ends it. The callbacks come from gsim_session_run(). */
typedef void gsim_session_push(void *data, int64_t op, const char *name, double us, const int64_t *preds,
                               int64_t pred_count);
typedef int64_t gsim_session_pop(void *data, int64_t *stream);
typedef void gsim_session_done(void *data, int64_t op);
int gsim_session_policy(struct gsim_session *session, int64_t stream_count, gsim_session_push *push,
                        gsim_session_pop *pop, gsim_session_done *done, void *data);

/* Simulates. Results of the run before are gone. */
int gsim_session_run(struct gsim_session *session);

/* Of the latest run; NAN, 0 and NULL without one. The texts are the session's, until the next call. */
double gsim_session_makespan_us(const struct gsim_session *session);
int64_t gsim_session_kernel_count(const struct gsim_session *session);
/* START_US and END_US have room for all kernels, in the order in which they ended. */
void gsim_session_kernel_times(const struct gsim_session *session, double *start_us, double *end_us);
/* gpusim-report/1. */
const char *gsim_session_report(struct gsim_session *session);

GSIM_DECLARATIONS_END
