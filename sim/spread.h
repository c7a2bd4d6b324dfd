/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The uncertainty of a prediction: copies of a simulation with random host calls, kernel times and order of
 * ends (device: kernel_spread, call_spread, spread_gaps, spread_calls), and the interval of their times (spread_least,
 * spread_width).
 */
#pragma once

#include "gpusim/metrics.h"
#include "gpusim/simulate.h"

#define GSIM_LIMIT_SPREAD 10000 /* copies */

/* A perturbed copy. It must not move. */
struct gsim_spread_copy {
    struct gsim_simulation simulation;
    struct gsim_device_spec device; /* shares strings with the simulation's */
};

/* Sorts the RUNS >= 1 times and fills SPREAD. The interval holds 90 % of them, at least spread_least wide, times
 * spread_width. Copies differ as runs and hosts do; spread_width adds the model's error, so that intervals hold 90 % of
 * recorded makespans (split conformal prediction, docs/accuracy.md). */
void gsim_spread_summarize(double *times_us, uint32_t runs, const struct gsim_device_spec *device,
                           struct gsim_spread *spread);

/* Sets *TIME_US to the time of a copy that counts, from its timeline. */
typedef enum gsim_status gsim_spread_time(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                                          double *time_us, struct gsim_error *error);
/* Simulates RUNS >= 1 copies one after another and fills SPREAD. */
enum gsim_status gsim_spread_run(const struct gsim_simulation *simulation, uint32_t runs, gsim_spread_time *time,
                                 struct gsim_spread *spread, struct gsim_error *error) GSIM_NODISCARD;
