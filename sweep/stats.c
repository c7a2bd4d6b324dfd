/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/stats.h. */
#include "sweep/stats.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

void gsim_stats_init(struct gsim_stats *stats)
{
    *stats = (struct gsim_stats){.minimum = INFINITY, .maximum = -INFINITY};
}

void gsim_stats_add(struct gsim_stats *stats, double value)
{
    double before = value - stats->centre;
    stats->count++;
    stats->sum += value;
    stats->centre += before / (double)stats->count;
    stats->squares += before * (value - stats->centre);
    stats->logarithms += value > 0 ? log(value) : NAN;
    stats->minimum = fmin(stats->minimum, value);
    stats->maximum = fmax(stats->maximum, value);
}

double gsim_stats_mean(const struct gsim_stats *stats) { return stats->count ? stats->centre : NAN; }

double gsim_stats_deviation(const struct gsim_stats *stats)
{
    return stats->count > 1 ? sqrt(stats->squares / (double)(stats->count - 1)) : NAN;
}

double gsim_stats_geomean(const struct gsim_stats *stats)
{
    return stats->count ? exp(stats->logarithms / (double)stats->count) : NAN;
}

double gsim_stats_ci95(const struct gsim_stats *stats)
{
    if (stats->count < 2) return NAN;
    return gsl_cdf_tdist_Pinv(0.975, (double)(stats->count - 1)) * gsim_stats_deviation(stats) /
           sqrt((double)stats->count);
}
