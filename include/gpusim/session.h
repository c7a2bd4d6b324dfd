/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: session (interface). The library behind one opaque pointer, for languages that load it at run time: device,
 * program, scheduler and options by name, a run, and its report as JSON. A session is for one thread at a time: while
 * it runs, every other call of it fails, from another thread or from its policy. Sessions of several threads run side
 * by side.
 *
 * Functions that can fail return 0 or gpusim's exit status; gsim_session_error() then returns the message.
 */
#pragma once

#include <stdint.h>

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_session;

/* Makes a session with device a100-sxm4-40gb, scheduler async, managed memory with prefetching, seed 1. NULL: out of
 * memory. */
struct gsim_session *gsim_session_create(void);
/* Accepts NULL. While the session runs, it ends nothing: the run fails, and the session is to be destroyed after it. */
void gsim_session_destroy(struct gsim_session *session);
/* Returns the message of the last failure, "" before; the session owns it. */
const char *gsim_session_error(const struct gsim_session *session);

/* Sets an option: device (a name or a file's path), scheduler (a name or a shared object's path), size (0: default) and
 * then workload, memory, prefetch, iterations ("steady": until they repeat), seed, gpus, noise, share (of tasks),
 * gpu.X, device.X (after the device), or a scheduler's parameter X or SCHED.X (after the scheduler). A workload is a
 * built-in one, with launch shapes of the scheduler set before, or whatever else has a name; or a file: a program, a
 * source's shared object, a CUDA source; after the device a profiler's trace; ranks, tasks or a server's spec, of
 * which questions are asked alone. */
int gsim_session_set(struct gsim_session *session, const char *name, const char *value);

/* Sets a policy in place of the scheduler: what gpusim/policy.h calls one. The runner makes the callbacks while the
 * program runs, and does the rest: dependences, streams, events, data movement, several GPUs. Ops on GPUs are numbered
 * from 0 in program order, in each iteration again.
 *   push  an op is ready at NOW_US: its predecessors have ended. US: its time alone; HOME: the GPU that holds most of
 *         its data, -1 for none
 *   pop   DEVICE has room: returns a pushed op, which is issued at once; below 0: none for it now
 *   done  a popped op has ended as far as the host knows; may be NULL
 * DEPTH: kernels that a GPU is given at a time. PUSH NULL, or an error, brings back the scheduler. */
typedef void gsim_session_push(void *data, int64_t op, const char *name, double us, double now_us, int64_t home);
typedef int64_t gsim_session_pop(void *data, int64_t device, double now_us);
typedef void gsim_session_done(void *data, int64_t op, double now_us);
int gsim_session_policy(struct gsim_session *session, int64_t depth, gsim_session_push *push, gsim_session_pop *pop,
                        gsim_session_done *done, void *data);

/* Simulates. The results of the run before are dropped. */
int gsim_session_run(struct gsim_session *session);

/* Results of the last run; NAN, 0 or NULL without one. Texts belong to the session and are valid until the next
 * call. */
double gsim_session_makespan_us(const struct gsim_session *session);
int64_t gsim_session_kernel_count(const struct gsim_session *session);
/* Fills START_US and END_US, which have room for all kernels, in order of their ends. */
void gsim_session_kernel_times(const struct gsim_session *session, double *start_us, double *end_us);
/* Returns the report, gpusim-report/1. */
const char *gsim_session_report(struct gsim_session *session);

/* Asks QUESTION, one of gsim_session_question()'s, of the program or server, device, scheduler and options that are
 * set. WORDS: what the question takes ("graph,launch=2x"; schedulers; copies); NULL: nothing. Returns its table as
 * JSON, gpusim-answer/1; NULL: it failed. */
const char *gsim_session_ask(struct gsim_session *session, const char *question, const char *words);
/* Returns the name of question INDEX; NULL at the end. */
const char *gsim_session_question(int64_t index);

GSIM_DECLARATIONS_END
