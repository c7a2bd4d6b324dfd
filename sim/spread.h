/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. How sure a prediction is: copies of a simulation with launch times, kernels' times and the order of ends
 * drawn around what they are (device: kernel_spread, call_spread, spread_gaps, spread_calls), and the interval around
 * their times (spread_least, spread_width).
 */
#pragma once

#include "gpusim/metrics.h"
#include "gpusim/simulate.h"

#define GSIM_LIMIT_SPREAD 10000 /* copies */

/* A copy and what it needs; must stay where it is. */
struct gsim_spread_copy {
    struct gsim_simulation simulation;
    struct gsim_device_spec device; /* shares strings with the simulation's */
};
/* The copy of that INDEX, from 0 on; always the same one for the simulation's seed. */
enum gsim_status gsim_spread_copy_init(struct gsim_spread_copy *copy, const struct gsim_simulation *simulation,
                                       uint32_t index, struct gsim_error *error) GSIM_NODISCARD;

/* Sorts the RUNS >= 1 times. The interval is what 90 % of them fill, at least spread_least, times spread_width. Copies
 * differ by what differs from run to run and from host to host. spread_width adds the model's own error: the factor
 * with which intervals hold recorded makespans (split conformal prediction, docs/accuracy.md). */
void gsim_spread_summarize(double *times_us, uint32_t runs, const struct gsim_device_spec *device,
                           struct gsim_spread *spread);

/* What counts of a copy, in microseconds. */
typedef enum gsim_status gsim_spread_time(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                                          double *time_us, struct gsim_error *error);
/* Simulates RUNS >= 1 copies one after the other. */
enum gsim_status gsim_spread_run(const struct gsim_simulation *simulation, uint32_t runs, gsim_spread_time *time,
                                 struct gsim_spread *spread, struct gsim_error *error) GSIM_NODISCARD;
