/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a tornado by hand: which bar stands in which, what is cut, how far the axis goes. */
#include "plots/tornado.h"

#include <math.h>

#include "tests/test.h"

static void check_rows(struct gsim_tornado *tornado, const char *settings, const char *expected)
{
    struct gsim_figure figure = {.size = {.width_cm = 10, .font_pt = 8}};
    struct gsim_error error = {0};
    char *text = NULL, own[2000];
    size_t length = 0;
    CHECK_OK(gsim_output_open_memory(&figure.data, &text, &length, &error), error);
    gsim_tornado_plot(tornado, &figure);
    CHECK_OK(gsim_output_commit(&figure.data, &error), error);
    const char *rows = strstr(text, "# row\tname");
    CHECK_STR(rows ? rows : text, expected);
    snprintf(own, sizeof own, "%.*s", (int)figure.own.length, figure.own.settings);
    CHECK_HAS(own, settings);
    gsim_free(text);
    gsim_free(figure.own.settings);
}

static void test_rows(void)
{
    static const struct gsim_tornado_row rows[] = {
        {"first", {3, 5}, {2, 4}}, {"second", {-2, 1}, {-4, 0}}, {"third", {NAN, -6}, {0, 0}}};
    struct gsim_tornado both = {
        .rows = rows, .row_count = 3, .legend = {"up", "down"}, .label = "x", .side_by_side = true};
    /* Of the first both go right: the shorter stands in the longer. -6 to 5: 5 % of 11 beyond. */
    check_rows(&both, "low_x = -6.55",
               "# row\tname\n0\tfirst\n1\tsecond\n2\tthird\n\n\n# row\tfrom\tto\tcolour\tupper\tlower\n"
               "0\t0\t5\t2\t-0.4\t0.4\n0\t0\t3\t1\t-0.2\t0.2\n1\t0\t-2\t1\t-0.4\t0.4\n1\t0\t1\t2\t-0.4\t0.4\n"
               "2\t0\t-6\t2\t-0.4\t0.4\n\n\n# row\tfrom\tto\n");
    struct gsim_tornado one = {.rows = rows, .row_count = 2, .label = "x", .has_errors = true};
    /* One lies on the other; the errors count for the axis: -4 to 5. */
    check_rows(&one, "low_x = -4.45",
               "# row\tname\n0\tfirst\n1\tsecond\n\n\n# row\tfrom\tto\tcolour\tupper\tlower\n0\t0\t3\t1\t-0.4\t0.4\n"
               "0\t0\t5\t2\t-0.2\t0.2\n1\t0\t-2\t1\t-0.4\t0.4\n1\t0\t1\t2\t-0.2\t0.2\n\n\n# row\tfrom\tto\n"
               "0\t2\t4\n1\t-4\t0\n");
}

/* Losses beyond all of the time are cut, and the label says so. */
static void test_savings(void)
{
    static const struct {
        double percent, error, bar, low, high;
        bool is_cut;
    } rows[] = {{20, 5, 20, 15, 25, false},
                {-96, 4, -96, -100, -92, false},
                {-96, 5, -96, -100, -91, true},
                {-150, 10, -100, -100, -100, true},
                {98, 4, 98, 94, 100, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_tornado tornado = {.label = "own"};
        struct gsim_tornado_row row = gsim_tornado_saving(&tornado, "n", rows[i].percent, rows[i].error);
        CHECK_STR(row.name, "n");
        CHECK_NEAR(row.bars[0], rows[i].bar, 0);
        CHECK(isnan(row.bars[1]));
        CHECK_NEAR(row.errors[0], rows[i].low, 0);
        CHECK_NEAR(row.errors[1], rows[i].high, 0);
        CHECK_STR(tornado.label, rows[i].is_cut ? "time saved (%), losses cut at 100" : "own");
    }
}

static const struct test_case cases[] = {{"rows", test_rows}, {"savings", test_savings}};
TEST_MAIN("plots/tornado", cases)
