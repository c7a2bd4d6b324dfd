/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hand-computed timelines of what lies between two pieces of work: records with timing, changes between SMs and copy
 * engines, small copies, a graph's roots. The device and its costs: machine_fixture.h; L = launch call (2 us).
 */
#include "tests/sim/machine_fixture.h"


static const struct gsim_arg data_argument[1] = {{.buffer_index = 0, .reads = true}};
static struct gsim_op copy_of(uint64_t bytes)
{
    return (struct gsim_op){.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = bytes, .args = data_argument,
                            .arg_count = 1, .stream = -1};
}

static enum gsim_status finish(struct gsim_run *run)
{
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* A, then as many records as the test wants, then B behind A; C on another stream waits for the first record. */
static enum gsim_event_flags flags;
static int records;
static enum gsim_status record_between(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0), other = gsim_stream_create(d, 0);
    gsim_event first = 0;
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_launch(d, OP(run, 0), s);
    for (int i = 0; i < records; i++) {
        gsim_event event = gsim_event_create(d, flags);
        gsim_event_record(d, event, s);
        if (!first) first = event;
    }
    gsim_stream_wait_event(d, other, first);
    gsim_launch(d, OP(run, 1), s);
    gsim_launch(d, OP(run, 2), other);
    return finish(run);
}

/* A: L 0-2, 3-13. Without timing a record takes nothing: B after stream_gap at 14, C after event_gap at 14.5. With it,
 * 1.5 us: 15.5 and 16. Two in a row, for the first of which a stream waits: 3 x 1.5, so 18.5 and 19. */
static void records_with_timing(void)
{
    static const struct { enum gsim_event_flags flags; int records; double same, other; } cases[] = {
        {GSIM_EVENT_NO_TIMING, 1, 14, 14.5}, {GSIM_EVENT_NO_TIMING, 2, 14, 14.5},
        {GSIM_EVENT_TIMING, 1, 15.5, 16}, {GSIM_EVENT_TIMING, 2, 18.5, 19}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.timed_record_us = 1.5;
        flags = cases[i].flags;
        records = cases[i].records;
        struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 128, 10),
                                   fixture_kernel("c", 4, 64, 10)};
        fixture_program(&f, k, 3, NULL, 0);
        fixture_run(&f, record_between);
        CHECK_KERNEL(&f, 0, 3, 13);
        CHECK_KERNEL(&f, 1, cases[i].same, cases[i].same + 10);
        CHECK_KERNEL(&f, 2, cases[i].other, cases[i].other + 10);
        fixture_release(&f);
    }
}

/* OTHERS streams with a long kernel and one behind it; A, a record where FLAGS say one, B behind A; then WAITERS
 * streams that wait for the record. Ops: A, B, a long one, a short one, what the waiters run. */
static int others, waiters;
static bool has_record;
static enum gsim_status turns(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, flags);
    (void)error;
    gsim_iteration_begin(d, 0);
    for (int i = 0; i < others; i++) {
        gsim_stream other = gsim_stream_create(d, 0);
        gsim_launch(d, OP(run, 2), other);
        gsim_launch(d, OP(run, 3), other);
    }
    gsim_launch(d, OP(run, 0), s);
    if (has_record) gsim_event_record(d, event, s);
    gsim_launch(d, OP(run, 1), s);
    for (int i = 0; i < waiters; i++) {
        gsim_stream waiter = gsim_stream_create(d, 0);
        gsim_stream_wait_event(d, waiter, event);
        gsim_launch(d, OP(run, 4 + i), waiter);
    }
    return finish(run);
}

/* From A's end: stream_gap 1 or event_gap 1.5, a record with timing 1.5, a turn 2 where two others are looked at, for B
 * half of it where one is. Where two wait, B's turn comes first, the others' 1 and 2 later; behind a record with timing
 * its own turn comes before it, and B's behind it is nobody's but its own. */
