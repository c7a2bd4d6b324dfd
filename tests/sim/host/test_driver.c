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

struct drive {
    struct gsim_run *run;
    gsim_stream streams[3];
    gsim_event event;
};

static void second_thread(struct gsim_driver *d, void *data)
{
    const struct drive *drive = data;
    gsim_launch(d, OP(drive->run, 0), drive->streams[1]);
    gsim_event_record(d, drive->event, drive->streams[1]);
    gsim_stream_synchronize(d, drive->streams[2]);
    gsim_launch(d, OP(drive->run, 1), drive->streams[1]);
    gsim_launch(d, OP(drive->run, 2), drive->streams[1]);
}

ITERATION(two_threads)
{
    struct drive drive = {run, {gsim_stream_create(d, 0), gsim_stream_create(d, 0), gsim_stream_create(d, 0)}, 0};
    drive.event = gsim_event_create(d, GSIM_EVENT_TIMING);
    gsim_thread second = gsim_thread_create(d, second_thread, &drive);
    (void)gsim_stream_query(d, drive.streams[0]);
    gsim_launch(d, OP(run, 3), drive.streams[0]);
    gsim_stream_wait_event(d, drive.streams[0], drive.event);
    gsim_launch(d, OP(run, 3), drive.streams[0]);
    gsim_thread_join(d, second);
}

/* The lock is held 1.5 us by a launch, 0.7 by a record or wait, 0.4 by a synchronisation; a launch takes 0.3 more where
 * the other thread made the last call. The second thread is there at 5, the first asks for 0.5. Held until:
 * second's launch 5.3 + 1.5 = 6.8; first's launch 6.8 + 1.5 = 8.3; record 8.3 + 0.7 = 9; wait 9 + 0.7 = 9.7; the idle
 * stream's synchronisation 9.7 + 0.4 = 10.1; first's launch 11.6; second's launch 13.1, and one more without a switch.
 */
static void driver_is_locked(void)
{
    static const double first[][2] = {{5.5, 8.8}, {8.8, 9.5}, {9.5, 12.1}},
                        second[][2] = {{5, 7.3}, {7.3, 8.9}, {8.9, 10.7}, {10.7, 13.6}, {13.6, 15.6}};
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[4];
    uint32_t found[2] = {0};
    for (int i = 0; i < 4; i++) k[i] = fixture_kernel("k", 1, 32, 10);
    f.device.driver_lock_us = 1.5, f.device.driver_event_lock_us = 0.7, f.device.driver_sync_lock_us = 0.4;
    f.device.driver_switch_us = 0.3, f.device.event_record_us = 0.6;
    fixture_program(&f, k, 4, NULL, 0);
    fixture_run(&f, two_threads);
    for (size_t i = 0; i < f.timeline.api_count; i++) {
        const struct gsim_api_record *api = &f.timeline.apis[i];
        double start = gsim_time_us(api->start);
        if (start < 5 - 1e-9 || start > 13.7 || api->api == GSIM_API_STREAM_QUERY || api->api == GSIM_API_THREAD)
            continue;
        const double *right = api->thread ? second[found[1]++ % 5] : first[found[0]++ % 3];
        CHECK_NEAR(start, right[0], 1e-5);
        CHECK_NEAR(gsim_time_us(api->end), right[1], 1e-5);
    }
    CHECK_INT(found[0], 3);
    CHECK_INT(found[1], 5);
    fixture_release(&f);
}

/* With an event or a stream that does not exist nothing is done, and nothing recorded: the run fails. */
static int asked;

ITERATION(ask_for_none)
{
    gsim_event none = gsim_event_create(d, GSIM_EVENT_TIMING) + 1;
    gsim_stream gone = gsim_stream_create(d, 0);
    gsim_stream_destroy(d, gone);
    if (asked == 0) CHECK(gsim_event_query(d, none));
    if (asked == 1) gsim_event_synchronize(d, none);
    if (asked == 2) gsim_event_destroy(d, none);
    if (asked == 3) gsim_event_record(d, none, 0);
    if (asked == 4) gsim_stream_wait_event(d, 0, none);
    if (asked == 5) CHECK(gsim_stream_query(d, gone));
    if (asked == 6) gsim_stream_synchronize(d, gone);
    if (asked == 7) gsim_stream_destroy(d, gone);
    if (asked == 8) gsim_event_record(d, none - 1, gone);
    if (asked == 9) gsim_stream_wait_event(d, gone, none - 1);
    if (asked == 10) gsim_launch(d, OP(run, 0), gone);
    if (asked == 11) gsim_memcpy_async(d, OP(run, 1), gone);
    if (asked == 12) gsim_prefetch_async(d, OP(run, 2), gone);
    if (asked == 13) gsim_stream_attach(d, 0, gone);
}

static const struct gsim_arg written = {.buffer_index = 0, .writes = true};
static const struct gsim_op moves[] = {
    {.kind = GSIM_OP_COPY,
     .copy_kind = GSIM_COPY_H2D,
     .args = &written,
     .arg_count = 1,
     .bytes = 1000000,
     .stream = -1},
    {.kind = GSIM_OP_PREFETCH, .args = &written, .arg_count = 1, .bytes = 1000000, .stream = -1}};

static void what_is_none(void)
{
    const struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler), .name = "fixture", .execute = ask_for_none};
    for (asked = 0; asked < 14; asked++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
        struct gsim_kernel k = fixture_kernel("k", 4, 256, 10);
        fixture_program(&f, &k, 1, moves, 2);
        const struct gsim_simulation s = {.program = &f.program,
                                          .device = &f.device,
                                          .scheduler = &scheduler,
                                          .memory = f.memory,
                                          .seed = 1,
                                          .detailed = true};
        CHECK_MSG(gsim_simulate(&s, &f.timeline, &f.error) == GSIM_SIM, "call %d is taken", asked);
        CHECK_HAS(f.error.message, asked < 5 ? "event 2 does not exist" : "stream 1 does not exist");
        CHECK_MSG(f.timeline.api_count == 3, "call %d: %zu records", asked, f.timeline.api_count);
        fixture_release(&f);
    }
}

ITERATION(capture_each)
{
    gsim_stream s = gsim_stream_create(d, 0);
    gsim_capture_begin(d, s);
    gsim_launch(d, OP(run, 0), s);
    gsim_memcpy_async(d, OP(run, 1), s);
    gsim_prefetch_async(d, OP(run, 2), s);
    (void)gsim_capture_end(d, s);
}

/* What is captured is a node, 1 us each, and nothing moves or runs. */
static void captured(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
    struct gsim_kernel k = fixture_kernel("k", 4, 256, 10);
    uint32_t nodes = 0;
    fixture_program(&f, &k, 1, moves, 2);
    fixture_run(&f, capture_each);
    for (size_t i = 0; i < f.timeline.api_count; i++) {
        const struct gsim_api_record *api = &f.timeline.apis[i];
        CHECK(api->api != GSIM_API_LAUNCH && api->api != GSIM_API_MEMCPY && api->api != GSIM_API_PREFETCH);
        if (api->api != GSIM_API_GRAPH_ADD) continue;
        nodes++;
        CHECK_NEAR(gsim_time_us(api->end - api->start), 1, 1e-5);
    }
    CHECK_INT(nodes, 3);
    CHECK_INT(f.timeline.kernel_count + f.timeline.copy_count, 0);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"what is none", what_is_none},
    {"captured", captured},
    {"the way to the next call", way_to_the_next_call},
    {"launch queue full", launch_queue_full},
    {"the driver is locked", driver_is_locked},
};
TEST_MAIN("sim/host/driver", cases)
