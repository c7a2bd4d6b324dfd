/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two GPUs, hand-computed on the device of machine_fixture.h: L = launch call (2 us), then 1 us to the start; copies'
 * calls take 1 us, links to the host 10 GB/s, between the GPUs 20 GB/s after 3 us, and an event of the other GPU is
 * seen 2 us later than one's own.
 */
#include "sim/platform/node.h"
#include "tests/sim/machine_fixture.h"

static double seen[4];

static const struct gsim_arg data[1] = {{.buffer_index = 0, .reads = true, .writes = true}};
static const struct gsim_op there = {.kind = GSIM_OP_COPY,
                                     .copy_kind = GSIM_COPY_P2P,
                                     .to_device = 1,
                                     .bytes = 1000000,
                                     .args = data,
                                     .arg_count = 1,
                                     .stream = -1};
static const struct gsim_op back = {.kind = GSIM_OP_COPY,
                                    .copy_kind = GSIM_COPY_P2P,
                                    .device = 1,
                                    .bytes = 1000000,
                                    .args = data,
                                    .arg_count = 1,
                                    .stream = -1};
static const struct gsim_op from_host = {
    .kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = 1000000, .args = data, .arg_count = 1, .stream = -1};

static struct gsim_device_spec two_gpu_device(void)
{
    struct gsim_device_spec device = fixture_device();
    device.peer_gbps = 20;
    device.peer_latency_us = 3;
    device.peer_event_us = 2;
    return device;
}

static enum gsim_status simulate(struct fixture *f, uint32_t gpus, const struct gsim_scheduler_ops *scheduler)
{
    struct gsim_simulation s = {.program = &f->program,
                                .device = &f->device,
                                .scheduler = scheduler,
                                .gpu_count = gpus,
                                .gpu.check = true,
                                .memory = f->memory,
                                .seed = 1,
                                .detailed = true};
    return gsim_simulate(&s, &f->timeline, &f->error);
}

/* On two unlike GPUs: the second's clock is half of the first's, and its own link to the host too. */
static enum gsim_status simulate_unlike(struct fixture *f, const struct gsim_scheduler_ops *scheduler,
                                        const struct gsim_device_spec *second)
{
    const struct gsim_device_spec *const devices[2] = {&f->device, second};
    static const double none[2];
    struct gsim_node *node = gsim_node_create_plain(2, none, none);
    struct gsim_simulation s = {.program = &f->program,
                                .device = &f->device,
                                .node = node,
                                .devices = devices,
                                .scheduler = scheduler,
                                .gpu.check = true,
                                .memory = f->memory,
                                .seed = 1,
                                .detailed = true};
    enum gsim_status status = node ? gsim_simulate(&s, &f->timeline, &f->error) : GSIM_NOMEM;
    gsim_node_release(node);
    return status;
}

static void run_two_gpus(struct fixture *f, const struct gsim_kernel *kernels, uint32_t count,
                         const struct gsim_op *copies, uint32_t copy_count,
                         enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler),
                                           .name = "fixture",
                                           .execute = execute,
                                           .uses_devices = true};
    *f = (struct fixture){.device = two_gpu_device(), .memory = GSIM_MEMORY_PINNED};
    fixture_program(f, kernels, count, copies, copy_count);
    CHECK_OK(simulate(f, 2, &scheduler), f->error);
}