static void front_end_turns(void)
{
    static const struct {
        int others, waiters;
        bool has_record;
        enum gsim_event_flags flags;
        double b, first, second;
    } cases[] = {
        {0, 0, false, GSIM_EVENT_NO_TIMING, 1, 0, 0},    {1, 0, false, GSIM_EVENT_NO_TIMING, 2, 0, 0},
        {2, 0, false, GSIM_EVENT_NO_TIMING, 3, 0, 0},    {1, 0, true, GSIM_EVENT_TIMING, 2.5, 0, 0},
        {2, 0, true, GSIM_EVENT_TIMING, 6.5, 0, 0},      {0, 1, true, GSIM_EVENT_TIMING, 2.5, 3, 0},
        {0, 2, true, GSIM_EVENT_NO_TIMING, 3, 4.5, 5.5}, {0, 2, true, GSIM_EVENT_TIMING, 6.5, 7, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.timed_record_us = 1.5;
        f.device.busy_gap_us = 2;
        others = cases[i].others;
        waiters = cases[i].waiters;
        has_record = cases[i].has_record;
        flags = cases[i].flags;
        struct gsim_kernel k[6] = {fixture_kernel("a", 1, 32, 100),    fixture_kernel("b", 1, 32, 50),
                                   fixture_kernel("long", 1, 32, 500), fixture_kernel("short", 1, 32, 1),
                                   fixture_kernel("c", 1, 32, 50),     fixture_kernel("d", 1, 32, 50)};
        fixture_program(&f, k, 6, NULL, 0);
        fixture_run(&f, turns);
        double start[6] = {0}, a_end = 0;
        for (size_t j = 0; j < f.timeline.kernel_count; j++) {
            const struct gsim_kernel_record *record = &f.timeline.kernels[j];
            start[record->op] = gsim_time_us(record->start);
            if (record->op == 0) a_end = gsim_time_us(record->end);
        }
        CHECK_MSG(fabs(start[1] - a_end - cases[i].b) < 1e-5, "case %zu: B %g, expected %g", i, start[1] - a_end,
                  cases[i].b);
        const double expected[2] = {cases[i].first, cases[i].second};
        for (int j = 0; j < waiters; j++)
            CHECK_MSG(fabs(start[4 + j] - a_end - expected[j]) < 1e-5, "case %zu: waiter %d %g, expected %g", i, j,
                      start[4 + j] - a_end, expected[j]);
        fixture_release(&f);
    }
}

/* Three streams, created one after the other: PLACES says which of them has the long kernel, which a short one, and
 * which another short one and behind it what waits for all. */
static int places[3];
static enum gsim_status acquires(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream streams[3];
    gsim_event events[2];
    (void)error;
    for (int i = 0; i < 3; i++) streams[i] = gsim_stream_create(d, 0);
    gsim_iteration_begin(d, 0);
    for (int i = 0; i < 3; i++) {
        gsim_launch(d, OP(run, i), streams[places[i]]);
        if (i == 2) break;
        events[i] = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
        gsim_event_record(d, events[i], streams[places[i]]);
    }
    for (int i = 0; i < 2; i++) gsim_stream_wait_event(d, streams[places[2]], events[i]);
    gsim_launch(d, OP(run, 3), streams[places[2]]);
    return finish(run);
}

/* From the long kernel's end: event_gap 1.5, 0.4 for each stream created after that kernel's, 0.8 more for each where
 * the kernel has written more than L2 holds. */
static void streams_are_looked_at_in_order(void)
{
    static const struct { int places[3]; uint64_t bytes; double gap;
    } cases[] = {
        {{2, 0, 1}, 0, 1.5}, {{2, 1, 0}, 0, 1.5},       {{1, 0, 2}, 0, 1.9},       {{1, 2, 0}, 0, 1.9},
        {{0, 1, 2}, 0, 2.3}, {{0, 1, 2}, 1000000, 3.9}, {{2, 0, 1}, 1000000, 1.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.acquire_us = 0.4;
        f.device.acquire_cold_us = 0.8;
        f.device.l2_mib = 1;
        memcpy(places, cases[i].places, sizeof places);
        struct gsim_kernel k[4] = {fixture_kernel("long", 1, 32, 500), fixture_kernel("short", 1, 32, 50),
                                   fixture_kernel("own", 1, 64, 50), fixture_kernel("b", 1, 96, 10)};
        k[0].dram_bytes = (double)cases[i].bytes;
        fixture_program(&f, k, 4, NULL, 0);
        fixture_run(&f, acquires);
        double start = 0, end = 0;
        for (size_t j = 0; j < f.timeline.kernel_count; j++) {
            if (f.timeline.kernels[j].op == 3) start = gsim_time_us(f.timeline.kernels[j].start);
            if (f.timeline.kernels[j].op == 0) end = gsim_time_us(f.timeline.kernels[j].end);
        }
        CHECK_MSG(fabs(start - end - cases[i].gap) < 1e-5, "case %zu: %g, expected %g", i, start - end, cases[i].gap);
        fixture_release(&f);
    }
}

/* The host learns of a record with timing when that has been made: A ends at 13, the record at 14.5; a query at 13.5
 * finds it pending, and the synchronise returns 2 us after it. */
static bool was_complete;
static enum gsim_status query_record(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_launch(d, OP(run, 0), 0);
    gsim_event event = gsim_event_create(d, GSIM_EVENT_TIMING);
    gsim_event_record(d, event, 0); /* 2-2.5 */
    gsim_host_work(d, 11, "waiting"); /* to 13.5 */
    was_complete = gsim_event_query(d, event); /* to 14 */
    gsim_event_synchronize(d, event);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

static void host_and_timed_record(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.timed_record_us = 1.5;
    struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, query_record);
    CHECK(!was_complete);
    CHECK_NEAR(f.end_us, 16.5, 1e-5);
    fixture_release(&f);
}

/* Kernel, copy, kernel in one stream. */
static enum gsim_status copy_between(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream s = gsim_stream_create(run->driver, 0);
    gsim_launch(run->driver, OP(run, 0), s);
    gsim_memcpy_async(run->driver, OP(run, 2), s);
    gsim_launch(run->driver, OP(run, 1), s);
    return finish(run);
}

/* A: 3-13. The copy begins 1 + 3 later, 17-117 at 10 GB/s, B 1 + 2 after it. Up to 1024 bytes go with the commands: no
 * engine, 14-14.5, B at 15.5. */
static void engines_change(void)
{
    static const struct {
        uint64_t bytes;
        double start, end, next;
    } cases[] = {{1000000, 17, 117, 120}, {1024, 14, 14.5, 15.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.kernel_to_copy_us = 3;
        f.device.copy_to_kernel_us = 2;
        f.device.inline_copy_bytes = 1024;
        f.device.inline_copy_us = 0.5;
        struct gsim_kernel k[2] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 128, 10)};
        struct gsim_op copy = copy_of(cases[i].bytes);
        fixture_program(&f, k, 2, &copy, 1);
        fixture_run(&f, copy_between);
        CHECK_KERNEL(&f, 0, 3, 13);
        CHECK_INT(f.timeline.copy_count, 1);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), cases[i].start, 1e-5);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[0].end), cases[i].end, 1e-4);
        CHECK_KERNEL(&f, 1, cases[i].next, cases[i].next + 10);
        fixture_release(&f);
    }
}

