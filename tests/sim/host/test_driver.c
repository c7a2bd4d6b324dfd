/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the host's calls take, hand-computed: a launch 2 us.
 */
#include "tests/sim/machine_fixture.h"

static enum gsim_status launch_ten(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream s = gsim_stream_create(run->driver, 0);
    for (int i = 0; i < 10; i++) gsim_launch(run->driver, OP(run, 0), s);
    gsim_stream_synchronize(run->driver, s);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* Half a microsecond before each call but nothing after the last: stream, ten launches of 2 us, synchronise. */
static void way_to_the_next_call(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 4, 256, 10);
    f.device.call_gap_us = 0.5;
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, launch_ten);
    double created = gsim_time_us(f.timeline.apis[0].end);
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(gsim_time_us(f.timeline.apis[1 + i].start), created + 2.5 * i + 0.5, 1e-5);
        CHECK_NEAR(gsim_time_us(f.timeline.apis[1 + i].end), created + 2.5 * i + 2.5, 1e-5);
    }
    CHECK_NEAR(gsim_time_us(f.timeline.apis[0].start), 0.5, 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.apis[11].start), created + 25.5, 1e-5);
    fixture_release(&f);
}

/* Depth 4, kernels of 10 us, gap 1: they end at 13, 24, 35, ... Launches 1-4 are at 0-8; launch 5 needs a
 * place: the call starts at 8, waits until 13, returns at 15; launch 6: 15, waits until 24, returns 26; ... */
static void launch_queue_full(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.launch_queue_depth = 4;
    struct gsim_kernel k = fixture_kernel("k", 4, 256, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, launch_ten);
    uint32_t launches = 0;
    for (size_t i = 0; i < f.timeline.api_count; i++) {
        const struct gsim_api_record *api = &f.timeline.apis[i];
        if (api->api != GSIM_API_LAUNCH) continue;
        launches++;
        double end = launches <= 4 ? 2.0 * launches : 13 + 11.0 * (launches - 5) + 2;
        CHECK_NEAR(gsim_time_us(api->end), end, 1e-5);
    }
    CHECK_INT(launches, 10);
    CHECK_NEAR(f.end_us, 13 + 9 * 11 + 2, 1e-5);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"the way to the next call", way_to_the_next_call},
    {"launch queue full", launch_queue_full},
};
TEST_MAIN("sim/simdriver", cases)