static enum gsim_status launch_on_both(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    CHECK_INT(gsim_device_count(d), 2);
    gsim_stream streams[2];
    for (uint32_t i = 0; i < 2; i++) {
        gsim_device_set(d, i);
        streams[i] = gsim_stream_create(d, 0);
        gsim_launch(d, OP(run, i), streams[i]);
    }
    gsim_device_set(d, 0);
    gsim_device_synchronize(d);
    seen[0] = gsim_now_us(d);
    CHECK(!gsim_stream_query(d, streams[1]));
    gsim_device_set(d, 1);
    gsim_device_synchronize(d);
    seen[1] = gsim_now_us(d);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* Captured: a on GPU 0; b on GPU 1 behind an event of a's; c on GPU 0 behind an event of b's. The events order them in
 * the graph. */
static enum gsim_status capture_both(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream streams[2];
    gsim_event events[2];
    (void)error;
    gsim_iteration_begin(d, 0);
    for (uint32_t i = 0; i < 2; i++) {
        gsim_device_set(d, i);
        streams[i] = gsim_stream_create(d, 0);
        events[i] = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    }
    gsim_capture_begin(d, streams[0]);
    for (uint32_t i = 0; i < 3; i++) {
        if (i) gsim_stream_wait_event(d, streams[i % 2], events[(i - 1) % 2]);
        gsim_launch(d, OP(run, i), streams[i % 2]);
        if (i < 2) gsim_event_record(d, events[i], streams[i]);
    }
    gsim_graph graph = gsim_capture_end(d, streams[0]);
    gsim_graph_launch(d, gsim_graph_instantiate(d, graph), streams[0]);
    gsim_stream_synchronize(d, streams[0]);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* Each on its GPU, the next one a node's gap across branches and what another GPU's event takes (2 us) behind the
 * last. */
static void graph_on_both(void)
{
    struct fixture f;
    struct gsim_kernel k[3] = {fixture_kernel("a", 8, 1024, 10), fixture_kernel("b", 8, 1024, 20),
                               fixture_kernel("c", 8, 1024, 5)};
    run_two_gpus(&f, k, 3, NULL, 0, capture_both);
    for (uint32_t i = 0; i < 3; i++) {
        const struct gsim_kernel_record *r = fixture_record(&f, i, 0);
        CHECK_INT(r->device, i % 2);
        CHECK_NEAR(gsim_time_us(r->end - r->start), i == 1 ? 20 : i ? 5 : 10, 1e-5);
        if (i)
            CHECK_NEAR(gsim_time_us(r->start - fixture_record(&f, i - 1, 0)->end), f.device.graph_cross_gap_us + 2,
                       1e-5);
    }
    fixture_release(&f);
}

/* Each kernel fills a GPU. On GPU 0: L 0-2, 3-13; on GPU 1: L 2-4, 5-25. Synchronise with GPU 0 to 15, a query to 15.5,
 * with GPU 1 to 27. */
static void kernels_on_both(void)
{
    struct fixture f;
    struct gsim_kernel k[2] = {fixture_kernel("a", 8, 1024, 10), fixture_kernel("b", 8, 1024, 20)};
    run_two_gpus(&f, k, 2, NULL, 0, launch_on_both);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 5, 25);
    CHECK_INT(fixture_record(&f, 0, 0)->device, 0);
    CHECK_INT(fixture_record(&f, 1, 0)->device, 1);
    CHECK_NEAR(seen[0], 15, 1e-5);
    CHECK_NEAR(seen[1], 27, 1e-5);
    CHECK_INT(f.timeline.gpu_count, 2);
    uint32_t most = 0;
    for (size_t i = 0; i < f.timeline.occupancy_count; i++)
        if (f.timeline.occupancy[i].busy_sms > most) most = f.timeline.occupancy[i].busy_sms;
    CHECK_INT(most, 8); /* of both together */
    fixture_release(&f);
}

static bool enables_peers;

static enum gsim_status copy_all(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    if (enables_peers) gsim_peer_enable(d, 1);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        const struct gsim_op *op = OP(run, i);
        gsim_device_set(d, op->device);
        gsim_stream stream = gsim_stream_create(d, 0);
        if (op->kind == GSIM_OP_KERNEL)
            gsim_launch(d, op, stream);
        else if (op->copy_kind == GSIM_COPY_P2P)
            gsim_memcpy_peer_async(d, op, stream);
        else
            gsim_memcpy_async(d, op, stream);
    }
    for (uint32_t i = 0; i < 2; i++) {
        gsim_device_set(d, i);
        gsim_device_synchronize(d);
    }
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

static double copy_end(const struct fixture *f, uint32_t op)
{
    for (size_t i = 0; i < f->timeline.copy_count; i++)
        if (f->timeline.copies[i].op == op) return gsim_time_us(f->timeline.copies[i].end);
    return -1;
}

/* 1 MB at 20 GB/s: calls to 1 and 2, 3 us, 50 us: the ways do not share. A copy from the host to GPU 0 beside them,
 * call to 3, has its own link: 100 us. Where nobody enabled it: to GPU 1 and back each has both links' other direction,
 * 1 MB at 10 GB/s. The copy from the host shares what goes to GPU 0 with the one that comes back: from 3 on 5 GB/s
 * each. */
static void peer_copies(void)
{
    const struct gsim_op copies[3] = {there, back, from_host};
    struct fixture f;
    enables_peers = true;
    run_two_gpus(&f, NULL, 0, copies, 3, copy_all);
    CHECK_NEAR(copy_end(&f, 0), 54, 1e-2);
    CHECK_NEAR(copy_end(&f, 1), 55, 1e-2);
    CHECK_NEAR(copy_end(&f, 2), 103, 1e-2);
    CHECK_INT(f.timeline.copies[0].kind, GSIM_COPY_P2P);
    CHECK_INT(f.timeline.copies[0].device, 0);
    CHECK_INT(f.timeline.copies[1].device, 1);
    fixture_release(&f);
    enables_peers = false;
    run_two_gpus(&f, NULL, 0, copies, 3, copy_all);
    CHECK_NEAR(copy_end(&f, 0), 101, 1e-2);
    CHECK_NEAR(copy_end(&f, 1), 3 + 99 * 2, 1e-1); /* 10 kB by 3, then 5 GB/s */
    CHECK_NEAR(copy_end(&f, 2), 202, 1);
    fixture_release(&f);
}

/* Two copies one way are made by one engine, one after the other. */
static void one_engine_for_peers(void)
{
    const struct gsim_op copies[2] = {there, there};
    struct fixture f;
    enables_peers = true;
    run_two_gpus(&f, NULL, 0, copies, 2, copy_all);
    CHECK_NEAR(copy_end(&f, 0), 54, 1e-2);
    CHECK_NEAR(copy_end(&f, 1), 54 + 53, 1e-2);
    fixture_release(&f);
}

/* A kernel of GPU 1 that needs all its DRAM takes longer while a copy arrives there; one of a GPU that has nothing to
 * do with it does not. */
static void copies_draw_on_both(void)
{
    struct gsim_kernel k = {.name = "stream",
                            .grid = {64, 1, 1},
                            .block = {256, 1, 1},
                            .regs_per_thread = 32,
                            .dram_bytes = 4e6,
                            .thread_cycles = 1, /* not a plain copy: 8 bytes at once */
                            .demand_given = true};
    double took[2];
    for (int with_copy = 0; with_copy < 2; with_copy++) {
        struct fixture f = {.device = two_gpu_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler),
                                               .name = "fixture",
                                               .execute = copy_all,
                                               .uses_devices = true};
        f.device.dram_gbps = 60;
        struct gsim_builder *b = gsim_builder_create("fixture");
        gsim_builder_buffer(b, "data", 1000000, GSIM_INIT_HOST);
        if (with_copy) gsim_builder_op(b, &there);
        gsim_builder_op(
            b, &(struct gsim_op){
                   .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .device = 1, .stream = -1});
        CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
        enables_peers = true;
        CHECK_OK(simulate(&f, 2, &scheduler), f.error);
        took[with_copy] = gsim_time_us(f.timeline.kernels[0].end - f.timeline.kernels[0].start);
        fixture_release(&f);
    }
    CHECK_MSG(took[1] > took[0] * 1.02, "%.3f us, with a copy %.3f", took[0], took[1]);
}