/* Copies to the device in a row in one stream, or each in its own, with a timed record behind each where wanted. */
static bool is_across;
static enum gsim_status copies_in_a_row(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s[3] = {gsim_stream_create(d, 0), gsim_stream_create(d, 0), gsim_stream_create(d, 0)};
    (void)error;
    gsim_iteration_begin(d, 0);
    for (int i = 0; i < 3; i++) {
        gsim_memcpy_async(d, OP(run, i + 1), s[is_across ? i : 0]);
        for (int r = 0; r < records; r++)
            gsim_event_record(d, gsim_event_create(d, GSIM_EVENT_TIMING), s[is_across ? i : 0]);
    }
    return finish(run);
}

/* 100 us each at 10 GB/s. The first begins 0.5 after its call, at 1.5; those behind it in the stream 0.25 after its
 * end; in others when the engine has turned to them, 0.75. Records take 1.5 us, of the stream and of the engine. */
static void copies_one_after_the_other(void)
{
    static const struct { bool is_across; int records; double second, third; } cases[] = {
        {false, 0, 101.75, 202}, {false, 1, 103.25, 205}, {true, 0, 102.25, 203}, {true, 1, 103.75, 206}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.copy_start_us = 0.5;
        f.device.copy_gap_us = 0.25;
        f.device.copy_switch_us = 0.75;
        f.device.timed_record_us = 1.5;
        is_across = cases[i].is_across;
        records = cases[i].records;
        struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
        struct gsim_op copies[3] = {copy_of(1000000), copy_of(1000000), copy_of(1000000)};
        fixture_program(&f, &k, 1, copies, 3);
        fixture_run(&f, copies_in_a_row);
        CHECK_INT(f.timeline.copy_count, 3);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 1.5, 1e-5);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[1].start), cases[i].second, 2e-3);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[2].start), cases[i].third, 2e-3);
        fixture_release(&f);
    }
}

