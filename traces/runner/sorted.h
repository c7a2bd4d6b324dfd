/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner. Measured times in ascending order; GSL, which the simulator sorts with, is not linked here. */
#pragma once

#include <stddef.h>

void gsim_runner_sort(double *values, size_t count);
