/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. Lower bounds for any scheduler: the longest path through the program, and the least time for which
 * each resource is needed. Others include gpusim/metrics.h, which this is a part of.
 */
#pragma once

#include "gpusim/metrics.h"

/* Sets critical_path, lower_bound and lower_bound_reason of METRICS, whose transfer sums must be set. GSIM_NOMEM. */
enum gsim_status gsim_bounds_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error) GSIM_NODISCARD;
