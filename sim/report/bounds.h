/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What no scheduler could beat: the longest path through the program and the least time for
 * which each resource is needed. Part of include/gpusim/metrics.h, which is what others include.
 */
#pragma once

#include "gpusim/metrics.h"

/* Fills critical_path, lower_bound and lower_bound_reason; the transfer sums must be there. */
enum gsim_status gsim_bounds_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error) GSIM_NODISCARD;
