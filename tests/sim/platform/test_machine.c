/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hand-computed timelines, one rule of the machine each, on the device of machine_fixture.h. The comment of a
 * case is its expected timeline: L = launch call (2 us), then 1 us to the start.
 */
#include "tests/sim/machine_fixture.h"


static enum gsim_status finish(struct gsim_run *run)
{
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

static enum gsim_status launch_one(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_launch(run->driver, OP(run, 0), 0);
    return finish(run);
}

/* L 0-2, start 3, 4 blocks of 10 us on 4 SMs: end 13, synchronise returns 15. */
static void one_kernel_alone(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 4, 256, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, launch_one);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_NEAR(f.end_us, 15, 1e-5);
    fixture_release(&f);
}

/* 132 SMs: 132 blocks of 1024 threads with 48 KB registers fill one wave, 133 need two (2 us each). */
static void wave_quantisation(void)
{
    static const struct {
        uint32_t blocks;
        double end;
    } cases[] = {{1, 5}, {131, 5}, {132, 5}, {133, 7}, {264, 7}, {265, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int exact = 0; exact < 2; exact++) {
            struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED, .gpu.exact = exact};
            f.device.sm_count = 132;
            struct gsim_kernel k = fixture_kernel("k", cases[i].blocks, 1024, 2);
            k.regs_per_thread = 64;
            fixture_program(&f, &k, 1, NULL, 0);
            fixture_run(&f, launch_one);
            CHECK_KERNEL(&f, 0, 3, cases[i].end);
            fixture_release(&f);
        }
    }
}

static enum gsim_status launch_two_streams(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++)
        gsim_launch(run->driver, OP(run, i), gsim_stream_create(run->driver, 0));
    return finish(run);
}

/* A: L 0-2, 3-13. B: L 2-4, 5-15: both fit, neither slows the other. */
static void two_fit_together(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 4, 1024, 10), fixture_kernel("b", 4, 512, 10)};
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, launch_two_streams);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 5, 15);
    fixture_release(&f);
}

/* A fills half of each SM 3-13 (1024 threads). B (2 blocks per SM of 1024, 8 in all) gets the other half at 5;
 * its second half waits for A's end at 13. C needs only 256 threads: no room while B heads the queue (every
 * thread slot is taken 5-13). At 13 SMs free up one after the other: B's 4 left blocks, one to each SM, as each
 * has room for one; C follows at 15 (B's first wave). */
static void head_of_line(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[3] = {fixture_kernel("a", 4, 1024, 10), fixture_kernel("b", 8, 1024, 10),
                               fixture_kernel("c", 1, 256, 1)};
    fixture_program(&f, k, 3, NULL, 0);
    fixture_run(&f, launch_two_streams);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 5, 23);
    CHECK_KERNEL(&f, 2, 15, 16);
    fixture_release(&f);
}

/* B's blocks (2048 threads worth of registers) do not fit beside A; C would, but B is first in the queue. */
static void nothing_bypasses_the_head(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 1, 1024, 10),
                               fixture_kernel("c", 1, 32, 1)};
    k[1].regs_per_thread = 64; /* the whole register file */
    fixture_program(&f, k, 3, NULL, 0);
    fixture_run(&f, launch_two_streams);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 13, 23);
    CHECK_KERNEL(&f, 2, 13, 14); /* once B is placed */
    fixture_release(&f);
}

static enum gsim_status launch_priority(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_launch(run->driver, OP(run, 0), gsim_stream_create(run->driver, 0));
    gsim_launch(run->driver, OP(run, 1), gsim_stream_create(run->driver, -5));
    return finish(run);
}

/* A: three full waves of 10 us: 3-13, 13-23, 23-33. B, urgent, arrives at 5 and takes SM 0's slots at 13,
 * for one block of 10 us: not before, since no block is stopped. A's displaced 2 blocks go last. */
static void priority_mid_kernel(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 24, 1024, 10), fixture_kernel("b", 1, 1024, 10)};
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, launch_priority);
    CHECK_KERNEL(&f, 1, 13, 23);
    CHECK_KERNEL(&f, 0, 3, 43); /* 24 blocks in slots 8 + 7 + 8 + 1 */
    fixture_release(&f);
}

