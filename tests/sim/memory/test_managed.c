/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Managed memory in the machine, by hand. The fixture's driver brings 2 MB in 524.288 us (4 GB/s) plus 40 us for each
 * of 6 rounds, 764.288 us in all, for a kernel alone; with two at once a round of each takes 4/3 x 40 us and their
 * service. A prefetch has 8 GB/s: 262.144 us. Writing 2 MB back takes 209.715 us (10 GB/s). Launches as in the fixture.
 */
#include <gsl/gsl_rng.h>

#include "tests/sim/machine_fixture.h"

#define BLOCK      2097152
#define SCAN_US    764.288
#define WRITE_US   209.7152

enum { NO_BUFFER = UINT32_MAX };

/* Buffers of BYTES each, all written by the host; ops are added by the callers. */
static struct gsim_builder *start_program(uint32_t buffers, uint64_t bytes)
{
    struct gsim_builder *b = gsim_builder_create("managed");
    for (uint32_t i = 0; i < buffers; i++) {
        char name[8] = {'a', 0};
        name[0] = (char)('a' + i);
        gsim_builder_buffer(b, name, bytes, GSIM_INIT_HOST);
    }
    return b;
}

static void add_kernel(struct gsim_builder *b, double us, uint32_t buffer_index)
{
    struct gsim_kernel k = fixture_kernel("k", 1, 256, us);
    struct gsim_arg arg = {.buffer_index = buffer_index, .reads = true, .writes = true};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .args = &arg,
                         .arg_count = buffer_index != NO_BUFFER, .stream = -1};
    gsim_builder_op(b, &op);
}

static void add_access(struct gsim_builder *b, enum gsim_op_kind kind, uint32_t buffer_index, uint64_t bytes)
{
    struct gsim_arg arg = {.buffer_index = buffer_index, .reads = true};
    gsim_builder_op(b, &(struct gsim_op){.kind = kind, .args = &arg, .arg_count = 1, .bytes = bytes, .stream = -1});
}

static void finish_program(struct fixture *f, struct gsim_builder *b)
{
    CHECK_OK(gsim_builder_finish(b, 1, &f->program, &f->error), f->error);
}

static struct fixture managed(void)
{
    return (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
}

#define CHECK_SPAN(f, op, start_us, end_us, slack_us)                                        \
    do {                                                                                     \
        CHECK_NEAR(gsim_time_us(fixture_record((f), (op), 0)->start), (start_us), slack_us); \
        CHECK_NEAR(gsim_time_us(fixture_record((f), (op), 0)->end), (end_us), slack_us);     \
    } while (0)

static uint64_t moved(const struct fixture *f, enum gsim_copy_kind kind, enum gsim_copy_reason reason)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < f->timeline.copy_count; i++)
        if (f->timeline.copies[i].kind == kind && f->timeline.copies[i].reason == reason)
            bytes += f->timeline.copies[i].bytes;
    return bytes;
}

/* Issues all ops in stream 0, one after the other; host accesses wait for the device. */
ITERATION(in_order)
{
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        const struct gsim_op *op = &run->program->ops[i];
        if (op->kind == GSIM_OP_KERNEL)
            gsim_launch(d, op, 0);
        else if (op->kind == GSIM_OP_PREFETCH)
            gsim_prefetch_async(d, op, 0);
        else {
            gsim_device_synchronize(d);
            gsim_host_access(d, op);
        }
    }
}

/* 8 MB: 4 blocks by faults in 3,057.152 us, in which the kernel's 10 us hide. */
static void by_faults(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_kernel(b, 10, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_SPAN(&f, 0, 3, 3 + 4 * SCAN_US, 0.1);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 4 * BLOCK);
    fixture_release(&f);
}

/* The same prefetched: call 4 us, copy from 4 to 1,052.576, stream gap 1; the kernel finds everything there. */
static void by_prefetch(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_access(b, GSIM_OP_PREFETCH, 0, 4 * BLOCK);
    add_kernel(b, 10, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_SPAN(&f, 1, 1053.576, 1063.576, 2e-3);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_PREFETCH), 4 * BLOCK);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 0);
    fixture_release(&f);
}

/* 65 us per MB of host time: the call returns at 549.26, with its copy half done; the launch comes after it. */
static void prefetch_blocks_the_host(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    f.device.prefetch_call_us_per_mb = 65;
    add_access(b, GSIM_OP_PREFETCH, 0, 4 * BLOCK);
    add_kernel(b, 10, NO_BUFFER);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 4, 1e-3);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 1, 0)->launch), 4 + 65 * 8.388608, 1e-3);
    fixture_release(&f);
}

