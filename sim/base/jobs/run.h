/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Runs a list of items on worker processes (sim/base/jobs/pool.h), with progress and signals: the loop
 * of every command with --jobs.
 */
#pragma once

#include <signal.h>

#include "sim/base/jobs/pool.h"
#include "sim/base/jobs/progress.h"

/* Stop of a long command: it blocks the signals of sim/base/ends.h and polls them between rounds. */
struct gsim_stop {
    sigset_t old_mask, signals;
};
void gsim_stop_begin(struct gsim_stop *stop);
int gsim_stop_asked(const struct gsim_stop *stop); /* returns the signal; 0: none */
void gsim_stop_end(struct gsim_stop *stop);        /* drops a signal that was seen */

struct gsim_pool_run {
    struct gsim_pool_config pool; /* at most as many workers as items */
    const uint64_t *items;        /* in order; NULL: FIRST, FIRST + 1, ... */
    uint64_t first, count;        /* DELIVER may set COUNT to PUT to end the run early */
    gsim_pool_deliver *deliver;
    void *data; /* of deliver and after_round */
    /* after outcomes that arrived together; may be NULL */
    enum gsim_status (*after_round)(void *data, struct gsim_error *error);
    struct gsim_progress *progress; /* shown after each round; the caller sets DONE; NULL: none */
    bool heeds_signals;
    uint64_t put, received;
    int stopped_by; /* signal that stopped it; 0: none */
};

/* Runs every item of RUN and passes its outcome to deliver(). */
enum gsim_status gsim_pool_run(struct gsim_pool_run *run, struct gsim_error *error) GSIM_NODISCARD;
/* The same with the workers of POOL, which the caller keeps. */
enum gsim_status gsim_pool_run_on(struct gsim_pool *pool, struct gsim_pool_run *run,
                                  struct gsim_error *error) GSIM_NODISCARD;
