/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes by hand: what is logarithmic, how much room there is beyond the values, how names are turned, which are left
 * out. */
#include "plots/axis.h"

#include <math.h>
#include <string.h>

#include "plots/names.h"
#include "tests/test.h"

static double setting(const struct gsim_figure *figure, const char *name)
{
    char key[40], text[4000];
    snprintf(key, sizeof key, "%s = ", name);
    snprintf(text, sizeof text, "%.*s", (int)figure->own.length, figure->own.settings);
    const char *at = text, *found = NULL;
    while (at && (at = strstr(at, key))) found = at++;
    return found ? atof(found + strlen(key)) : NAN;
}

/* Low and high as drawn: 4 % of the span beyond the values, 4 % of the ratio of a logarithmic one but at least 5 % of
 * the value; of one value a tenth, but at least 0.1. */
static void test_limits(void)
{
    static const struct {
        double values[3];
        int wanted;
        bool from_zero, is_log;
        double low, high;
    } rows[] = {
        {{1, 19.9, 5}, -1, false, false, 1 - 0.756, 19.9 + 0.756},
        {{1, 20, 5}, -1, false, true, 1 / 1.1273002, 20 * 1.1273002},
        {{2, 30, 5}, -1, true, false, 0, 30 + 0.04 * 30},
        {{2, 3, NAN}, 1, false, true, 2 / 1.05, 3 * 1.05},
        {{-1, 50, 5}, -1, true, false, -1 - 0.04 * 51, 50 + 0.04 * 51},
        {{1, 100, 5}, 0, false, false, 1 - 0.04 * 99, 100 + 0.04 * 99},
        {{7, 7, 7}, -1, false, false, 7 - 0.7, 7 + 0.7},
        {{0.5, 0.5, 0.5}, -1, false, false, 0.4, 0.6},
        {{-8, -8, -8}, -1, false, false, -8.8, -7.2},
        {{0, 40, 3}, -1, true, false, 0, 41.6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_figure figure = {0};
        struct gsim_plot_axis axis;
        struct gsim_error error = {0};
        CHECK_OK(gsim_plot_axis_init(&axis, &figure, "x", rows[i].values, 3, rows[i].wanted, "mine", NULL, &error),
                 error);
        CHECK_STR(axis.label, "mine");
        gsim_plot_axis_set(&axis, &figure, 'y', rows[i].from_zero);
        CHECK_MSG(axis.is_log == rows[i].is_log && (setting(&figure, "log_y") > 0) == rows[i].is_log, "row %zu: log %d",
                  i, axis.is_log);
        CHECK_MSG(fabs(setting(&figure, "low_y") - rows[i].low) < 1e-4 &&
                      fabs(setting(&figure, "high_y") - rows[i].high) < 1e-4,
                  "row %zu: %g to %g, expected %g to %g", i, setting(&figure, "low_y"), setting(&figure, "high_y"),
                  rows[i].low, rows[i].high);
        gsim_figure_release(&figure);
    }
}

static void test_refused(void)
{
    struct gsim_figure figure = {0};
    struct gsim_plot_axis axis;
    struct gsim_error error = {0};
    const double none[] = {NAN, INFINITY}, some[] = {0, 5};
    CHECK_INT(gsim_plot_axis_init(&axis, &figure, "x", none, 2, -1, NULL, NULL, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "the column 'x' has no numbers to draw");
    CHECK_INT(gsim_plot_axis_init(&axis, &figure, "x", some, 2, 1, NULL, NULL, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "'x' has values that are not positive, such as 0");
    gsim_figure_release(&figure);
}

/* Drawn in its unit, which plots-names has: 1 to 5 ms. */
static void test_units(void)
{
    struct gsim_figure figure = {0};
    struct gsim_plot_axis axis;
    struct gsim_error error = {0};
    CHECK_OK(
        gsim_plot_axis_init(&axis, &figure, "makespan_us", (const double[]){1000, 5000}, 2, -1, NULL, NULL, &error),
        error);
    gsim_plot_axis_set(&axis, &figure, 'x', false);
    CHECK_NEAR(setting(&figure, "low_x"), 1 - 0.16, 1e-6);
    CHECK_NEAR(setting(&figure, "high_x"), 5 + 0.16, 1e-6);
    gsim_figure_release(&figure);
}

/* A name of 10 letters: level where it has eleven letters' room; else turned by 30, 60 or 90 degrees, the least at
 * which neighbours are 0.8 of a line apart and the first does not leave the picture. */
static void test_turn(void)
{
    struct gsim_figure figure = {.path = "a.svg", .size = {.font_pt = 8}};
    const double letter = gsim_figure_letter_cm(&figure), line = gsim_figure_line_cm(&figure), pi = 3.14159265358979;
    const struct {
        double step, left;
        int angle;
    } rows[] = {{11.01 * letter, 9, 0},
                {10.99 * letter, 9, 30},
                {1.61 * line, 9, 30},
                {1.59 * line, 9, 60},
                {0.93 * line, 9, 60},
                {0.92 * line, 9, 90},
                {0.5 * line, 9, 90},
                {1.61 * line, 10 * letter * cos(pi / 6) - 0.80 * line, 30},
                {1.61 * line, 10 * letter * cos(pi / 6) - 0.81 * line, 60}};
    CHECK(letter > 0.05 && line > letter);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double radians = rows[i].angle * pi / 180,
               down = rows[i].angle ? 10 * letter * sin(radians) + line * (cos(radians) - 1) : 0;
        CHECK_NEAR(gsim_plot_turn(&figure, 10, rows[i].step, rows[i].left), down, 1e-6);
        CHECK_MSG(setting(&figure, "turned") == rows[i].angle, "row %zu: %g, expected %d", i,
                  setting(&figure, "turned"), rows[i].angle);
    }
    gsim_figure_release(&figure);
}

static const struct test_case cases[] = {
    {"limits", test_limits}, {"refused", test_refused}, {"units", test_units}, {"turned names", test_turn}};
TEST_MAIN("plots/axis", cases)
