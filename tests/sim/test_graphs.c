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

static const struct test_case cases[] = {{"an event recorded again", recorded_again}};
TEST_MAIN("sim/graphs", cases)