/* Units that look for each other once in 8 us. Copies arrive 0.5 after their call: at 3.5 behind A's launch, and would
 * look at 4.5 first; kernels look on arrival, 3 us after their launch began. A: 3-14; the copy looks at 4.5, 12.5, 20.5
 * and goes on; B, which arrived at 6, looks at 22, 30, ... and starts 2 after. A that ends at 13 is seen at 12.5 in 0.2
 * of 1.4 cases: on average at 19.357. */
static void units_look_now_and_then(void)
{
    static const struct { uint64_t bytes; double a, start, b; } cases[] = {
        {5000, 11, 20.5, 24}, {50000, 11, 20.5, 32}, {5000, 3, 12.5, 16}, {10000, 10, 4.5 + 8 + 8 * 1.2 / 1.4, 24}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.engine_poll_us = 8;
        f.device.copy_start_us = 0.5;
        f.device.kernel_to_copy_us = 1;
        f.device.copy_to_kernel_us = 2;
        struct gsim_kernel k[2] = {fixture_kernel("a", 4, 256, cases[i].a), fixture_kernel("b", 4, 128, 10)};
        struct gsim_op copy = copy_of(cases[i].bytes);
        fixture_program(&f, k, 2, &copy, 1);
        fixture_run(&f, copy_between);
        CHECK_KERNEL(&f, 0, 3, 3 + cases[i].a);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), cases[i].start, 1e-5);
        CHECK_KERNEL(&f, 1, cases[i].b, cases[i].b + 10);
        fixture_release(&f);
    }
}

/* A kernel that waits for the event behind a copy in another stream. */
static enum gsim_status copy_in_another(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0), other = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_memcpy_async(d, OP(run, 1), s);
    gsim_event_record(d, event, s);
    gsim_stream_wait_event(d, other, event);
    gsim_launch(d, OP(run, 0), other);
    return finish(run);
}

/* Pinned: the copy begins 0.5 behind its call, 1.5-11.5. Launched at 1.75-3.75, the kernel arrives at 4.75, looks
 * at 12.75 and starts 2 later. Pageable memory, half as fast, is staged by the copy's call, which returns at its end:
 * 1-21, without the 0.5. The kernel, launched at 21.75-23.75, finds it done. */
static void looks_across_streams(void)
{
    static const struct { enum gsim_memory_mode memory; double copy, kernel; } cases[] = {
        {GSIM_MEMORY_PINNED, 1.5, 14.75}, {GSIM_MEMORY_PAGEABLE, 1, 24.75}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = cases[i].memory};
        f.device.engine_poll_us = 8;
        f.device.copy_start_us = 0.5;
        f.device.copy_to_kernel_us = 2;
        struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
        struct gsim_op copy = copy_of(100000);
        fixture_program(&f, &k, 1, &copy, 1);
        fixture_run(&f, copy_in_another);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), cases[i].copy, 1e-5);
        CHECK_KERNEL(&f, 0, cases[i].kernel, cases[i].kernel + 10);
        fixture_release(&f);
    }
}

/* A behind a copy, C behind B. */
static enum gsim_status launch_copy_beside(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_graph g = gsim_graph_create(d);
    gsim_graph_node copy = gsim_graph_add(d, g, OP(run, 3), NULL, 0);
    gsim_graph_node b = gsim_graph_add(d, g, OP(run, 1), NULL, 0);
    gsim_graph_add(d, g, OP(run, 0), &copy, 1);
    gsim_graph_add(d, g, OP(run, 2), &b, 1);
    gsim_graph_launch(d, gsim_graph_instantiate(d, g), s);
    return finish(run);
}

