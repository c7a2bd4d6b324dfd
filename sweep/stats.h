/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep. What is said of a handful of numbers: mean with its 95 % confidence interval (Student's t, so at least
 * two numbers), geometric mean (of positive numbers), extremes. NAN for what there is not. */
#pragma once

#include <stddef.h>

struct gsim_stats {
    size_t count;
    double sum, minimum, maximum;
    double centre, squares; /* running mean and sum of squared distances from it (Welford, Technometrics 4, 1962) */
    double logarithms;      /* NAN once a number was not positive */
};

void gsim_stats_init(struct gsim_stats *stats);
void gsim_stats_add(struct gsim_stats *stats, double value);

double gsim_stats_mean(const struct gsim_stats *stats);
double gsim_stats_deviation(const struct gsim_stats *stats); /* of the sample */
double gsim_stats_geomean(const struct gsim_stats *stats);
/* Half the width of the interval around the mean. */
double gsim_stats_ci95(const struct gsim_stats *stats);
