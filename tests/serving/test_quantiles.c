/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving/quantiles.h by hand: exact up to 65,536 values, then to half a thousandth. */
#include "serving/quantiles.h"

#include "tests/test.h"

static void test_exact(void)
{
    struct gsim_quantiles t = {0};
    CHECK(isnan(gsim_quantile(&t, 0.5)) && isnan(gsim_quantiles_mean(&t)));
    gsim_quantiles_add(&t, 4);
    CHECK_NEAR(gsim_quantile(&t, 0.9), 4, 0);
    gsim_quantiles_add(&t, 1);
    gsim_quantiles_add(&t, 10);
    CHECK_NEAR(gsim_quantiles_mean(&t), 5, 1e-12);
    static const double right[][2] = {{0, 1}, {0.25, 2.5}, {0.5, 4}, {0.6, 5.2}, {0.75, 7}, {1, 10}};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        CHECK_NEAR(gsim_quantile(&t, right[i][0]), right[i][1], 1e-12);
    gsim_quantiles_add(&t, 2); /* behind a question */
    CHECK_NEAR(gsim_quantile(&t, 0.5), 3, 1e-12);
    for (int i = 4; i < 65536; i++) gsim_quantiles_add(&t, 1234.5);
    CHECK_NEAR(gsim_quantile(&t, 0.5), 1234.5, 0);
    CHECK_NEAR(gsim_quantile(&t, 0), 1, 0);
    CHECK(!t.failed && t.count == 65536);
    gsim_quantiles_release(&t);
    CHECK(t.count == 0 && t.sum == 0);
}

/* 40,000 of 5, 30,000 of a million, 20,000 of nothing, 10,000 beyond all bins. */
static void test_many(void)
{
    struct gsim_quantiles t = {0};
    for (int i = 0; i < 100000; i++) gsim_quantiles_add(&t, i < 40000 ? 5 : i < 70000 ? 1e6 : i < 90000 ? 0 : 1e13);
    static const double right[][2] = {{0, 1e-3},     {0.1999, 1e-3},  {0.2001, 5},  {0.5999, 5},
                                      {0.6001, 1e6}, {0.8999, 1e6}, {0.9001, 1e12}, {1, 1e12}};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        double found = gsim_quantile(&t, right[i][0]);
        CHECK_NEAR(found / right[i][1], 1, i < 6 ? 0.00051 : 0.01);
    }
    CHECK_NEAR(gsim_quantiles_mean(&t), (40000 * 5 + 30000 * 1e6 + 10000 * 1e13) / 100000, 1);
    CHECK_INT(t.count, 100000);
    gsim_quantiles_release(&t);
}

static const struct test_case cases[] = {{"few", test_exact}, {"many", test_many}};
TEST_MAIN("serving/quantiles", cases)
