/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Progress of a long run: ended kernels, on a terminal or after ten seconds. It is an observer
 * before the run's own and does not change the run.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/jobs/progress.h"

struct gsim_run_progress {
    struct gsim_progress progress;
    const struct gsim_observer *inner; /* the run's own; NULL: none */
    struct gsim_observer observer;
    uint64_t seen;
};

/* Observes SIMULATION, whose observer must be set, until gsim_run_progress_end(). It must not move. OUT NULL:
 * silent. */
void gsim_run_progress_start(struct gsim_run_progress *progress, struct gsim_simulation *simulation, FILE *out);
/* Clears the line. */
void gsim_run_progress_end(struct gsim_run_progress *progress);
