/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/quantiles.h. */
#include "serving/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

#include "gpusim/memory.h"

#define EXACT 65536u /* values that are kept as they are, before bins */
#define LEAST 1e-3 /* microseconds: below, all is one bin */
#define RATIO 1.001 /* of a bin's bounds: the error is half a thousandth */
#define BINS  34560u /* to 1e12 */

static uint32_t bin_of(double value)
{
    double at = value > LEAST ? log(value / LEAST) / log(RATIO) : 0;
    return at >= BINS ? BINS - 1 : gsim_whole_u32(at);
}

static void spill(struct gsim_quantiles *t)
{
    t->bins = gsim_alloc(sizeof *t->bins * BINS);
    if (!t->bins) {
        t->failed = true;
        return;
    }
    for (uint64_t i = 0; i < t->count; i++) t->bins[bin_of(t->values[i])]++;
    gsim_free(t->values);
    t->values = NULL;
}

void gsim_quantiles_add(struct gsim_quantiles *t, double value)
{
    if (t->failed) return;
    if (!t->bins && t->count == EXACT) spill(t);
    if (!t->bins && t->count == t->capacity) {
        uint64_t capacity = t->capacity ? t->capacity * 2 : 1024;
        double *values = gsim_realloc(t->values, sizeof *values * capacity);
        t->failed |= !values;
        if (values) t->values = values, t->capacity = capacity;
    }
    if (t->failed) return;
    if (t->bins) t->bins[bin_of(value)]++;
    else t->values[t->count] = value;
    t->is_sorted = false;
    t->count++;
    t->sum += value;
}

double gsim_quantiles_mean(const struct gsim_quantiles *t) { return t->count ? t->sum / (double)t->count : NAN; }

GSIM_ORDER_OF(compare_values, double)

/* Between two values it is their mean by distance; the runner, which has the questions, is linked without GSL. */
double gsim_quantile(struct gsim_quantiles *t, double fraction)
{
    if (!t->count) return NAN;
    if (!t->bins) {
        double place = fraction * (double)(t->count - 1), part = place - floor(place);
        if (!t->is_sorted) qsort(t->values, t->count, sizeof *t->values, compare_values);
        t->is_sorted = true;
        const double *low = &t->values[gsim_whole_u64(place)];
        return part > 0 ? (1 - part) * low[0] + part * low[1] : low[0];
    }
    uint64_t wanted = gsim_whole_u64(fraction * (double)(t->count - 1)), below = 0;
    uint32_t bin = 0;
    while (bin < BINS - 1 && below + t->bins[bin] <= wanted) below += t->bins[bin++];
    return LEAST * pow(RATIO, bin + 0.5);
}

void gsim_quantiles_release(struct gsim_quantiles *t)
{
    gsim_free(t->values);
    gsim_free(t->bins);
    memset(t, 0, sizeof *t);
}