/* One grid at a time: what has begun goes on, though a more urgent kernel waits for its grid. */
static void urgent_without_a_grid(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 24, 1024, 10), fixture_kernel("b", 1, 1024, 10)};
    f.device.resident_grids = 1;
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, launch_priority);
    CHECK_KERNEL(&f, 0, 3, 33);
    CHECK_KERNEL(&f, 1, 33, 43);
    fixture_release(&f);
}

static const struct gsim_arg data_argument[1] = {{.buffer_index = 0, .reads = true}};
static const struct gsim_op copy_to_device = {.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = 1000000,
                                              .args = data_argument, .arg_count = 1, .stream = -1};
static const struct gsim_op copy_to_host = {.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .bytes = 1000000,
                                            .args = data_argument, .arg_count = 1, .stream = -1};

static enum gsim_status run_all_on_own_streams(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        gsim_stream s = gsim_stream_create(run->driver, 0);
        if (OP(run, i)->kind == GSIM_OP_KERNEL) gsim_launch(run->driver, OP(run, i), s);
        else gsim_memcpy_async(run->driver, OP(run, i), s);
    }
    return finish(run);
}

/* Kernel: L 0-2, 3-203. Copy call 2-3, 1 MB at 10 GB/s: 3-103. */
static void copy_beside_kernel(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 4, 256, 200);
    fixture_program(&f, &k, 1, &copy_to_device, 1);
    fixture_run(&f, run_all_on_own_streams);
    CHECK_KERNEL(&f, 0, 3, 203);
    CHECK_INT(f.timeline.copy_count, 1);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 3, 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].end), 103, 1e-4);
    fixture_release(&f);
}

/* Two copies one way share one engine: calls at 0-1 and 1-2; 1-101, then 101-201. */
static void two_copies_one_way(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_op copies[2] = {copy_to_device, copy_to_device};
    fixture_program(&f, NULL, 0, copies, 2);
    fixture_run(&f, run_all_on_own_streams);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].end), 101, 1e-4);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[1].start), 101, 1e-4);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[1].end), 201, 1e-4);
    fixture_release(&f);
}

/* Both ways share the bus (15 GB/s): to the device 1-..., alone for 1 us (10 kB), then 7.5 GB/s each.
 * First: 990 kB at 7.5 = 132 us: ends 134. Second: 990 kB by 134, the last 10 kB at 10 GB/s: ends 135. */
static void copies_both_ways(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_op copies[2] = {copy_to_device, copy_to_host};
    fixture_program(&f, NULL, 0, copies, 2);
    fixture_run(&f, run_all_on_own_streams);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].end), 134, 1e-4);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[1].end), 135, 1e-4);
    fixture_release(&f);
}

static enum gsim_status cross_stream(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_event e = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_stream_wait_event(d, b, e);
    gsim_launch(d, OP(run, 1), b);
    CHECK(!gsim_event_query(d, e));
    gsim_event_synchronize(d, e);
    CHECK(gsim_event_query(d, e));
    return finish(run);
}

/* A 3-13, its event at 13; B may start 1.5 later: 14.5-24.5. */
static void cross_stream_event(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 128, 10)};
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, cross_stream);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 14.5, 24.5);
    CHECK_INT(f.timeline.wait_count, 1);
    CHECK_INT(f.timeline.iterations[0].events_recorded, 1);
    CHECK_INT(f.timeline.iterations[0].stream_waits, 1);
    CHECK_INT(f.timeline.iterations[0].streams_used, 2);
    fixture_release(&f);
}

static enum gsim_status record_both(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_event_record(run->driver, gsim_event_create(run->driver, GSIM_EVENT_TIMING), 0);
    gsim_event_record(run->driver, gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING), 0);
    return finish(run);
}

/* Recording takes 0.5 us with timing and 0.25 without; creating is free here. */
static void event_flags(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 1, 32, 1);
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, record_both);
    double took_us[2] = {0};
    uint32_t records = 0;
    for (size_t i = 0; i < f.timeline.api_count; i++)
        if (f.timeline.apis[i].api == GSIM_API_EVENT_RECORD && records < 2)
            took_us[records++] = gsim_time_us(f.timeline.apis[i].end - f.timeline.apis[i].start);
    CHECK_INT(records, 2);
    CHECK_NEAR(took_us[0], 0.5, 1e-6);
    CHECK_NEAR(took_us[1], 0.25, 1e-6);
    fixture_release(&f);
}