/* 20 ms of computation over 8 MB: it goes slower than pages come, so nothing of the migration shows. */
static void compute_hides_migration(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_kernel(b, 20000, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_SPAN(&f, 0, 3, 20003, 0.1);
    fixture_release(&f);
}

/* A 2 x 16 grid of 8 x 8 threads works on 128 rows, 8 MB of page groups at once: each of eight such pieces comes in one
 * round, 40 us and 4 x 524.288. In one line the same threads take six rounds per 2 MB. */
static void rows_fault_together(void)
{
    static const struct {
        struct gsim_dim3 grid, block;
        double us;
    } shapes[] = {{{2, 16, 1}, {8, 8, 1}, 8 * (40 + 4 * 524.288)}, {{32, 1, 1}, {64, 1, 1}, 32 * SCAN_US}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct fixture f = managed();
        struct gsim_builder *b = start_program(1, 32 * (uint64_t)BLOCK);
        struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
        struct gsim_arg arg = {.buffer_index = 0, .reads = true, .writes = true};
        k.grid = shapes[i].grid;
        k.block = shapes[i].block;
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .kernel_index = gsim_builder_kernel(b, &k),
                             .args = &arg,
                             .arg_count = 1,
                             .stream = -1};
        gsim_builder_op(b, &op);
        finish_program(&f, b);
        fixture_run(&f, in_order);
        CHECK_SPAN(&f, 0, 3, 3 + shapes[i].us, 1);
        fixture_release(&f);
    }
}

/* 256 threads that leave 256 sums walk a row of 64 MB / 256 each, 8 to a block: 16 faults per block, of which the first
 * 8 are found in 2 visits, so the driver's 424.288 us beside the link's 209.7152 count 10 / 6 times. A batch has 256
 * faults, half of the 32 blocks. A grid of as many blocks as sums scans, and so does a kernel that says so; one that
 * says 256 walks. */
static void rows_of_their_own(void)
{
    double row_block_us = 209.7152 + (524.288 - 209.7152) * 10 / 6;
    static const struct {
        uint32_t blocks;
        double rows;
        bool walks;
    } shapes[] = {{1, 0, true}, {256, 0, false}, {1, 1, false}, {256, 256, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct fixture f = managed();
        struct gsim_builder *b = start_program(1, 32 * (uint64_t)BLOCK);
        uint32_t sums = gsim_builder_buffer(b, "sums", 1024, GSIM_INIT_DEVICE);
        struct gsim_kernel k = fixture_kernel("k", shapes[i].blocks, 256, 10);
        k.rows = shapes[i].rows;
        struct gsim_arg args[] = {{.buffer_index = 0, .reads = true}, {.buffer_index = sums, .writes = true}};
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .kernel_index = gsim_builder_kernel(b, &k),
                             .args = args,
                             .arg_count = 2,
                             .stream = -1};
        gsim_builder_op(b, &op);
        finish_program(&f, b);
        fixture_run(&f, in_order);
        CHECK_SPAN(&f, 0, 3, 3 + (shapes[i].walks ? 2 * 40 + 32 * row_block_us : 32 * SCAN_US), 0.02 * 32 * SCAN_US);
        fixture_release(&f);
    }
}

/* The same as "compute hides migration" at knee 1: 20 ms of computation and 3.06 of faults, one after the other. */
static void compute_or_wait(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    f.device.fault_knee = 1;
    add_kernel(b, 20000, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_SPAN(&f, 0, 3, 20003 + 4 * SCAN_US, 1);
    fixture_release(&f);
}

/* 64 KB come in one round: 40 + 16.384 us of stall, then 10 of work. The host's read brings the group back in 40 +
 * 23.884 us (the rate of a scan), so the next kernel stalls again. */
static void ping_pong(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 65536);
    for (int i = 0; i < 3; i++) {
        add_kernel(b, 10, 0);
        add_access(b, GSIM_OP_HOST_READ, 0, 4);
    }
    finish_program(&f, b);
    fixture_run(&f, in_order);
    double end_us = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct gsim_kernel_record *k = fixture_record(&f, 2 * i, 0);
        CHECK_NEAR(gsim_time_us(k->end - k->start), 66.384, 2e-3);
        if (i) CHECK_NEAR(gsim_time_us(k->start) - end_us, 2 + 63.884 + 3, 2e-2); /* sync returns, read, launch */
        end_us = gsim_time_us(k->end);
    }
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 3 * 65536);
    CHECK_INT(moved(&f, GSIM_COPY_D2H, GSIM_REASON_FAULT), 3 * 65536);
    fixture_release(&f);
}

