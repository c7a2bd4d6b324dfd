/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: what belongs to one and what does not. Times of graphs are in test_front.c and test_machine.c.
 */
#include "tests/sim/machine_fixture.h"

/* An event that a capture recorded is recorded again outside: who waits for it then is no part of the graph. */
static enum gsim_status record_again(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    (void)error;
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_event e = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_capture_begin(d, a);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_capture_end(d, a);
    gsim_iteration_begin(d, 0);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_stream_wait_event(d, b, e);
    gsim_launch(d, OP(run, 1), b);
    gsim_device_synchronize(d);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

static void recorded_again(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 1, 32, 20), fixture_kernel("b", 1, 32, 20)};
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, record_again);
    CHECK_INT(f.timeline.kernel_count, 2);
    fixture_release(&f);
}

/* Two kernels, each on a stream of its own, and two more that wait for both of them and fill the chip. */
static enum gsim_status capture_meetings(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s[4];
    gsim_event forked = gsim_event_create(d, GSIM_EVENT_NO_TIMING), done[4];
    (void)error;
    for (int i = 0; i < 4; i++) {
        s[i] = gsim_stream_create(d, 0);
        done[i] = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    }
    gsim_capture_begin(d, s[0]);
    gsim_event_record(d, forked, s[0]);
    for (int i = 0; i < 4; i++) {
        if (i) gsim_stream_wait_event(d, s[i], forked);
        for (int root = 0; i >= 2 && root < 2; root++) gsim_stream_wait_event(d, s[i], done[root]);
        gsim_launch(d, OP(run, i), s[i]);
        gsim_event_record(d, done[i], s[i]);
    }
    for (int i = 1; i < 4; i++) gsim_stream_wait_event(d, s[0], done[i]);
    gsim_graph_exec exec = gsim_graph_instantiate(d, gsim_capture_end(d, s[0]));
    gsim_iteration_begin(d, 0);
    gsim_graph_launch(d, exec, s[0]);
    gsim_device_synchronize(d);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* Behind long kernels what was captured last starts first, behind short ones last. */
static void meetings_turn(void)
{
    for (int is_long = 0; is_long < 2; is_long++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        double us = is_long ? 100 : 20;
        struct gsim_kernel k[4] = {fixture_kernel("a", 1, 32, us - 5), fixture_kernel("b", 1, 32, us), fixture_kernel("c", 8, 1024, 20),
                                   fixture_kernel("d", 8, 1024, 30)};
        fixture_program(&f, k, 4, NULL, 0);
        fixture_run(&f, capture_meetings);
        CHECK_INT(f.timeline.kernel_count, 4);
        gsim_time start[4] = {0};
        for (size_t i = 0; i < f.timeline.kernel_count; i++) start[f.timeline.kernels[i].op] = f.timeline.kernels[i].start;
        CHECK_MSG(is_long ? start[3] < start[2] : start[2] < start[3], "%s: c starts at %g us, d at %g", is_long ? "long" : "short",
                  gsim_time_us(start[2]), gsim_time_us(start[3]));
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"an event recorded again", recorded_again},
    {"meetings turn", meetings_turn},
};
TEST_MAIN("sim/graphs", cases)
