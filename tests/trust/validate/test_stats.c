/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim/validate_stats against values computed by hand.
 */
#include "trust/validate/stats.h"

#include <math.h>

#include "gpusim/memory.h"
#include "tests/test.h"

/* Errors +10 %, -20 %, +60 %, 0: absolute 0, .1, .2, .6; mean .225, median .15, worst .6, bias .125. */
static void errors_are_summarized(void)
{
    struct gsim_error_summary s;
    const double errors[] = {0.1, -0.2, 0.6, 0};
    gsim_errors_summarize(errors, 4, &s);
    CHECK_INT(s.count, 4);
    CHECK_NEAR(s.mean, 0.225, 1e-12);
    CHECK_NEAR(s.median, 0.15, 1e-12);
    CHECK_NEAR(s.worst, 0.6, 1e-12);
    CHECK_NEAR(s.bias, 0.125, 1e-12);
    gsim_errors_summarize(errors, 3, &s);
    CHECK_NEAR(s.median, 0.2, 1e-12);
    gsim_errors_summarize(errors, 0, &s);
    CHECK_INT(s.count, 0);
    CHECK(isnan(s.mean) && isnan(s.median) && isnan(s.worst) && isnan(s.bias));
}

/* Powers are straight lines on logarithms; logs 0, 1, 2 against 0, 2, 1 (to base 10): r = 1/2. */
static void correlation_is_of_logarithms(void)
{
    double r = 0;
    const double x[] = {1, 10, 100, -5}, cube[] = {2, 2e3, 2e6, 7}, inverse[] = {1, 0.1, 0.01, 7},
                 mixed[] = {1, 100, 10, 0};
    r = gsim_log_correlation(x, cube, 4);
    CHECK_NEAR(r, 1, 1e-12);
    r = gsim_log_correlation(x, inverse, 4);
    CHECK_NEAR(r, -1, 1e-12);
    r = gsim_log_correlation(x, mixed, 4);
    CHECK_NEAR(r, 0.5, 1e-12);
    r = gsim_log_correlation(x, cube, 2);
    CHECK(isnan(r));
    const double flat[] = {3, 3, 3, 3};
    r = gsim_log_correlation(x, flat, 3);
    CHECK(isnan(r));
    const double lost[] = {NAN, NAN, NAN, NAN};
    r = gsim_log_correlation(lost, cube, 4);
    CHECK(isnan(r));
}

static void tau_counts_pairs_in_order(void)
{
    const double a[] = {1, 2, 3, 4}, reversed[] = {4, 3, 2, 1}, swapped[] = {1, 2, 4, 3}, flat[] = {5, 5, 5, 5};
    CHECK_NEAR(gsim_kendall_tau(a, a, 4), 1, 1e-12);
    CHECK_NEAR(gsim_kendall_tau(a, reversed, 4), -1, 1e-12);
    CHECK_NEAR(gsim_kendall_tau(a, swapped, 4), 4.0 / 6, 1e-12); /* five of six pairs agree, one does not */
    /* One tie: five pairs are ordered on that side, all as on the other: 5 / sqrt(6 * 5). */
    const double tied[] = {1, 2, 3, 3};
    CHECK_NEAR(gsim_kendall_tau(a, tied, 4), 5 / sqrt(30), 1e-12);
    CHECK(isnan(gsim_kendall_tau(a, flat, 4)));
    CHECK(isnan(gsim_kendall_tau(a, a, 1)));
}

static void regret_is_what_the_choice_costs(void)
{
    const double predicted[] = {10, 8, 9}, measured[] = {10, 12, 8};
    CHECK_NEAR(gsim_choice_regret(predicted, measured, 3), 0.5, 1e-12);
    CHECK_NEAR(gsim_choice_regret(measured, measured, 3), 0, 1e-12);
    const double equal[] = {7, 7, 7}; /* the first of equals */
    CHECK_NEAR(gsim_choice_regret(equal, measured, 3), 0.25, 1e-12);
}

static void histograms_differ_by_total_variation(void)
{
    const uint32_t a[] = {100, 32, 0}, b[] = {0, 0, 132}, c[] = {66, 66, 0}, none[] = {0, 0, 0};
    CHECK_NEAR(gsim_histogram_distance(a, a, 3), 0, 1e-12);
    CHECK_NEAR(gsim_histogram_distance(a, b, 3), 1, 1e-12);
    CHECK_NEAR(gsim_histogram_distance(a, c, 3), 34.0 / 132, 1e-12);
    CHECK(isnan(gsim_histogram_distance(none, none, 3)));
}

/* Errors that all grow by a point: no doubt. Changes of both signs: the interval has the mean inside and holds 0. */
static void changes_are_paired(void)
{
    enum { COUNT = 100 };
    double before[COUNT], more[COUNT], either[COUNT];
    struct gsim_paired_change c, again;
    for (int i = 0; i < COUNT; i++) {
        before[i] = 20 + 15 * sin(i);
        more[i] = before[i] + 1;
        either[i] = before[i] + (i % 2 ? 3 : -2.6);
    }
    gsim_paired_change(before, more, COUNT, &c);
    CHECK_INT((int)c.count, COUNT);
    CHECK_NEAR(c.after - c.before, 1, 1e-9);
    CHECK_NEAR(c.low, 1, 1e-9);
    CHECK_NEAR(c.high, 1, 1e-9);
    gsim_paired_change(before, either, COUNT, &c);
    gsim_paired_change(before, either, COUNT, &again);
    CHECK_NEAR(c.after - c.before, 0.2, 1e-9);
    CHECK_NEAR(c.low, 0.2 - 1.96 * 0.28, 0.1); /* 2.8 / sqrt(100) */
    CHECK_NEAR(c.high, 0.2 + 1.96 * 0.28, 0.1);
    CHECK(c.low == again.low && c.high == again.high);
}

static const struct test_case cases[] = {
    {"mean, median, worst, bias", errors_are_summarized},
    {"correlation on logarithms", correlation_is_of_logarithms},
    {"Kendall's tau", tau_counts_pairs_in_order},
    {"regret", regret_is_what_the_choice_costs},
    {"histogram distance", histograms_differ_by_total_variation},
    {"changes are paired", changes_are_paired},
};
TEST_MAIN("sim/validate_stats", cases)
