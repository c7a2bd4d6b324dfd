/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/query/pairs.h. */
#include "sweep/query/pairs.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

#include "sweep/stats.h"

#define TIE 1e-6 /* relative */

static double sign_test(size_t wins, size_t losses)
{
    size_t fewer = wins < losses ? wins : losses;
    if (!(wins + losses)) return 1;
    return fmin(1, 2 * gsl_cdf_binomial_P((unsigned)fewer, 0.5, (unsigned)(wins + losses)));
}

void gsim_pairs_sum(const struct gsim_cell_pair *pairs, size_t count, struct gsim_pairs *sum)
{
    struct gsim_stats differences, logarithms;
    *sum = (struct gsim_pairs){.cells = count};
    gsim_stats_init(&differences);
    gsim_stats_init(&logarithms);
    for (size_t i = 0; i < count; i++) {
        double difference = pairs[i].own - pairs[i].base;
        bool is_tie = fabs(difference) <= TIE * fabs(pairs[i].base);
        sum->ties += is_tie;
        sum->wins += !is_tie && difference < 0;
        sum->losses += !is_tie && difference > 0;
        gsim_stats_add(&differences, difference);
        gsim_stats_add(&logarithms, log(pairs[i].base / pairs[i].own));
    }
    sum->difference = gsim_stats_mean(&differences);
    sum->difference_ci95 = gsim_stats_ci95(&differences);
    sum->ratio = exp(gsim_stats_mean(&logarithms));
    sum->ratio_low = exp(gsim_stats_mean(&logarithms) - gsim_stats_ci95(&logarithms));
    sum->ratio_high = exp(gsim_stats_mean(&logarithms) + gsim_stats_ci95(&logarithms));
    sum->sign_p = sign_test(sum->wins, sum->losses);
}
