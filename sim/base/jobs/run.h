/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. A list of items through worker processes (sim/base/jobs/pool.h), with progress and signals: the loop
 * of every command that computes with --jobs.
 */
#pragma once

#include <signal.h>

#include "sim/base/jobs/pool.h"
#include "sim/base/jobs/progress.h"

/* How a long command learns that it shall stop: the signals of sim/base/ends.h are held back while it runs and looked
 * for between rounds. */
struct gsim_stop {
    sigset_t old_mask, signals;
};
void gsim_stop_begin(struct gsim_stop *stop);
int gsim_stop_asked(const struct gsim_stop *stop); /* the signal, 0: none */
void gsim_stop_end(struct gsim_stop *stop);        /* a signal that was seen is gone */

struct gsim_pool_run {
    struct gsim_pool_config pool; /* no more workers are started than there are items */
    const uint64_t *items;        /* in the order in which they are handed out; NULL: FIRST, FIRST + 1, ... */
    uint64_t first, count;        /* a deliver that sets count to put ends the run with what is under way */
    gsim_pool_deliver *deliver;
    void *data; /* of deliver and after_round */
    enum gsim_status (*after_round)(void *data, struct gsim_error *error); /* what arrived together; NULL: nothing */
    struct gsim_progress *progress; /* shown after each round; what counts as done is the caller's; NULL: none */
    bool heeds_signals;
    uint64_t put, received;
    int stopped_by; /* a signal, before all was done; 0: none */
};

/* Every item of RUN to its deliver. */
enum gsim_status gsim_pool_run(struct gsim_pool_run *run, struct gsim_error *error) GSIM_NODISCARD;
/* The same with the workers of POOL, which stay. */
enum gsim_status gsim_pool_run_on(struct gsim_pool *pool, struct gsim_pool_run *run,
                                  struct gsim_error *error) GSIM_NODISCARD;
