/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner. Measured times in ascending order; GSL, which the simulator sorts with, is not linked here. */
#ifndef GSIM_RUNNER_SORTED_H
#define GSIM_RUNNER_SORTED_H

#include <stddef.h>

void gsim_runner_sort(double *values, size_t count);

#endif