static enum gsim_status same_stream_then_other(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), a);
    gsim_launch(d, OP(run, 1), a);
    gsim_launch(d, OP(run, 2), b);
    return finish(run);
}

/* A1 3-13, A2 in its stream 14-24, B on its own stream: 7-8 with 8 queues; with one queue it stands behind A2,
 * which waits for A1: 14-15. */
static void false_dependence(void)
{
    for (int queues = 1; queues <= 8; queues += 7) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.hw_queues = queues;
        struct gsim_kernel k[3] = {fixture_kernel("a1", 4, 256, 10), fixture_kernel("a2", 4, 512, 10),
                                   fixture_kernel("b", 1, 256, 1)};
        fixture_program(&f, k, 3, NULL, 0);
        fixture_run(&f, same_stream_then_other);
        CHECK_KERNEL(&f, 0, 3, 13);
        CHECK_KERNEL(&f, 1, 14, 24);
        CHECK_KERNEL(&f, 2, queues == 1 ? 14 : 7, queues == 1 ? 15 : 8);
        fixture_release(&f);
    }
}

static enum gsim_event_flags wait_flags;

static enum gsim_status wait_then_other(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0), c = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, wait_flags);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, event, a);
    gsim_stream_wait_event(d, b, event);
    gsim_launch(d, OP(run, 1), b);
    gsim_launch(d, OP(run, 2), c);
    return finish(run);
}

/* A 3-13, B waits for its event, C, launched last, needs neither. One queue: C stands behind B's wait. Two: behind A's
 * record, which holds it back only with timing. Eight: C has its own. */
static void waits_hold_a_queue(void)
{
    static const struct { int queues; enum gsim_event_flags flags; bool is_held;
    } variants[] = {{1, GSIM_EVENT_NO_TIMING, true},
                    {2, GSIM_EVENT_NO_TIMING, false},
                    {2, GSIM_EVENT_TIMING, true},
                    {8, GSIM_EVENT_TIMING, false}};
    for (size_t j = 0; j < sizeof variants / sizeof *variants; j++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.hw_queues = variants[j].queues;
        wait_flags = variants[j].flags;
        struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 512, 10),
                                   fixture_kernel("c", 1, 256, 1)};
        fixture_program(&f, k, 3, NULL, 0);
        fixture_run(&f, wait_then_other);
        CHECK_KERNEL(&f, 0, 3, 13);
        for (size_t i = 0; i < f.timeline.kernel_count; i++) {
            const struct gsim_kernel_record *r = &f.timeline.kernels[i];
            double start = gsim_time_us(r->start);
            if (r->op == 1) CHECK_MSG(start >= 13, "b starts at %.2f us", start);
            if (r->op == 2)
                CHECK_MSG(variants[j].is_held ? start >= 13 : start < 10, "case %zu: c starts at %.2f us", j, start);
        }
        fixture_release(&f);
    }
}

/* N streams at work in one of the four patterns of the recording, behind a gate of 2,500 us; one more gets a kernel. */
static int busy_streams, busy_pattern;

static enum gsim_status one_more_stream(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream gate = gsim_stream_create(d, 0);
    gsim_event open = gsim_event_create(d, GSIM_EVENT_NO_TIMING), made = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_launch(d, OP(run, 0), gate);
    gsim_event_record(d, open, gate);
    for (int i = 0; i < busy_streams; i++) {
        gsim_stream s = gsim_stream_create(d, 0);
        if (busy_pattern == 2) gsim_stream_wait_event(d, s, open);
        gsim_launch(d, OP(run, 1), s);
        if (busy_pattern == 1) gsim_stream_wait_event(d, s, open);
        for (int r = 0; r < 2 && busy_pattern == 3; r++) {
            gsim_event_record(d, made, s);
            if (!r) gsim_launch(d, OP(run, 1), s);
        }
        if (busy_pattern < 2) gsim_launch(d, OP(run, 1), s);
    }
    gsim_launch(d, OP(run, 2), gsim_stream_create(d, 0));
    return finish(run);
}

