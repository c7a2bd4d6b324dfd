/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). The runs of a calibration, predicted by worker processes (sim/base/jobs/pool.h; SimGrid has one
 * engine per process). The workers are started once and know the runs; a page of shared memory tells them the device's
 * numbers of the moment. What is predicted depends on neither the number of workers nor their order.
 */
#pragma once

#include "trust/calibrate/calibrate.h"
#include "sim/base/jobs/run.h"

struct gsim_prediction_shared;

struct gsim_prediction_jobs {
    struct gsim_calibration *calibration;
    const struct gsim_gpu_options *gpu;
    struct gsim_device_spec trial; /* a worker's: its strings are the device's */
    uint64_t trial_number;
    struct gsim_prediction_shared *shared;
    struct gsim_pool *pool; /* NULL: none, or not started */
    struct gsim_predicted *predicted; /* by run: its latest */
    size_t *order; /* of the runs, the long ones first */
    struct gsim_progress *progress; /* shown while the workers work; NULL: none */
};

/* With all runs added; JOBS is 2 or more. The workers keep what CALIBRATION holds now, but for its device's numbers. */
enum gsim_status gsim_prediction_jobs_start(struct gsim_prediction_jobs *jobs,
                                            struct gsim_calibration *calibration,
                                            const struct gsim_gpu_options *gpu, uint32_t count,
                                            struct gsim_error *error) GSIM_NODISCARD;
/* As gsim_calibration_options.predict, JOBS as its context. */
enum gsim_status gsim_prediction_jobs_predict(void *jobs, const struct gsim_device_spec *device, const size_t *runs,
                                              size_t count, double *us, struct gsim_error *error) GSIM_NODISCARD;
void gsim_prediction_jobs_end(struct gsim_prediction_jobs *jobs); /* accepts a zeroed one */
