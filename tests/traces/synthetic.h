/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings that no GPU made: files of schema gpusim-runs/1 from the simulator itself, so that tests know the truth.
 */
#pragma once

#include "gpusim/device.h"
#include "traces/recording.h"

struct synthetic_runs {
    const struct gsim_device_spec *device;
    const struct gsim_recording_key *keys; /* each is run under each scheduler, without and with prefetches, pinned */
    size_t key_count;
    const char *const *schedulers; /* ends with NULL */
    double noise_ratio;            /* repetitions are spread evenly by this to either side of the truth */
};

/* Runs of even keys are to fit, of odd ones to test. */
enum gsim_status synthetic_runs_write(const struct synthetic_runs *runs, const char *path, struct gsim_error *error);
