/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/runner/sorted.h. */
#include "traces/runner/sorted.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void gsim_runner_sort(double *values, size_t count)
{
    if (count) qsort(values, count, sizeof *values, compare);
}
