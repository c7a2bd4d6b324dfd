/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. What a run spent its time on: the critical path through what happened is walked backwards from the
 * makespan, and each stretch of it is charged to one cause. Others include gpusim/metrics.h, which this is a part of.
 */
#pragma once

#include "gpusim/metrics.h"

/* Sets bottleneck_time, bottleneck and bottleneck_detail of METRICS if the timeline is detailed; its makespan must be
 * set. ALONE as in gsim_metrics_compute(). GSIM_NOMEM. Linear in the records but for a binary search per step. */
enum gsim_status gsim_bottlenecks_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error) GSIM_NODISCARD;
