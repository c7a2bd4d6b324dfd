/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of kernels of 100 us that are predicted to take as long on the other device, worked out by hand. */
#include "trust/validate/other/other.h"

#include "tests/test.h"

static const struct gsim_other_law law = {.knee = 2.6, .most_gap = 0.5, .off_known = 0.12, .off_common = 0.1};

static void add(struct gsim_timed_set *set, const char *kind, double there_us)
{
    const struct gsim_kernel k = {
        .name = kind, .grid = {1320, 1, 1}, .block = {256, 1, 1}, .solo_us = 100, .pipes_given = true};
    struct gsim_timed *t = gsim_timed_add(set, kind, &k);
    CHECK(t != NULL);
    t->there_us = there_us;
    t->times = (double)set->count;
}

/* Intervals of 12 %, 89.29 to 112 us, hold one. Without its own kind each has an interval as wide as the worst of the
 * others needs: 13.5 % (e), of b and e, which are one kind, 13.2 % (d), and that holds b alone. In all 1,500 us: of
 * each 10.714 us down and 12 up, by the root of 55, and 10 % of all. */
static void figures(void)
{
    static const struct {
        const char *kind;
        double there_us;
    } kernels[] = {{"a", 100}, {"b", 113}, {"c", 89}, {"d", 113.2}, {"b", 113.5}};
    struct gsim_timed_set set = {0};
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    struct gsim_other_row row, whole;
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    device.kind[GSIM_DEV_dram_gbps] = GSIM_KIND_MEASURED;
    for (int i = 0; i < 5; i++) add(&set, kernels[i].kind, kernels[i].there_us);
    gsim_other_row(&set, &law, &device, &device, &row);
    gsim_other_whole(&set, &law, &device, &device, &whole);
    CHECK_INT(row.inside, 1);
    CHECK_INT(row.inside_left_out, 4);
    CHECK_INT(row.shipped.count, 5);
    CHECK_NEAR(row.shipped.bias, (-13 / 113. + 11 / 89. - 13.2 / 113.2 - 13.5 / 113.5) / 5, 1e-9);
    CHECK_NEAR(row.left_out.worst, 11 / 89., 1e-9);
    CHECK_NEAR(row.change.before, (13 / 113. + 11 / 89. + 13.2 / 113.2 + 13.5 / 113.5) / 5, 1e-9);
    CHECK_NEAR(row.change.after, row.change.before, 1e-12);
    CHECK(row.sum == 1500 && row.sum_before == 1500 && row.sum_there == 100 + 226 + 267 + 452.8 + 567.5);
    CHECK_NEAR(row.sum_low, 1500 - 169.7464, 1e-3);
    CHECK_NEAR(row.sum_high, 1500 + 174.4133, 1e-3);
    CHECK(whole.sum_low == row.sum_low && whole.sum_high == row.sum_high && whole.sum_there == row.sum_there);
    gsim_timed_release(&set);
    gsim_device_release(&device);
}

/* Of 39 others 95 % are 38 of 40: the second worst need, 20 %, holds 119 us and not 121. Of the two left out the worst,
 * 21 %, holds all others but one. */
static void most_of_many(void)
{
    struct gsim_timed_set set = {0};
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    struct gsim_other_row row;
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    for (int i = 0; i < 39; i++) add(&set, "others", i < 37 ? 100 : i == 37 ? 120 : 130);
    add(&set, "k", 119);
    add(&set, "k", 121);
    gsim_other_row(&set, &law, &device, &device, &row);
    CHECK_INT(row.inside_left_out, 1 + 38);
    gsim_timed_release(&set);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"figures", figures}, {"most of many", most_of_many}};
TEST_MAIN("trust/validate/other/other", cases)
