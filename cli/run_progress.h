/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). How far a single long run is: kernels that have ended, on a terminal or after ten seconds. An
 * observer in front of the run's own, so nothing of the run changes.
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

/* Watches SIMULATION, whose observer is set already, until gsim_run_progress_end(). Stays where it is. OUT NULL:
 * silent. */
void gsim_run_progress_start(struct gsim_run_progress *progress, struct gsim_simulation *simulation, FILE *out);
/* Clears the line. */
void gsim_run_progress_end(struct gsim_run_progress *progress);
