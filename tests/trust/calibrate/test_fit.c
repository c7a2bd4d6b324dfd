/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least squares on problems whose answers are known: a rate and a latency, a sum that cannot be told apart, a bound,
 * and what happens to points that are left out.
 */
#include "trust/calibrate/fit.h"

#include "gpusim/memory.h"
#include "tests/test.h"

#define COUNT 8

/* y = latency + x/rate, or with UNDER: y = a + b everywhere. */
struct line {
    double x[COUNT], y[COUNT], sigma;
    bool is_sum;
    enum gsim_status fails;
    unsigned calls;
};

static enum gsim_status residuals(void *context, const double *values, const bool *skip, double *out,
                                  struct gsim_error *error)
{
    struct line *line = context;
    line->calls++;
    if (line->fails) return gsim_error_set(error, line->fails, "as asked");
    for (int i = 0; i < COUNT; i++) {
        if (skip && skip[i]) continue;
        double y = line->is_sum ? values[0] + values[1] : values[0] + line->x[i] / values[1];
        out[i] = (y - line->y[i]) / line->sigma;
    }
    return GSIM_OK;
}

static struct line make_line(double latency, double rate)
{
    struct line line = {.sigma = 0.01};
    for (int i = 0; i < COUNT; i++) {
        line.x[i] = pow(4, i);
        line.y[i] = latency + line.x[i] / rate;
    }
    return line;
}

static const struct gsim_fit_parameter start[2] = {
    {.start = 1, .scale = 1, .prior_ratio = 1000, .minimum = 0, .maximum = 100},
    {.start = 20, .scale = 20, .prior_ratio = 1000, .minimum = 0.1, .maximum = 1e6},
};

static void check_fit(struct line *line, struct gsim_fit_parameter *p, struct gsim_fit_result *result)
{
    struct gsim_error error = {0};
    struct gsim_fit_problem problem = {p, 2, COUNT, residuals, line, 1e-6, 1e-10, 100};
    CHECK_OK(gsim_fit(&problem, NULL, result, &error), error);
}

static void a_line_is_found(void)
{
    struct line line = make_line(3.8, 55.5);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_result result;
    check_fit(&line, p, &result);
    CHECK_NEAR(p[0].value, 3.8, 1e-6);
    CHECK_NEAR(p[1].value, 55.5, 1e-4);
    CHECK(p[0].is_determined && p[1].is_determined && result.converged);
    CHECK(p[0].low < 3.8 && p[0].high > 3.8 && p[0].high - p[0].low < 0.05);
    CHECK(result.chi2_start > 1e4 && result.chi2 < 1e-6);
    CHECK(result.singular_values[0] >= result.singular_values[1]);
    CHECK_NEAR(result.correlation[0], 1, 1e-9);
    CHECK(result.correlation[1] > 0 && result.correlation[1] < 1); /* more latency asks for a higher rate */
    gsim_fit_result_release(&result);
}

/* One number, measured three times as 1, 2 and 3, +- 1/2: the mean, with sigma sqrt(1/4 / 3). The residuals of -2, 0, 2
 * sigmas widen that by sqrt(8 / (3 - 1)) = 2; Student's t is that of five degrees of freedom, though there are
 * two: 2.570582. */
static enum gsim_status three_residuals(void *context, const double *values, const bool *skip, double *out,
                                        struct gsim_error *error)
{
    (void)context;
    (void)skip;
    (void)error;
    for (int i = 0; i < 3; i++) out[i] = (values[0] - (i + 1)) / 0.5;
    return GSIM_OK;
}

static void an_interval_by_hand(void)
{
    struct gsim_fit_parameter p = {.start = 1, .scale = 1, .prior_ratio = 1e6, .minimum = -100, .maximum = 100};
    struct gsim_fit_problem problem = {&p, 1, 3, three_residuals, NULL, 1e-6, 1e-10, 100};
    struct gsim_fit_result result;
    struct gsim_error error = {0};
    CHECK_OK(gsim_fit(&problem, NULL, &result, &error), error);
    CHECK_NEAR(p.value, 2, 1e-6);
    CHECK_NEAR(p.high - p.value, 2.570582 * sqrt(0.25 / 3) * 2, 1e-4);
    CHECK_NEAR(p.value - p.low, 2.570582 * sqrt(0.25 / 3) * 2, 1e-4);
    gsim_fit_result_release(&result);
}