/* The launch returns at 21, the copy takes 23-28, B 23.25-29.25. A's unit looks at 31, A starts at 33. That it waits
 * holds back no other: C starts 0.5 behind B. */
static void nodes_look_alone(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.engine_poll_us = 8;
    f.device.copy_to_kernel_us = 2;
    struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 128, 6),
                               fixture_kernel("c", 4, 64, 10)};
    struct gsim_op copy = copy_of(50000);
    fixture_program(&f, k, 3, &copy, 1);
    fixture_run(&f, launch_copy_beside);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 23, 1e-5);
    CHECK_KERNEL(&f, 1, 23.25, 29.25);
    CHECK_KERNEL(&f, 0, 33, 43);
    CHECK_KERNEL(&f, 2, 29.75, 39.75);
    fixture_release(&f);
}

static enum gsim_status launch_copy_behind(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_graph g = gsim_graph_create(d);
    gsim_graph_node a = gsim_graph_add(d, g, OP(run, 0), NULL, 0);
    gsim_graph_add(d, g, OP(run, 1), &a, 1);
    gsim_graph_launch(d, gsim_graph_instantiate(d, g), s);
    return finish(run);
}

/* A copy to the host looks 8 and 16 behind the graph's start for a kernel of 10; the host stages one to pageable memory
 * a node's gap of 0.5 behind it. */
static void host_stages_a_node(void)
{
    for (int is_pageable = 0; is_pageable < 2; is_pageable++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.engine_poll_us = 8;
        f.device.kernel_to_copy_us = 0;
        struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
        struct gsim_op copy = copy_of(50000);
        copy.copy_kind = GSIM_COPY_D2H;
        copy.copy_memory = is_pageable ? GSIM_COPY_MEMORY_PAGEABLE : GSIM_COPY_MEMORY_PINNED;
        fixture_program(&f, &k, 1, &copy, 1);
        fixture_run(&f, launch_copy_behind);
        gsim_time behind = f.timeline.copies[0].start - fixture_record(&f, 0, 0)->end;
        CHECK_NEAR(gsim_time_us(behind), is_pageable ? 0.5 : 6, 1e-5);
        fixture_release(&f);
    }
}

/* Roots a and d; b and c fork behind a, g follows d; e joins b and d, f joins e and c, h joins g and e. */
static enum gsim_status launch_roots(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *driver = run->driver;
    gsim_stream s = gsim_stream_create(driver, 0);
    (void)error;
    gsim_iteration_begin(driver, 0);
    gsim_graph graph = gsim_graph_create(driver);
    gsim_graph_node a = gsim_graph_add(driver, graph, OP(run, 0), NULL, 0),
                    b = gsim_graph_add(driver, graph, OP(run, 1), &a, 1);
    gsim_graph_node c = gsim_graph_add(driver, graph, OP(run, 2), &a, 1),
                    d = gsim_graph_add(driver, graph, OP(run, 3), NULL, 0);
    gsim_graph_node e = gsim_graph_add(driver, graph, OP(run, 4), (gsim_graph_node[]){b, d}, 2);
    gsim_graph_add(driver, graph, OP(run, 5), (gsim_graph_node[]){e, c}, 2);
    gsim_graph_node g = gsim_graph_add(driver, graph, OP(run, 6), &d, 1);
    gsim_graph_add(driver, graph, OP(run, 7), (gsim_graph_node[]){g, e}, 2);
    gsim_graph_launch(driver, gsim_graph_instantiate(driver, graph), s);
    return finish(run);
}

/* add 8, instantiate 18, launch 3: returns 29. a starts at 31, d, the second root, 2 us behind. b, c, g follow their
 * roots' channels (0.5). e, behind both, waits for the other's (3) and is in d's, the later one; f, behind e and c,
 * too; h is where g and e are. */