/* 12 blocks swept again and again with room for 8: the oldest leave just before their turn. The first 8 cost a scan
 * each, all others a write-back as well. */
static void cyclic_sweep(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 12 * BLOCK);
    f.device.memory_gb = 8 * BLOCK * 1e-9;
    for (int i = 0; i < 3; i++) add_kernel(b, 10, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    double first_us = 12 * SCAN_US + 4 * WRITE_US, next_us = 12 * (SCAN_US + WRITE_US), start_us = 3;
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_SPAN(&f, i, start_us, start_us + (i ? next_us : first_us), 0.005 * next_us);
        start_us = gsim_time_us(fixture_record(&f, i, 0)->end) + 1;
    }
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 36ull * BLOCK);
    CHECK_INT(moved(&f, GSIM_COPY_D2H, GSIM_REASON_EVICTION), 28ull * BLOCK);
    fixture_release(&f);
}

/* What fits is not swept out: 8 blocks with room for 8 move once. */
static void sweep_that_fits(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 8 * BLOCK);
    f.device.memory_gb = 8 * BLOCK * 1e-9;
    for (int i = 0; i < 3; i++) add_kernel(b, 10, 0);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 2, 0)->end), 3 + 8 * SCAN_US + 2 * 11, 0.1);
    CHECK_INT(moved(&f, GSIM_COPY_D2H, GSIM_REASON_EVICTION), 0);
    fixture_release(&f);
}

ITERATION(on_two_streams)
{
    gsim_stream first = gsim_stream_create(d, 0), second = gsim_stream_create(d, 0);
    gsim_launch(d, &run->program->ops[0], first);
    gsim_launch(d, &run->program->ops[1], second);
}

/* Two at once: 6 rounds x (53.333 + 2 x 87.381) us = 1,368.576 us for 2 MB of each. The second starts 2 us later and
 * has the driver for itself at the end. */
static void two_fault_at_once(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(2, 4 * BLOCK);
    add_kernel(b, 10, 0);
    add_kernel(b, 10, 1);
    finish_program(&f, b);
    fixture_run(&f, on_two_streams);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 0, 0)->end), 3 + 4 * 1368.576, 3);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 1, 0)->end), 3 + 4 * 1368.576, 3);
    fixture_release(&f);
}

/* Both read the same buffer: its pages come once, and both go along. */
static void two_share_a_buffer(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_kernel(b, 10, 0);
    add_kernel(b, 11, 0);
    finish_program(&f, b);
    fixture_run(&f, on_two_streams);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 4 * BLOCK);
    double end_us = gsim_time_us(fixture_record(&f, 1, 0)->end);
    CHECK_MSG(end_us > 4 * SCAN_US && end_us < 4 * SCAN_US + 400, "ends at %.3f us", end_us);
    fixture_release(&f);
}

/* A kernel with its pages goes on at full speed beside one that faults. */
static void others_run_on(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_kernel(b, 10, 0);
    add_kernel(b, 500, NO_BUFFER);
    finish_program(&f, b);
    fixture_run(&f, on_two_streams);
    CHECK_SPAN(&f, 0, 3, 3 + 4 * SCAN_US, 0.1);
    CHECK_SPAN(&f, 1, 5, 505, 1e-3);
    fixture_release(&f);
}

ITERATION(prefetch_beside_kernel)
{
    gsim_stream first = gsim_stream_create(d, 0), second = gsim_stream_create(d, 0);
    gsim_launch(d, &run->program->ops[0], first);
    gsim_prefetch_async(d, &run->program->ops[1], second);
    gsim_launch(d, &run->program->ops[2], second);
}

