/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. Percentiles of many values: exact of the first 65,536, from bins of 0.1 % beyond, so that a day of
 * requests takes no more memory than a minute.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_quantiles {
    double *values;  /* until there are too many */
    uint64_t *bins;  /* then, by the logarithm */
    uint64_t count;
    uint64_t capacity;
    double sum;
    bool is_sorted, failed; /* FAILED: memory ran out */
};

void gsim_quantiles_add(struct gsim_quantiles *tally, double value);
double gsim_quantiles_mean(const struct gsim_quantiles *tally);                      /* NAN of none */
double gsim_quantile(struct gsim_quantiles *tally, double fraction);       /* NAN of none */
void gsim_quantiles_release(struct gsim_quantiles *tally);