static void roots_one_after_the_other(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.graph_branch_us = 2;
    f.device.graph_cross_gap_us = 3;
    f.device.graph_dispatch_us = 0;
    static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct gsim_kernel k[8];
    for (int i = 0; i < 8; i++) k[i] = fixture_kernel(names[i], 4, 32, 10);
    fixture_program(&f, k, 8, NULL, 0);
    fixture_run(&f, launch_roots);
    CHECK_KERNEL(&f, 0, 31, 41);
    CHECK_KERNEL(&f, 3, 33, 43);
    CHECK_KERNEL(&f, 1, 41.5, 51.5);
    CHECK_KERNEL(&f, 2, 41.5, 51.5);
    CHECK_KERNEL(&f, 6, 43.5, 53.5);
    CHECK_KERNEL(&f, 4, 54.5, 64.5);
    CHECK_KERNEL(&f, 5, 67.5, 77.5);
    CHECK_KERNEL(&f, 7, 65, 75);
    fixture_release(&f);
}

/* One lane of two copies, another of one. */
static enum gsim_status launch_copy_lanes(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_graph g = gsim_graph_create(d);
    gsim_graph_node first = gsim_graph_add(d, g, OP(run, 1), NULL, 0);
    gsim_graph_add(d, g, OP(run, 2), NULL, 0);
    gsim_graph_add(d, g, OP(run, 3), &first, 1);
    gsim_graph_launch(d, gsim_graph_instantiate(d, g), s);
    return finish(run);
}

/* The copies (30, 20, 10 us) of the first lane come first, copy_gap apart, though the other's is there before its
 * second: 30 after the first's start, 31 to 41, then 41 to 61. */
static void copies_of_a_lane_together(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.engine_poll_us = 8;
    struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
    struct gsim_op copies[3] = {copy_of(300000), copy_of(200000), copy_of(100000)};
    fixture_program(&f, &k, 1, copies, 3);
    fixture_run(&f, launch_copy_lanes);
    CHECK_INT(f.timeline.copy_count, 3);
    double first = gsim_time_us(f.timeline.copies[0].start);
    static const struct { uint32_t op; double start, end; } expected[] = {{1, 0, 30}, {3, 31, 41}, {2, 41, 61}};
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(f.timeline.copies[i].op, expected[i].op);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[i].start) - first, expected[i].start, 1e-5);
        CHECK_NEAR(gsim_time_us(f.timeline.copies[i].end) - first, expected[i].end, 1e-5);
    }
    fixture_release(&f);
}

static enum gsim_status launch_graph_twice(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_launch(d, OP(run, 0), s);
    gsim_stream_synchronize(d, s);
    gsim_graph g = gsim_graph_create(d);
    gsim_graph_add(d, g, OP(run, 1), NULL, 0);
    gsim_graph_exec exec = gsim_graph_instantiate(d, g);
    gsim_graph_launch(d, exec, s);
    gsim_stream_synchronize(d, s);
    gsim_iteration_end(d, 0);
    gsim_iteration_begin(d, 1);
    gsim_graph_launch(d, exec, s);
    gsim_device_synchronize(d);
    gsim_iteration_end(d, 1);
    return GSIM_OK;
}

/* a, at 3 to 13, touches 16 bytes where L2 holds 8; the synchronise returns at 15, the graph is there at 27. Its first
 * launch (30) finds its commands in memory: b starts at 32.75 in place of 32. Since then b has touched nothing: the
 * second starts at 47.75 + 2. */
static void a_graph_displaced_once(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 4, 32, 10), fixture_kernel("b", 4, 64, 10)};
    f.device.l2_mib = 1e-5;
    f.device.graph_cold_us = 0.75;
    k[0].dram_bytes = 16;
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, launch_graph_twice);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 1, 0)->start), 32.75, 1e-4);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 1, 1)->start), 49.75, 1e-4);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"records with timing", records_with_timing},
    {"the front end turns", front_end_turns},
    {"streams are looked at in the order of their creation", streams_are_looked_at_in_order},
    {"the host and a record with timing", host_and_timed_record},
    {"changes between SMs and copy engines", engines_change},
    {"copies in a row", copies_one_after_the_other},
    {"units look for each other now and then", units_look_now_and_then},
    {"a stream looks for another's copy", looks_across_streams},
    {"a graph's nodes look each for itself", nodes_look_alone},
    {"the host stages a node that copies to it", host_stages_a_node},
    {"a graph's roots one after the other", roots_one_after_the_other},
    {"copies of a lane together", copies_of_a_lane_together},
    {"a graph that other data displaces once", a_graph_displaced_once},
};
TEST_MAIN("sim/front", cases)
