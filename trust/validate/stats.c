/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of predictions against measurements; definitions in trust/validate/stats.h. GSL has no Kendall's
 * tau, so that one is written out.
 */
#include "trust/validate/stats.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "gpusim/memory.h"

void gsim_errors_summarize(const double *errors, size_t count, struct gsim_error_summary *summary)
{
    *summary = (struct gsim_error_summary){.count = count, .mean = NAN, .median = NAN, .worst = NAN, .bias = NAN};
    if (!count) return;
    double *sizes = gsim_alloc(count * sizeof *sizes);
    for (size_t i = 0; i < count; i++) sizes[i] = fabs(errors[i]);
    gsl_sort(sizes, 1, count);
    summary->mean = gsl_stats_mean(sizes, 1, count);
    summary->median = gsl_stats_median_from_sorted_data(sizes, 1, count);
    summary->worst = sizes[count - 1];
    summary->bias = gsl_stats_mean(errors, 1, count);
    gsim_free(sizes);
}

double gsim_log_correlation(const double *x, const double *y, size_t count)
{
    double *logs = gsim_alloc(2 * count * sizeof *logs), correlation = NAN;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(x[i] > 0 && y[i] > 0)) continue;
        logs[2 * kept] = log(x[i]);
        logs[2 * kept + 1] = log(y[i]);
        kept++;
    }
    if (kept >= 3 && gsl_stats_variance(logs, 2, kept) > 0 && gsl_stats_variance(logs + 1, 2, kept) > 0)
        correlation = gsl_stats_correlation(logs, 2, logs + 1, 2, kept);
    gsim_free(logs);
    return correlation;
}

static int sign(double value) { return (value > 0) - (value < 0); }

double gsim_kendall_tau(const double *x, const double *y, size_t count)
{
    double score = 0, ordered_x = 0, ordered_y = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            int sx = sign(x[i] - x[j]), sy = sign(y[i] - y[j]);
            score += sx * sy;
            ordered_x += sx != 0;
            ordered_y += sy != 0;
        }
    }
    return ordered_x > 0 && ordered_y > 0 ? score / sqrt(ordered_x * ordered_y) : NAN;
}

double gsim_choice_regret(const double *predicted, const double *measured, size_t count)
{
    GSIM_INVARIANT(count > 0);
    size_t chosen = 0, best = 0;
    for (size_t i = 1; i < count; i++) {
        if (predicted[i] < predicted[chosen]) chosen = i;
        if (measured[i] < measured[best]) best = i;
    }
    return measured[chosen] / measured[best] - 1;
}

double gsim_histogram_distance(const uint32_t *a, const uint32_t *b, size_t count)
{
    double difference = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        difference += fabs((double)a[i] - (double)b[i]);
        total += (double)a[i] + (double)b[i];
    }
    return total > 0 ? difference / total : NAN;
}

/* Percentiles at 2.5 and 97.5 % need no more. */
enum { RESAMPLES = 2000 };

void gsim_paired_change(const double *before, const double *after, size_t count,
                                    struct gsim_paired_change *change)
{
    double means[RESAMPLES];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 1);
    *change = (struct gsim_paired_change){
        .count = count, .before = gsl_stats_mean(before, 1, count), .after = gsl_stats_mean(after, 1, count)};
    for (int r = 0; r < RESAMPLES; r++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            size_t drawn = gsl_rng_uniform_int(rng, count);
            sum += after[drawn] - before[drawn];
        }
        means[r] = sum / (double)count;
    }
    gsl_rng_free(rng);
    gsl_sort(means, 1, RESAMPLES);
    change->low = gsl_stats_quantile_from_sorted_data(means, 1, RESAMPLES, 0.025);
    change->high = gsl_stats_quantile_from_sorted_data(means, 1, RESAMPLES, 0.975);
}
