/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two ways compared cell by cell, by hand. */
#include "sweep/query/pairs.h"
#include "tests/test.h"

/* Nine cells: seven won, one lost, one tie. Sign test of 8: 2 (1 + 8) / 2^8 = 0.0703125. */
static void nine_cells(void)
{
    static const struct gsim_cell_pair pairs[] = {{1, 2}, {2, 3}, {3, 4}, {4, 5},       {5, 6},
                                                  {6, 7}, {7, 8}, {9, 8}, {5, 5.000001}};
    struct gsim_pairs sum;
    gsim_pairs_sum(pairs, 9, &sum);
    CHECK(sum.cells == 9 && sum.wins == 7 && sum.losses == 1 && sum.ties == 1);
    CHECK_NEAR(sum.sign_p, 0.0703125, 1e-9);
    CHECK_NEAR(sum.difference, -6.000001 / 9, 1e-9);
}

/* Differences -2, -4, -6: mean -4, deviation 2; t of 2 degrees of freedom 4.302653: 4.302653 * 2 / sqrt(3). Ratios 2,
 * 2, 2: no width. */
static void intervals(void)
{
    static const struct gsim_cell_pair pairs[] = {{2, 4}, {4, 8}, {6, 12}};
    struct gsim_pairs sum;
    gsim_pairs_sum(pairs, 3, &sum);
    CHECK_NEAR(sum.difference, -4, 1e-12);
    CHECK_NEAR(sum.difference_ci95, 4.968275, 1e-5);
    CHECK_NEAR(sum.ratio, 2, 1e-12);
    CHECK_NEAR(sum.ratio_low, 2, 1e-9);
    CHECK_NEAR(sum.ratio_high, 2, 1e-9);
    CHECK_NEAR(sum.sign_p, 0.25, 1e-12);
}

/* Ratios 1 and 4: geometric mean 2; logarithms 0 and 2 ln 2 deviate by sqrt(2) ln 2, over sqrt(2), times t of one
 * degree, 12.7062. */
static void two_cells(void)
{
    static const struct gsim_cell_pair pairs[] = {{3, 3}, {1, 4}};
    struct gsim_pairs sum;
    gsim_pairs_sum(pairs, 2, &sum);
    CHECK_NEAR(sum.ratio, 2, 1e-12);
    CHECK_NEAR(sum.ratio_high / 2, exp(12.7062047 * log(2)), 1);
    CHECK_NEAR(sum.ratio_low * sum.ratio_high, 4, 1e-9);
    CHECK_NEAR(sum.sign_p, 1, 1e-12); /* one win in one: as a coin would */
}

static void few(void)
{
    struct gsim_pairs sum;
    gsim_pairs_sum(&(struct gsim_cell_pair){2, 2}, 1, &sum);
    CHECK(sum.ties == 1 && isnan(sum.difference_ci95) && isnan(sum.ratio_low));
    CHECK_NEAR(sum.sign_p, 1, 0);
    gsim_pairs_sum(NULL, 0, &sum);
    CHECK(!sum.cells && isnan(sum.difference) && isnan(sum.ratio));
}

static const struct test_case cases[] = {
    {"nine cells", nine_cells},
    {"intervals", intervals},
    {"two cells", two_cells},
    {"few cells", few},
};
TEST_MAIN("sweep/query/pairs", cases)
