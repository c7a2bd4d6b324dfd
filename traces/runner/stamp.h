/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. By how much a kernel is longer in the tracer's records than between the first block's start and
 * the last one's end, which is what the simulator means by a kernel's time (H200: about half a microsecond).
 */
#pragma once

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

/* One block that spins for NS on the default stream, then writes its start and end (ns) to STAMP (device-accessible).
 * Returns the cudaError_t. */
int gsim_stamp_launch(unsigned long long *stamp, unsigned long long ns);

struct gsim_error;
/* Median of 40 kernels of 20 us; 0 and an error when the tracer fails. */
double gsim_tracer_excess_us(struct gsim_error *error);

GSIM_DECLARATIONS_END