static enum gsim_status wait_across(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), c = gsim_stream_create(d, 0);
    gsim_event e = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_device_set(d, 1);
    gsim_stream b = gsim_stream_create(d, 0);
    gsim_stream_wait_event(d, b, e);
    gsim_stream_wait_event(d, c, e);
    gsim_launch(d, OP(run, 1), b);
    gsim_launch(d, OP(run, 2), c);
    gsim_device_synchronize(d);
    gsim_stream_synchronize(d, c);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* A 3-13. One's own GPU goes on 1.5 us later, the other 3.5. */
static void events_across(void)
{
    struct fixture f;
    struct gsim_kernel k[3] = {fixture_kernel("a", 4, 256, 10), fixture_kernel("b", 4, 256, 5),
                               fixture_kernel("c", 4, 256, 5)};
    run_two_gpus(&f, k, 3, NULL, 0, wait_across);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 16.5, 21.5);
    CHECK_KERNEL(&f, 2, 14.5, 19.5);
    fixture_release(&f);
}

/* A DAG whose ops are for DEVICE; with PEERS each kernel's data goes to the other GPU and the next one runs there. */
static void build_dag(struct gsim_program *program, bool alternates)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("dag");
    gsim_builder_buffer(b, "x", 500000, GSIM_INIT_DEVICE);
    gsim_builder_buffer(b, "y", 500000, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < 10; i++) {
        struct gsim_kernel k = fixture_kernel("k", 3 + i, 256, 4 + i);
        struct gsim_arg arg = {.buffer_index = alternates ? 0 : i % 2, .reads = true, .writes = true};
        uint32_t device = alternates ? i % 2 : 0;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &k),
                                             .args = &arg,
                                             .arg_count = 1,
                                             .stream = (int32_t)(i % 2),
                                             .device = device});
        if (alternates)
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                                 .copy_kind = GSIM_COPY_P2P,
                                                 .args = &arg,
                                                 .arg_count = 1,
                                                 .bytes = 500000,
                                                 .stream = (int32_t)(i % 2),
                                                 .device = device,
                                                 .to_device = 1 - device});
    }
    CHECK_OK(gsim_builder_finish(b, 2, program, &error), error);
}

