/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perturbed copies: quantiles of known times, copies that are the simulation itself where nothing is drawn, and which
 * part of a run each of the device's spreads moves. Two kernels of one block, one after the other: L 0-2, 3-13, gap 1,
 * 14-24, synchronise to 26.
 */
#include "sim/spread.h"

#include "tests/sim/machine_fixture.h"

ITERATION(launch_both)
{
    gsim_stream stream = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), stream);
    gsim_launch(d, OP(run, 1), stream);
}

static const struct gsim_scheduler_ops both = {
    GSIM_HEAD(scheduler), .name = "both", .execute = launch_both};

static enum gsim_status end_of(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                               double *time_us, struct gsim_error *error)
{
    (void)copy;
    (void)error;
    *time_us = gsim_time_us(timeline->iterations[0].end);
    return GSIM_OK;
}

static void rig(struct fixture *f, struct gsim_simulation *simulation)
{
    *f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 1, 256, 10), fixture_kernel("b", 1, 256, 10)};
    fixture_program(f, k, 2, NULL, 0);
    *simulation = (struct gsim_simulation){.program = &f->program, .device = &f->device, .scheduler = &both,
                                           .memory = GSIM_MEMORY_PINNED, .seed = 1};
}

static struct gsim_spread spread_of(struct gsim_simulation *simulation, uint32_t runs)
{
    struct gsim_error error = {0};
    struct gsim_spread spread = {0};
    CHECK_OK(gsim_spread_run(simulation, runs, end_of, &spread, &error), error);
    return spread;
}

/* 1 to 21: the 5 % quantile is 2, the 95 % quantile 20. */
static void quantiles(void)
{
    double times[21], two[2] = {110, 100}, alike[3] = {50, 50, 50};
    struct gsim_device_spec device = {.spread_width = 1};
    struct gsim_spread spread;
    for (int i = 0; i < 21; i++) times[i] = 1 + (i * 8) % 21;
    gsim_spread_summarize(times, 21, &device, &spread);
    CHECK_INT(spread.runs, 21);
    CHECK_NEAR(spread.median_us, 11, 1e-12);
    CHECK_NEAR(spread.low_us, 2, 1e-12);
    CHECK_NEAR(spread.high_us, 20, 1e-12);
    CHECK(spread.unstable);
    device.spread_width = 2;
    gsim_spread_summarize(two, 2, &device, &spread); /* 100.5 to 109.5, twice as wide */
    CHECK_NEAR(spread.median_us, 105, 1e-12);
    CHECK_NEAR(spread.low_us, 96, 1e-12);
    CHECK_NEAR(spread.high_us, 114, 1e-12);
    CHECK(!spread.unstable);
    device.spread_least = 0.02;
    gsim_spread_summarize(alike, 3, &device, &spread); /* 49 to 51, twice as wide */
    CHECK_NEAR(spread.low_us, 48, 1e-12);
    CHECK_NEAR(spread.high_us, 52, 1e-12);
}

static void nothing_drawn_is_the_run_itself(void)
{
    struct fixture f;
    struct gsim_simulation simulation;
    rig(&f, &simulation);
    struct gsim_spread spread = spread_of(&simulation, 5);
    CHECK_NEAR(spread.median_us, 26, 1e-5);
    CHECK_NEAR(spread.low_us, 26, 1e-5);
    CHECK_NEAR(spread.high_us, 26, 1e-5);
    CHECK(!spread.unstable);
    fixture_release(&f);
}

static void each_spread_counts(void)
{
    static const size_t numbers[] = {
        offsetof(struct gsim_device_spec, kernel_spread), offsetof(struct gsim_device_spec, spread_gaps),
        offsetof(struct gsim_device_spec, spread_calls), offsetof(struct gsim_device_spec, call_spread)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct fixture f;
        struct gsim_simulation simulation;
        rig(&f, &simulation);
        f.device.spread_width = 1;
        *(double *)((char *)&f.device + numbers[i]) = 0.2;
        struct gsim_spread spread = spread_of(&simulation, 40), again = spread_of(&simulation, 40);
        CHECK_MSG(spread.low_us < 26 && spread.high_us > 26, "number %zu: found %g to %g", i, spread.low_us,
                  spread.high_us);
        CHECK(spread.low_us == again.low_us && spread.high_us == again.high_us && spread.median_us == again.median_us);
        simulation.seed = 1000;
        again = spread_of(&simulation, 40);
        CHECK_MSG(spread.low_us != again.low_us, "number %zu: another seed draws the same", i);
        fixture_release(&f);
    }
}

/* Gaps and latencies, 2 us of the 26, are off by so much: an interval of 2 * 1.645 standard deviations. */
static void width_follows_the_spreads(void)
{
    struct fixture f;
    struct gsim_simulation simulation;
    rig(&f, &simulation);
    f.device.spread_width = 1;
    f.device.spread_gaps = 0.1;
    struct gsim_spread narrow = spread_of(&simulation, 400);
    CHECK_MSG(fabs(narrow.high_us - narrow.low_us - 0.658) < 0.1, "found %g", narrow.high_us - narrow.low_us);
    CHECK(!narrow.unstable);
    f.device.kernel_spread = 0.4;
    CHECK(spread_of(&simulation, 400).unstable);
    fixture_release(&f);
}

static void a_failing_copy_fails(void)
{
    struct fixture f;
    struct gsim_simulation simulation;
    struct gsim_error error = {0};
    struct gsim_spread spread;
    rig(&f, &simulation);
    f.program.kernels[0].block.x = 4096;
    CHECK(gsim_spread_run(&simulation, 3, end_of, &spread, &error) == GSIM_INPUT);
    CHECK(error.message[0]);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"quantiles of known times", quantiles},
    {"where nothing is drawn a copy is the run itself", nothing_drawn_is_the_run_itself},
    {"each of the device's spreads counts", each_spread_counts},
    {"the width follows the spreads", width_follows_the_spreads},
    {"a failing copy fails", a_failing_copy_fails},
};
TEST_MAIN("sim/spread", cases)
