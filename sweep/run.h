/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. From a list of points to rows in a results file: hands the points to the worker processes, writes what
 * comes back, shows how far it is, stops on the signals of sim/base/ends.h. Across machines: sweep/remote.h.
 */
#pragma once

#include "sim/base/jobs/run.h"
#include "sweep/store.h"

struct gsim_sweep_job {
    const uint64_t *items; /* in the order in which they are handed out */
    uint64_t count;
    struct gsim_pool_config pool;
    struct gsim_store *store;
    struct gsim_progress *progress;
    int stopped_by; /* out: the signal, before all was done; 0: none */
};

/* What was committed stays, whatever the outcome. */
enum gsim_status gsim_sweep_run(struct gsim_sweep_job *job, struct gsim_error *error) GSIM_NODISCARD;