/* async follows the ops' devices: kernels where they belong, the copy between them in order; no overlap in a chain. */
static void async_on_two_gpus(void)
{
    struct fixture f = {.device = two_gpu_device(), .memory = GSIM_MEMORY_PINNED};
    build_dag(&f.program, true);
    CHECK_OK(simulate(&f, 2, gsim_scheduler_find("async")), f.error);
    CHECK_INT(f.timeline.kernel_count, 20);
    CHECK_INT(f.timeline.copy_count, 20);
    for (size_t i = 0; i < f.timeline.kernel_count && i < f.timeline.copy_count; i++) {
        const struct gsim_kernel_record *k = &f.timeline.kernels[i];
        const struct gsim_copy_record *c = &f.timeline.copies[i];
        CHECK_INT(k->device, i % 2);
        CHECK_INT(c->device, i % 2);
        CHECK(c->start >= k->end && (!i || f.timeline.copies[i - 1].end <= k->start));
        CHECK_NEAR(gsim_time_us(c->end - c->start), 28, 1e-2); /* 3 us, 500 kB at 20 GB/s: the peers are enabled */
    }
    fixture_release(&f);
}

static void one_of_two_is_as_one(void)
{
    struct gsim_timeline first = {0};
    for (uint32_t gpus = 1; gpus <= 3; gpus++) {
        struct fixture f = {.device = two_gpu_device(), .memory = GSIM_MEMORY_PINNED};
        build_dag(&f.program, false);
        CHECK_OK(simulate(&f, gpus, gsim_scheduler_find("async")), f.error);
        CHECK_INT(f.timeline.kernel_count, 20);
        for (size_t i = 0; i < f.timeline.kernel_count && gpus > 1; i++)
            CHECK(f.timeline.kernels[i].start == first.kernels[i].start &&
                  f.timeline.kernels[i].end == first.kernels[i].end);
        if (gpus == 1) {
            first = f.timeline;
            f.timeline = (struct gsim_timeline){0};
        }
        fixture_release(&f);
    }
    gsim_timeline_release(&first);
}

/* One GPU works at a time. L 0-2, 3-13, known at 15; the other: L 15-17, 18-38, known at 40. In a process of two GPUs a
 * call that takes 0.5 us longer there: L 0-2.5, 3.5-13.5, 15.5; 15.5-18, 19-39, 41. */
static void serial_on_two_gpus(void)
{
    for (uint32_t gpus = 1; gpus <= 2; gpus++) {
        struct fixture f = {.device = two_gpu_device(), .memory = GSIM_MEMORY_PINNED};
        double later = gpus > 1 ? 0.5 : 0;
        f.device.gpus_call_us = 0.5;
        struct gsim_builder *b = gsim_builder_create("two");
        for (uint32_t i = 0; i < 2; i++) {
            struct gsim_kernel kernel = fixture_kernel(i ? "b" : "a", 4, 1024, i ? 20 : 10);
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                 .kernel_index = gsim_builder_kernel(b, &kernel),
                                                 .device = gpus > 1 ? (uint8_t)i : 0,
                                                 .stream = -1});
        }
        CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
        CHECK_OK(simulate(&f, gpus, gsim_scheduler_find("serial")), f.error);
        CHECK_KERNEL(&f, 0, 3 + later, 13 + later);
        CHECK_KERNEL(&f, 1, 18 + 2 * later, 38 + 2 * later);
        CHECK_NEAR(gsim_time_us(f.timeline.iterations[0].end), 40 + 2 * later, 1e-5);
        CHECK_INT(fixture_record(&f, 1, 0)->device, gpus - 1);
        fixture_release(&f);
    }
}