/* A kernel from 3 to 2,003 and, beside it, a prefetch from 6 to 1,054.576; its kernel runs from 1,055.576. */
static void prefetch_overlaps_a_kernel(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, 4 * BLOCK);
    add_kernel(b, 2000, NO_BUFFER);
    add_access(b, GSIM_OP_PREFETCH, 0, 4 * BLOCK);
    add_kernel(b, 10, 0);
    finish_program(&f, b);
    fixture_run(&f, prefetch_beside_kernel);
    CHECK_SPAN(&f, 0, 3, 2003, 1e-3);
    CHECK_SPAN(&f, 2, 1055.576, 1065.576, 2e-3);
    fixture_release(&f);
}

/* A full device writes back what the prefetch displaces, before it: 838.861 us for 8 MB, then 1,048.576. */
static void prefetch_into_full_memory(void)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(3, 4 * BLOCK);
    f.device.memory_gb = 8 * BLOCK * 1e-9;
    for (uint32_t i = 0; i < 3; i++) add_access(b, GSIM_OP_PREFETCH, i, 4 * BLOCK);
    add_kernel(b, 10, 2);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_INT(moved(&f, GSIM_COPY_D2H, GSIM_REASON_EVICTION), 4ull * BLOCK);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_PREFETCH), 12ull * BLOCK);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 3, 0)->start), 4 + 3 * 1048.576 + 2 + 838.861 + 1, 0.1);
    fixture_release(&f);
}

ITERATION(launch_attached)
{
    gsim_stream first = gsim_stream_create(d, 0), second = gsim_stream_create(d, 0);
    gsim_stream_attach(d, 0, first);
    gsim_stream_attach(d, 1, second);
    gsim_launch(d, &run->program->ops[0], first);
    gsim_launch(d, &run->program->ops[1], second);
}

/* Kernels of 500 us use the first and the second of three buffers of 8 MB. */
static void run_before_pascal(struct fixture *f, enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    *f = managed();
    struct gsim_builder *b = start_program(3, 4 * BLOCK);
    f->device.eager_migration = 1;
    add_kernel(b, 500, 0);
    add_kernel(b, 500, 1);
    finish_program(f, b);
    fixture_run(f, execute);
}

/* Before Pascal a launch moves what its stream can see, and waits: 838.861 us for the first stream's 8 MB and the
 * 8 MB that all see together; then the second's. The kernel of the first runs meanwhile. */
static void before_pascal(void)
{
    struct fixture f;
    run_before_pascal(&f, launch_attached);
    CHECK_SPAN(&f, 0, 2 * 838.861 + 3, 2 * 838.861 + 503, 2e-3);
    CHECK_SPAN(&f, 1, 3 * 838.861 + 5, 3 * 838.861 + 505, 4e-3);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 12ull * BLOCK);
    fixture_release(&f);
}

static enum gsim_status launch_as_graph(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    (void)error;
    gsim_graph g = gsim_graph_create(d);
    for (int i = 0; i < 2; i++) gsim_graph_add(d, g, &run->program->ops[i], NULL, 0);
    gsim_graph_exec x = gsim_graph_instantiate(d, g);
    gsim_iteration_begin(d, 0);
    gsim_graph_launch(d, x, gsim_stream_create(d, 0));
    gsim_device_synchronize(d);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* A graph's launch moves what all can see, 24 MB, before any of its nodes starts: 14 us of making it, then 3 + 2. */
static void graph_before_pascal(void)
{
    struct fixture f;
    run_before_pascal(&f, launch_as_graph);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 0, 0)->start), 14 + 3 * 838.861 + 3 + 2, 0.1);
    CHECK_NEAR(gsim_time_us(fixture_record(&f, 1, 0)->start), 14 + 3 * 838.861 + 3 + 2 + 0.25, 0.1);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 12ull * BLOCK);
    fixture_release(&f);
}

/* GPU events of a sweep by faults through BYTES, half of which has room, and back to the host. */
static uint64_t events_of(uint64_t bytes)
{
    struct fixture f = managed();
    struct gsim_builder *b = start_program(1, bytes);
    f.device.memory_gb = (double)bytes * 0.5e-9;
    for (int i = 0; i < 2; i++) add_kernel(b, 10, 0);
    add_access(b, GSIM_OP_HOST_READ, 0, bytes);
    finish_program(&f, b);
    fixture_run(&f, in_order);
    CHECK_INT(moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT), 2 * bytes);
    uint64_t events = f.statistics.gpu_events;
    fixture_release(&f);
    return events;
}

/* 64 GB cost no more than 64 MB. */
static void cost_without_bytes(void)
{
    uint64_t few = events_of(UINT64_C(1) << 26);
    CHECK_INT(events_of(UINT64_C(1) << 36), few);
}