/* Noise larger than its sigma widens the intervals; the truth stays inside. */
static void noise_widens_intervals(void)
{
    struct line line = make_line(3.8, 55.5);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_result result;
    for (int i = 0; i < COUNT; i++) line.y[i] += i % 2 ? 0.1 : -0.1;
    check_fit(&line, p, &result);
    CHECK(p[0].low < 3.8 && p[0].high > 3.8);
    CHECK_MSG(p[0].high - p[0].low > 0.1, "%g .. %g", p[0].low, p[0].high);
    gsim_fit_result_release(&result);
}

static void sums_are_not_told_apart(void)
{
    struct line line = {.sigma = 0.01, .is_sum = true};
    struct gsim_fit_parameter p[2] = {start[0], start[0]};
    struct gsim_fit_result result;
    for (int i = 0; i < COUNT; i++) line.y[i] = 5;
    check_fit(&line, p, &result);
    CHECK(p[0].is_seen && p[1].is_seen && !p[0].is_determined && !p[1].is_determined);
    CHECK_NEAR(p[0].value + p[1].value, 5, 1e-3); /* what is told is met, evenly from where both started */
    CHECK_NEAR(p[0].value, p[1].value, 1e-3);
    CHECK(result.correlation[1] < -0.99);
    gsim_fit_result_release(&result);
}

static void what_nothing_depends_on_stays(void)
{
    struct line line = make_line(3.8, 1e30);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_result result;
    for (int i = 0; i < COUNT; i++) line.x[i] = 0;
    for (int i = 0; i < COUNT; i++) line.y[i] = 3.8;
    check_fit(&line, p, &result);
    CHECK(!p[1].is_seen && !p[1].is_determined);
    CHECK_NEAR(p[1].value, 20, 1e-9);
    CHECK_NEAR(p[0].value, 3.8, 1e-6);
    gsim_fit_result_release(&result);
}

static void bounds_hold(void)
{
    struct line line = make_line(3.8, 55.5);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_result result;
    p[0].maximum = 2;
    check_fit(&line, p, &result);
    CHECK(p[0].is_at_bound && !p[1].is_at_bound);
    CHECK_NEAR(p[0].value, 2, 1e-12);
    gsim_fit_result_release(&result);
}

static void what_is_left_out_is_predicted(void)
{
    static const unsigned folds[COUNT] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct line line = make_line(3.8, 55.5);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_problem problem = {p, 2, COUNT, residuals, &line, 1e-6, 1e-10, 100};
    struct gsim_error error = {0};
    double held_out[COUNT];
    CHECK_OK(gsim_fit_cross_validate(&problem, folds, 4, held_out, &error), error);
    for (int i = 0; i < COUNT; i++) CHECK_NEAR(held_out[i], 0, 1e-3);
    line.y[3] += 1; /* an outlier: badly predicted where it is left out */
    CHECK_OK(gsim_fit_cross_validate(&problem, folds, 4, held_out, &error), error);
    CHECK_MSG(fabs(held_out[3]) > 90, "%g", held_out[3]);
}

static void failures_are_passed_on(void)
{
    struct line line = make_line(3.8, 55.5);
    struct gsim_fit_parameter p[2] = {start[0], start[1]};
    struct gsim_fit_problem problem = {p, 2, COUNT, residuals, &line, 1e-6, 1e-10, 100};
    struct gsim_fit_result result;
    struct gsim_error error = {0};
    line.fails = GSIM_SIM;
    CHECK_INT(gsim_fit(&problem, NULL, &result, &error), GSIM_SIM);
    CHECK_STR(error.message, "as asked");
    CHECK_INT(line.calls, 1);
    line.fails = GSIM_OK;
    CHECK_OK(gsim_fit(&problem, NULL, &result, &error), error);
    gsim_fit_result_release(&result);
}

static const struct test_case cases[] = {
    {"an interval by hand", an_interval_by_hand},
    {"a line", a_line_is_found},
    {"noise", noise_widens_intervals},
    {"sums", sums_are_not_told_apart},
    {"unseen", what_nothing_depends_on_stays},
    {"bounds", bounds_hold},
    {"cross-validation", what_is_left_out_is_predicted},
    {"failures", failures_are_passed_on},
};
TEST_MAIN("models/fit", cases)
