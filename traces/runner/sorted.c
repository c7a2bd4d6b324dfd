/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/runner/sorted.h. */
#include "traces/runner/sorted.h"

#include <stdlib.h>

#include "gpusim/order.h"

GSIM_ORDER_OF(compare, double)

void gsim_runner_sort(double *values, size_t count)
{
    if (count) qsort(values, count, sizeof *values, compare);
}
