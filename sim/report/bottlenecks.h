/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What a run spent its time on: the critical path through what really happened, walked backwards from the
 * makespan, each stretch charged to one cause. Part of include/gpusim/metrics.h, which is what others include.
 */
#pragma once

#include "gpusim/metrics.h"

/* Fills bottleneck_time, cause and bottleneck_detail of a detailed timeline, of others nothing; makespan must be there.
 * ALONE as in gsim_metrics_compute(). Linear in the records, but for a binary search per step. */
enum gsim_status gsim_bottlenecks_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error) GSIM_NODISCARD;
