/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeslice: what the driver does with several processes: their contexts take turns on the GPU. Slice, switches and how
 * long an idle context holds it are the device's (slice_us, slice_switch_us, slice_idle_switch_us, slice_hold_us). */
#include "gpusim/task.h"

const struct gsim_sharing_ops gsim_sharing_timeslice = {
    GSIM_HEAD(sharing),
    .name = "timeslice",
    .summary = "contexts take turns on the GPU, as the driver does",
    .source = "NVIDIA's default; traces/h100/sharing_exact.json.gz",
    .base.mechanism = GSIM_MECHANISM_TIMESLICE,
};