/* H200, traces/h200/vm/order.json.gz: when the last stream's kernel starts, in us, within 150 us. */
static void eight_queues(void)
{
    static const struct { int pattern, streams; double start; } measured[] = {
        {0, 7, 78}, {0, 8, 509}, {0, 15, 580}, {0, 16, 1014}, {1, 7, 73}, {1, 8, 2508}, {1, 16, 3007},
        {2, 7, 66}, {2, 8, 2503}, {2, 16, 2505}, {3, 7, 87}, {3, 8, 510}, {3, 16, 1012}};
    for (size_t j = 0; j < sizeof measured / sizeof *measured; j++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        f.device.sm_count = 132;
        f.device.launch_us = 4;
        struct gsim_kernel k[3] = {fixture_kernel("gate", 1, 32, 2500), fixture_kernel("busy", 1, 32, 500),
                                   fixture_kernel("last", 1, 32, 1)};
        busy_streams = measured[j].streams;
        busy_pattern = measured[j].pattern;
        fixture_program(&f, k, 3, NULL, 0);
        fixture_run(&f, one_more_stream);
        for (size_t i = 0; i < f.timeline.kernel_count; i++) {
            const struct gsim_kernel_record *r = &f.timeline.kernels[i];
            if (r->op != 2) continue;
            CHECK_MSG(fabs(gsim_time_us(r->start) - measured[j].start) < 150,
                      "pattern %d, %d streams: %.0f us instead of %.0f", busy_pattern, busy_streams,
                      gsim_time_us(r->start), measured[j].start);
        }
        fixture_release(&f);
    }
}

static enum gsim_status relaunch(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_stream s = gsim_stream_create(d, 0);
    gsim_iteration_begin(d, 0);
    gsim_graph g = gsim_graph_create(d);
    gsim_graph_node a = gsim_graph_add(d, g, OP(run, 0), NULL, 0);
    gsim_graph_node b = gsim_graph_add(d, g, OP(run, 1), &a, 1), c = gsim_graph_add(d, g, OP(run, 2), &a, 1);
    (void)b;
    (void)c;
    gsim_graph_exec x = gsim_graph_instantiate(d, g);
    for (uint32_t i = 0; i < 2; i++) {
        if (i) gsim_iteration_begin(d, i);
        gsim_graph_launch(d, x, s);
        gsim_stream_synchronize(d, s);
        gsim_iteration_end(d, i);
    }
    return GSIM_OK;
}

/* add 1+1+1 (edges free here), instantiate 13, launch 3: returns 19; root starts 21-31; b and c 0.5 later, the
 * second one dispatch step behind: 31.5-41.5 and 31.75-41.75; synchronise returns 43.75.
 * Relaunch at 43.75: returns 46.75, root 48.75-58.75, b 59.25, c 59.5-69.5, returns 71.5. Where L2 is small (it holds 8
 * bytes) and a touches 16, all of that is graph_cold later: 72.25. */
static void graph_relaunch(double l2_mib, double end_us)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 128, 10),
                               fixture_kernel("c", 4, 64, 10)};
    k[0].dram_bytes = 16;
    f.device.l2_mib = l2_mib;
    f.device.graph_cold_us = 0.75;
    fixture_program(&f, k, 3, NULL, 0);
    fixture_run(&f, relaunch);
    CHECK_KERNEL(&f, 0, 21, 31);
    CHECK_KERNEL(&f, 1, 31.5, 41.5);
    CHECK_KERNEL(&f, 2, 31.75, 41.75);
    CHECK_NEAR(gsim_time_us(f.timeline.iterations[0].end), 43.75, 1e-5);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 2, 1)->end), end_us - 2, 1e-5);
    CHECK_NEAR(f.end_us, end_us, 1e-5);
    fixture_release(&f);
}

static void graph_relaunches(void) { graph_relaunch(1, 71.5), graph_relaunch(1e-5, 72.25); }

static enum gsim_status default_stream_barrier(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream s = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), s);
    gsim_launch(d, OP(run, 1), 0);
    gsim_launch(d, OP(run, 2), s);
    return finish(run);
}

/* A on a stream 3-13; B on the legacy default stream waits for it: 13-23; C on the stream waits for B: 23-33. */
static void legacy_default_stream(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[3] = {fixture_kernel("a", 1, 256, 10), fixture_kernel("b", 1, 128, 10),
                               fixture_kernel("c", 1, 64, 10)};
    fixture_program(&f, k, 3, NULL, 0);
    fixture_run(&f, default_stream_barrier);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 13, 23);
    CHECK_KERNEL(&f, 2, 23, 33);
    fixture_release(&f);
}

