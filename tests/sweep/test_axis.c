/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists, ranges and samples: the values of an axis as text, and what is refused. */
#include "sweep/axis.h"
#include "tests/test.h"

static const struct {
    const char *text;
    bool is_integer;
    const char *values;
} axes[] = {
    {"serial,kesco", false, "serial kesco"},
    {"1e6, 4k", false, "1e6 4k"},
    {"3:6", false, "3 4 5 6"},
    {"16:64:x2", false, "16 32 64"},
    {"16:65:x2", false, "16 32 64"},
    {"0.1:0.5:+0.1", false, "0.1 0.2 0.3 0.4 0.5"},
    {"1:2:lin5", false, "1 1.25 1.5 1.75 2"},
    {"1e3:1e6:log4", false, "1000 10000 100000 1000000"},
    {"1:8:log7", true, "1 2 3 4 6 8"}, /* 1, 1.41, 2, ... rounded: once each */
    {"1:3,100,2k:8k:x2", false, "1 2 3 100 2000 4000 8000"},
    {"C:/x.json", false, "C:/x.json"}, /* colons alone make no range */
    {"5:5", false, "5"},
};

static void values_are_as_asked(void)
{
    for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
        struct gsim_arena arena = {0};
        struct gsim_error error = {0};
        struct gsim_axis axis;
        char found[400] = "";
        CHECK_OK(gsim_axis_parse(&axis, "n", axes[i].is_integer, axes[i].text, &arena, &error), error);
        for (size_t j = 0; j < axis.count; j++)
            snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s", j ? " " : "", axis.values[j].text);
        CHECK_STR(found, axes[i].values);
        gsim_arena_release(&arena);
    }
}

static const char *const refusals[][2] = {
    {"1,,2", "found an empty one"},  {"1,", "found an empty one"},      {"5:3", "ends below its start"},
    {"1.5:3", "two whole numbers"},  {"1:10:2", "expected +STEP"},      {"1:10:x1", "xFACTOR (above 1"},
    {"0:10:x2", "start above 0"},    {"0:10:log5", "start above 0"},    {"1:10:lin1", "from 2 on"},
    {"0:1e9", "expected at most 1000000"}, {"1:2:random,5", "stands alone"},  {"5,1:2:sobol", "stands alone"},
    {"1:10:every", "as the third"},  {"0:1:logsobol", "start above 0"},
    {"1:1e6:x1.0000000001", "expected at most 1000000"},
};

static void mistakes_are_refused(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct gsim_arena arena = {0};
        struct gsim_error error = {0};
        struct gsim_axis axis;
        CHECK_MSG(gsim_axis_parse(&axis, "n", false, refusals[i][0], &arena, &error) == GSIM_USAGE, "'%s'",
                  refusals[i][0]);
        CHECK_HAS(error.message, refusals[i][1]);
        gsim_arena_release(&arena);
    }
}

/* Sobol points fill the square evenly: each quarter has a quarter of them. Samples stay within their range and come out
 * the same for the same seed. */
static void samples_fill_their_ranges(void)
{
    enum { COUNT = 256 };
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    struct gsim_axis set[3], again[3];
    unsigned quarters[4] = {0};
    static const char *const texts[] = {"0:1:sobol", "1:100:logsobol", "5:6:random"};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(gsim_axis_parse(&set[i], "n", false, texts[i], &arena, &error), error);
        again[i] = set[i];
    }
    CHECK_OK(gsim_axes_sample(set, 3, COUNT, 7, &arena, &error), error);
    CHECK_OK(gsim_axes_sample(again, 3, COUNT, 7, &arena, &error), error);
    for (size_t k = 0; k < COUNT; k++) {
        quarters[2 * (set[0].values[k].number > 0.5) + (set[1].values[k].number > 10)]++;
        CHECK(set[2].values[k].number >= 5 && set[2].values[k].number <= 6);
        for (int i = 0; i < 3; i++) CHECK_STR(again[i].values[k].text, set[i].values[k].text);
    }
    for (int i = 0; i < 4; i++) CHECK_NEAR(quarters[i], COUNT / 4.0, 2);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {
    {"values are as asked", values_are_as_asked},
    {"mistakes are refused", mistakes_are_refused},
    {"samples fill their ranges", samples_fill_their_ranges},
};
TEST_MAIN("sweep/axis", cases)
