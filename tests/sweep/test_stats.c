/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean, Student's interval and geometric mean against values worked out by hand: of 2, 4, 4, 4, 5, 5, 7, 9 the mean is
 * 5, the sum of squared distances 32, the sample's deviation sqrt(32/7) = 2.13809, t(0.975; 7) = 2.36462 (tables), the
 * interval 2.36462 x 2.13809 / sqrt(8) = 1.78749. */
#include "sweep/stats.h"
#include "tests/test.h"

static void by_hand(void)
{
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct gsim_stats stats;
    gsim_stats_init(&stats);
    CHECK(isnan(gsim_stats_mean(&stats)) && isnan(gsim_stats_geomean(&stats)));
    for (size_t i = 0; i < 8; i++) gsim_stats_add(&stats, values[i]);
    CHECK_NEAR(gsim_stats_mean(&stats), 5, 1e-12);
    CHECK_NEAR(gsim_stats_deviation(&stats), 2.13809, 1e-5);
    CHECK_NEAR(gsim_stats_ci95(&stats), 1.78749, 1e-5);
    CHECK_NEAR(gsim_stats_geomean(&stats), pow(2.0 * 4 * 4 * 4 * 5 * 5 * 7 * 9, 1 / 8.0), 1e-12);
    CHECK_NEAR(stats.minimum, 2, 0);
    CHECK_NEAR(stats.maximum, 9, 0);
}

static void few_and_odd(void)
{
    struct gsim_stats stats;
    gsim_stats_init(&stats);
    gsim_stats_add(&stats, 1e12 + 1);
    CHECK(isnan(gsim_stats_ci95(&stats))); /* one value says nothing of its spread */
    gsim_stats_add(&stats, 1e12 + 3);
    CHECK_NEAR(gsim_stats_deviation(&stats), sqrt(2), 1e-9); /* no cancellation */
    gsim_stats_add(&stats, -1);
    CHECK(isnan(gsim_stats_geomean(&stats)));
}

static const struct test_case cases[] = {{"by hand", by_hand}, {"few and odd ones", few_and_odd}};
TEST_MAIN("sweep/stats", cases)