struct consumer {
    gsim_queue queue;
    gsim_lock lock;
    const struct gsim_op *op;
};

static void consume(struct gsim_driver *d, void *argument)
{
    struct consumer *c = argument;
    gsim_stream s = gsim_stream_create(d, 0);
    while (gsim_queue_pop(d, c->queue)) {
        gsim_lock_acquire(d, c->lock);
        gsim_launch(d, c->op, s);
        gsim_lock_release(d, c->lock);
        gsim_stream_synchronize(d, s);
    }
}

static enum gsim_status two_consumers(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    struct consumer c = {gsim_queue_create(d, 4), gsim_lock_create(d), OP(run, 0)};
    gsim_thread a = gsim_thread_create(d, consume, &c), b = gsim_thread_create(d, consume, &c);
    for (int i = 0; i < 6; i++) gsim_queue_push(d, c.queue, &c);
    gsim_queue_push(d, c.queue, NULL);
    gsim_queue_push(d, c.queue, NULL);
    gsim_thread_join(d, a);
    gsim_thread_join(d, b);
    return finish(run);
}

/* Two threads started at 5 and 10 share six kernels of 10 us; each waits for its own before the next. The exact
 * interleaving is the lock's; all must run, two at a time, in about three rounds of launch, run and synchronise. */
static void host_threads(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    fixture_run(&f, two_consumers);
    CHECK_INT(f.timeline.kernel_count, 6);
    CHECK_NEAR(f.end_us, 10 + 3 * 15.4, 8);
    fixture_release(&f);
}

static enum gsim_status wait_forever(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_queue_pop(run->driver, gsim_queue_create(run->driver, 1));
    return finish(run);
}

static void deadlock_is_reported(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = wait_forever};
    struct gsim_simulation s = {.program = &f.program, .device = &f.device, .scheduler = &scheduler};
    CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_SIM);
    CHECK_HAS(f.error.message, "deadlock");
    fixture_release(&f);
}

static enum gsim_status use_managed(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    if (run->prefetch) gsim_prefetch_async(d, OP(run, 1), 0);
    gsim_launch(d, OP(run, 0), 0);
    return finish(run);
}

/* 1 MB by faults, 2 MB in 764.288 us (6 rounds): the kernel runs from 3 and its 10 us hide in the 364.440. */
static void managed_faults(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
    struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
    struct gsim_builder *b = gsim_builder_create("managed");
    gsim_builder_buffer(b, "data", 1000000, GSIM_INIT_HOST);
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .args = data_argument,
                         .arg_count = 1, .stream = -1};
    gsim_builder_op(b, &op);
    CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
    fixture_run(&f, use_managed);
    const struct gsim_kernel_record *k0 = fixture_record(&f, 0, 0);
    CHECK_NEAR(gsim_time_us(k0->start), 3, 1e-5);
    CHECK_NEAR(gsim_time_us(k0->end), 367.440, 2e-3);
    CHECK_INT(f.timeline.copies[0].reason, GSIM_REASON_FAULT);
    CHECK_INT(f.timeline.copies[0].bytes, 1000000);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"one kernel alone", one_kernel_alone},
    {"two kernels that fit together", two_fit_together},
    {"wave quantisation, 132 against 133 blocks", wave_quantisation},
    {"head-of-line blocking", head_of_line},
    {"nothing bypasses the head of the queue", nothing_bypasses_the_head},
    {"a priority arriving mid-kernel", priority_mid_kernel},
    {"an urgent kernel without a grid", urgent_without_a_grid},
    {"a copy beside a kernel", copy_beside_kernel},
    {"two copies one way", two_copies_one_way},
    {"copies both ways share the bus", copies_both_ways},
    {"cross-stream event", cross_stream_event},
    {"events with and without timing", event_flags},
    {"false dependence with one hardware queue", false_dependence},
    {"a wait holds a queue", waits_hold_a_queue},
    {"eight queues", eight_queues},
    {"graph relaunch", graph_relaunches},
    {"legacy default stream", legacy_default_stream},
    {"host threads, lock and queue", host_threads},
    {"deadlock is reported", deadlock_is_reported},
    {"managed memory by faults", managed_faults},
};
TEST_MAIN("sim/machine", cases)
