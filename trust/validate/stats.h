/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. How far predictions are from measurements: statistics of signed relative errors, correlation
 * on logarithms, agreement of two rankings, and what it costs to follow a prediction. Numbers in, numbers out; what
 * they belong to is trust/validate/validate.h's. GSL does the arithmetic where it has it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

struct gsim_error_summary {
    size_t count;
    double mean, median, worst; /* of the errors' absolute values; NAN when there are none */
    double bias;                /* mean of the signed errors */
};

/* All NAN of no errors. */
void gsim_errors_summarize(const double *errors, size_t count, struct gsim_error_summary *summary);

/* Pearson's correlation of log X with log Y, over the pairs where both are positive. NAN for fewer than three
 * such pairs, or when one side does not vary. */
double gsim_log_correlation(const double *x, const double *y, size_t count);

/* Kendall's tau-b: 1 when X and Y rank COUNT things alike, -1 when in reverse; ties count for neither (Kendall,
 * Biometrika 33, 1945). NAN when one side has no order at all. O(COUNT squared). */
double gsim_kendall_tau(const double *x, const double *y, size_t count);

/* Of COUNT >= 1 choices, the one with the least PREDICTED time is taken (the first of equals): how much longer it
 * MEASURED than the best choice, relative to that; 0 is right. */
double gsim_choice_regret(const double *predicted, const double *measured, size_t count);

/* What a change of the model does to the mean of absolute errors. */
struct gsim_paired_change {
    size_t count;
    double before, after; /* the means */
    double low, high;     /* of after - before: 95 % interval, percentiles of the bootstrap over pairs (Efron, 1979) */
};
/* Of the same COUNT >= 1 cases. The same every time. */
void gsim_paired_change(const double *before, const double *after, size_t count, struct gsim_paired_change *change);

/* Total variation distance of two histograms of the same total: 0 equal, 1 disjoint. NAN for empty ones. */
double gsim_histogram_distance(const uint32_t *a, const uint32_t *b, size_t count);