/* The same two kernels; the second GPU has half the clock: L 0-2, 3-13, known at 15; L 15-17, 18-58. A kernel that does
 * not fit there is an error of the run that launches it there, and of no other. */
static void unlike_gpus(void)
{
    for (uint32_t fits = 0; fits < 2; fits++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_device_spec second = fixture_device();
        second.clock_mhz /= 2;
        second.name = "half";
        second.smem_per_block_kib = 16;
        struct gsim_builder *b = gsim_builder_create("two");
        for (uint32_t i = 0; i < 2; i++) {
            struct gsim_kernel kernel = fixture_kernel(i ? "b" : "a", 4, 1024, i ? 20 : 10);
            kernel.smem_bytes = i && fits ? 0 : 32768;
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                 .kernel_index = gsim_builder_kernel(b, &kernel),
                                                 .device = (uint16_t)i,
                                                 .stream = -1});
        }
        CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
        enum gsim_status status = simulate_unlike(&f, gsim_scheduler_find("serial"), &second);
        if (fits) {
            CHECK_OK(status, f.error);
            CHECK_KERNEL(&f, 0, 3, 13);
            CHECK_KERNEL(&f, 1, 18, 58);
        } else {
            CHECK_INT(status, GSIM_INPUT);
            CHECK_HAS(f.error.message, "'b'");
        }
        fixture_release(&f);
    }
}

static enum gsim_status set_what_is_not_there(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_device_set(run->driver, 2);
    return GSIM_OK;
}

static enum gsim_status copy_in_wrong_stream(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_device_set(run->driver, 1);
    gsim_memcpy_peer_async(run->driver, &there, gsim_stream_create(run->driver, 0));
    return GSIM_OK;
}

static void errors(void)
{
    static const struct gsim_scheduler_ops setter = {GSIM_HEAD(scheduler),
                                                     .name = "setter",
                                                     .execute = set_what_is_not_there,
                                                     .uses_devices = true};
    static const struct gsim_scheduler_ops copier = {GSIM_HEAD(scheduler),
                                                     .name = "copier",
                                                     .execute = copy_in_wrong_stream,
                                                     .uses_devices = true};
    static const struct gsim_scheduler_ops lone = {
        GSIM_HEAD(scheduler), .name = "lone", .execute = set_what_is_not_there};
    const struct {
        const struct gsim_scheduler_ops *scheduler;
        enum gsim_memory_mode memory;
        uint32_t gpus;
        enum gsim_status status;
        const char *says;
    } cases[] = {
        {&setter, GSIM_MEMORY_PINNED, 2, GSIM_SIM, "GPU 2 does not exist"},
        {&copier, GSIM_MEMORY_PINNED, 2, GSIM_SIM, "cannot be in a stream of GPU 1"},
        {&setter, GSIM_MEMORY_PINNED, 1, GSIM_INPUT, "ops[1] is for GPU 1, and there is 1"},
        {&setter, GSIM_MEMORY_PINNED, 20000, GSIM_INPUT, "at most 16384 GPUs"},
        {&lone, GSIM_MEMORY_PINNED, 2, GSIM_INPUT, "scheduler 'lone' knows one GPU only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = two_gpu_device(), .memory = cases[i].memory};
        build_dag(&f.program, true);
        CHECK_INT(simulate(&f, cases[i].gpus, cases[i].scheduler), cases[i].status);
        CHECK_HAS(f.error.message, cases[i].says);
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"kernels on both", kernels_on_both},
    {"peer copies", peer_copies},
    {"one engine for peers", one_engine_for_peers},
    {"copies draw on both GPUs' DRAM", copies_draw_on_both},
    {"events across GPUs", events_across},
    {"async on two GPUs", async_on_two_gpus},
    {"serial on two GPUs", serial_on_two_gpus},
    {"a graph on both", graph_on_both},
    {"unlike GPUs", unlike_gpus},
    {"one of two GPUs is as one", one_of_two_is_as_one},
    {"errors", errors},
};
TEST_MAIN("sim/devices", cases)
