/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A million bars become some thousands that stand for all of them: nothing is lost or counted twice, bars of a row do
 * not overlap, kinds and gaps stay visible. Few bars stay as they are.
 */
#include "tests/test.h"

#include "plots/timeline/thin.h"

#define MIXED 5

static const char *const names[] = {"a", "b", "c"};

/* COUNT bars in turn on ROWS rows, of KINDS groups from 10 on, each taking SHARE of its place. */
static struct gsim_bars make(size_t count, uint32_t rows, unsigned kinds, double share)
{
    struct gsim_bars bars = {0};
    for (size_t i = 0; i < count; i++) {
        double start = (double)(i / rows);
        const struct gsim_bar bar = {.start_us = start,
                                     .end_us = start + share,
                                     .row = (uint32_t)(i % rows),
                                     .group = 10 + (unsigned)(i / rows) % kinds,
                                     .name = names[(i / rows) % kinds],
                                     .count = 1,
                                     .kernels = 1,
                                     .shade = GSIM_BAR_SHADES};
        gsim_bars_add(&bars, &bar);
    }
    return bars;
}

static struct gsim_thinning all_of(size_t count, uint32_t rows)
{
    return (struct gsim_thinning){.rows = rows, .span_us = (double)(count / rows), .mixed = MIXED};
}

static void a_million(void)
{
    static const struct {
        uint32_t rows;
        unsigned kinds;
        double share;
        uint32_t group;
        unsigned shade;
    } cases[] = {
        {1, 1, 1, 10, 4}, {8, 1, 0.1, 10, 1}, {8, 3, 0.7, MIXED, 3}, {64, 2, 1, MIXED, 4}, {500, 1, 0.5, 10, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t count = 1000000;
        struct gsim_bars bars = make(count, cases[i].rows, cases[i].kinds, cases[i].share);
        struct gsim_thinning thinning = all_of(count, cases[i].rows);
        double end[500] = {0};
        uint64_t sum = 0, kernels = 0;
        gsim_bars_thin(&bars, &thinning);
        CHECK_MSG(bars.count >= cases[i].rows && bars.count <= 2 * GSIM_BARS_MAX + 60 * (size_t)cases[i].rows,
                  "case %zu: %zu bars", i, bars.count);
        for (size_t j = 0; j < bars.count; j++) {
            const struct gsim_bar *bar = &bars.bars[j];
            CHECK_MSG(bar->start_us >= end[bar->row] - 1e-9 && bar->end_us > bar->start_us, "case %zu: bar %zu", i, j);
            end[bar->row] = bar->end_us;
            sum += bar->count;
            kernels += bar->kernels;
            if (bar->count < 10) continue; /* at the end of a row */
            CHECK_MSG(bar->group == cases[i].group, "case %zu: group %u", i, bar->group);
            CHECK_MSG(abs((int)bar->shade - (int)cases[i].shade) <= 1, "case %zu: shade %u, expected %u", i, bar->shade,
                      cases[i].shade);
            CHECK((bar->name != NULL) == (cases[i].kinds == 1));
        }
        CHECK_INT(sum, count);
        CHECK_INT(kernels, count);
        CHECK(bars.thinned <= count && bars.thinned > count - count / 100);
        gsim_bars_release(&bars);
    }
}

/* A long kernel among a crowd of short ones keeps its bar, colour and place. */
static void long_ones_stay(void)
{
    struct gsim_bars bars = make(20000, 1, 1, 1);
    struct gsim_thinning thinning = {.rows = 1, .span_us = 41000, .mixed = MIXED};
    const struct gsim_bar whole = {.start_us = 20000,
                                   .end_us = 21000,
                                   .group = 12,
                                   .name = "long",
                                   .count = 1,
                                   .kernels = 1,
                                   .shade = GSIM_BAR_SHADES};
    int seen = 0;
    gsim_bars_add(&bars, &whole);
    for (size_t i = 0; i < 20000; i++) {
        struct gsim_bar bar = bars.bars[i];
        bar.start_us += 21000;
        bar.end_us += 21000;
        gsim_bars_add(&bars, &bar);
    }
    gsim_bars_thin(&bars, &thinning);
    CHECK_INT(bars.count, 3);
    CHECK_INT(bars.thinned, 40000);
    for (size_t i = 0; i < bars.count; i++) {
        if (bars.bars[i].group != 12) continue;
        CHECK(bars.bars[i].start_us == 20000 && bars.bars[i].end_us == 21000 && bars.bars[i].count == 1);
        CHECK_STR(bars.bars[i].name, "long");
        seen++;
    }
    CHECK_INT(seen, 1);
    gsim_bars_release(&bars);
}

static void few_stay_as_they_are(void)
{
    struct gsim_bars bars = make(GSIM_BARS_MAX, 3, 3, 0.5);
    struct gsim_thinning thinning = all_of(GSIM_BARS_MAX, 3);
    gsim_bars_thin(&bars, &thinning);
    CHECK_INT(bars.count, GSIM_BARS_MAX);
    CHECK_INT(bars.thinned, 0);
    gsim_bars_release(&bars);
}

static const struct test_case cases[] = {
    {"a million", a_million}, {"long ones stay", long_ones_stay}, {"few stay as they are", few_stay_as_they_are}};
TEST_MAIN("plots/timeline/thin", cases)
