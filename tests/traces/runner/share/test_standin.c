/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which real kernel stands in for a program's, and how much it does. */
#include "traces/runner/share/standin.h"

#include "tests/test.h"

static struct gsim_kernel kernel(void)
{
    return (struct gsim_kernel){.name = "k", .grid = {4, 2, 1}, .block = {32, 1, 2}};
}

static void by_demand(void)
{
    struct gsim_error error = {0};
    struct gsim_standin s;
    struct gsim_kernel k = kernel();
    k.flops = 8.0 * 512 * 100; /* 512 threads, 4 FMAs a round */
    CHECK_OK(gsim_standin_choose(&k, 0, &s, &error), error);
    CHECK_INT(s.kind, GSIM_STANDIN_FMA);
    CHECK_INT(s.rounds, 100);
    k.dram_bytes = 32000;
    k.flops = 8.0 * 1000 * 3;
    CHECK_OK(gsim_standin_choose(&k, 5, &s, &error), error);
    CHECK_INT(s.kind, GSIM_STANDIN_STREAM);
    CHECK_INT(s.rounds, 1000);
    CHECK_INT(s.fmas, 3);
    CHECK_INT(s.buffer, 5 % GSIM_STANDIN_BUFFERS);
}

static void by_time(void)
{
    struct gsim_error error = {0};
    struct gsim_standin s;
    struct gsim_kernel k = kernel();
    k.solo_us = 20;
    CHECK_OK(gsim_standin_choose(&k, 0, &s, &error), error);
    CHECK_INT(s.kind, GSIM_STANDIN_FMA);
    CHECK_NEAR(s.wanted_us, 20, 0);
    k.smem_bytes = 8192;
    CHECK_OK(gsim_standin_choose(&k, 0, &s, &error), error);
    CHECK_INT(s.kind, GSIM_STANDIN_SMEM);
    CHECK_INT(s.smem_bytes, 8192);
    k.solo_us = 0;
    CHECK_INT(gsim_standin_choose(&k, 0, &s, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kernel 'k'");
}

/* Times grow in line with the rounds, from what none take. */
static void rescaled(void)
{
    CHECK_INT(gsim_standin_rescale(100, 11, 21, 1), 200);
    CHECK_INT(gsim_standin_rescale(100, 11, 1, 1), 1);
    CHECK_INT(gsim_standin_rescale(100, 1, 21, 1), 200);
}

/* The second launch begins first, the third never does. */
static void spans(void)
{
    static const struct gsim_standin_span list[] = {{5000, 9000}, {2000, 4000}, {~0ull, 0}};
    static const double starts[] = {3, 0}, ends[] = {7, 2};
    double start_us, end_us;
    CHECK_INT(gsim_standin_first(list, 3), 2000);
    for (int i = 0; i < 2; i++) {
        CHECK(gsim_standin_times(&list[i], 2000, &start_us, &end_us));
        CHECK_NEAR(start_us, starts[i], 1e-12);
        CHECK_NEAR(end_us, ends[i], 1e-12);
    }
    CHECK(!gsim_standin_times(&list[2], 2000, &start_us, &end_us));
    CHECK(gsim_standin_times(&list[1], 5000, &start_us, &end_us));
    CHECK_NEAR(start_us, -3, 1e-12);
}

static const struct test_case cases[] = {
    {"by its demand", by_demand}, {"by its time alone", by_time}, {"rounds for a time", rescaled}, {"spans", spans}};
TEST_MAIN("traces/runner/share/standin", cases)