static void must_fit(void)
{
    struct fixture f = managed();
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = in_order};
    struct gsim_builder *b = start_program(2, 4 * BLOCK);
    add_kernel(b, 10, 0);
    finish_program(&f, b);
    f.device.memory_gb = 7 * BLOCK * 1e-9;
    struct gsim_simulation s = {.program = &f.program, .device = &f.device, .scheduler = &scheduler, .seed = 1};
    s.memory = GSIM_MEMORY_PINNED;
    CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_INPUT);
    CHECK_HAS(f.error.message, "memory_gb");
    gsim_timeline_release(&f.timeline);
    s.memory = GSIM_MEMORY_MANAGED;
    f.device.eager_migration = 1;
    CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_INPUT);
    CHECK_HAS(f.error.message, "before Pascal");
    fixture_release(&f);
}

/* Random programs with too little memory: with gpu.check every step verifies that residency adds up and fits. What
 * is on the device at the end came and did not leave: at most memory_gb. */
static void random_programs(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct fixture f = managed();
        gsl_rng_set(rng, seed);
        uint32_t buffers = 2 + (uint32_t)gsl_rng_uniform_int(rng, 4), ops = 3 + (uint32_t)gsl_rng_uniform_int(rng, 12),
                 kernels = 0;
        uint64_t bytes = 1 + gsl_rng_uniform_int(rng, 3 * BLOCK);
        f.device.memory_gb = (1 + (double)gsl_rng_uniform_int(rng, 6)) * BLOCK * 1e-9;
        struct gsim_builder *b = start_program(buffers, bytes);
        for (uint32_t i = 0; i < ops; i++) {
            uint32_t buffer = (uint32_t)gsl_rng_uniform_int(rng, buffers);
            uint64_t part = 1 + gsl_rng_uniform_int(rng, (unsigned long)bytes);
            switch (gsl_rng_uniform_int(rng, 4)) {
            case 0: add_access(b, GSIM_OP_PREFETCH, buffer, part); break;
            case 1: add_access(b, GSIM_OP_HOST_READ, buffer, part); break;
            case 2: add_access(b, GSIM_OP_HOST_WRITE, buffer, part); break;
            default: add_kernel(b, 5 + (double)gsl_rng_uniform_int(rng, 3000), buffer); kernels++; break;
            }
        }
        add_kernel(b, 1, 0);
        finish_program(&f, b);
        fixture_run(&f, in_order);
        CHECK_INT(f.timeline.kernel_count, kernels + 1);
        uint64_t in = moved(&f, GSIM_COPY_H2D, GSIM_REASON_FAULT) + moved(&f, GSIM_COPY_H2D, GSIM_REASON_PREFETCH);
        uint64_t out = moved(&f, GSIM_COPY_D2H, GSIM_REASON_FAULT) + moved(&f, GSIM_COPY_D2H, GSIM_REASON_EVICTION);
        CHECK_MSG(in >= out && (double)(in - out) <= f.device.memory_gb * 1e9, "seed %lu: %llu bytes in, %llu out",
                  seed, (unsigned long long)in, (unsigned long long)out);
        fixture_release(&f);
    }
    gsl_rng_free(rng);
}

static const struct test_case cases[] = {
    {"by faults", by_faults},
    {"by prefetch", by_prefetch},
    {"prefetch blocks the host", prefetch_blocks_the_host},
    {"compute hides migration", compute_hides_migration},
    {"rows fault together", rows_fault_together},
    {"rows of their own", rows_of_their_own},
    {"compute or wait", compute_or_wait},
    {"ping-pong between host and device", ping_pong},
    {"cyclic sweep over 1.5 times the memory", cyclic_sweep},
    {"a sweep that fits", sweep_that_fits},
    {"two kernels fault at once", two_fault_at_once},
    {"two kernels share a buffer", two_share_a_buffer},
    {"others run on", others_run_on},
    {"prefetch overlaps a kernel", prefetch_overlaps_a_kernel},
    {"prefetch into full memory", prefetch_into_full_memory},
    {"before Pascal: at launch", before_pascal},
    {"before Pascal: a graph's launch", graph_before_pascal},
    {"cost does not grow with bytes", cost_without_bytes},
    {"what must fit", must_fit},
    {"random programs", random_programs},
};
TEST_MAIN("sim/managed", cases)
