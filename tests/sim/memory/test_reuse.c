/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel finds in L2, hand-computed. L2 has 1 MiB: all of a buffer is there up to 0.5662 MB of its own and of
 * what was touched since, nothing from 0.9437 MB on. Loads that miss end 1 us later.
 */
#include "sim/device/rules.h"
#include "tests/sim/machine_fixture.h"

enum { WRITE_X, READ_X, TOUCH_Y, TOUCH_Z, SCAN_X, COPY_X };
enum { X, Y, Z };

static bool is_cold = true;
static uint32_t blocks_of_read = 4;
static double bytes_of_z; /* that TOUCH_Z says to move, without an argument; 0: it names Z */
static uint64_t read_of_x; /* bytes from the front; 0: all */
static uint64_t rules_off;

/* X 0.2 MB, Y 0.6 MB, Z 2 MB. Kernels of 4 blocks of 256 threads take 100 us; 8 KiB are in flight, so 0.2 MB are 24.41
 * loads. SCAN_X reads X in 50 us, measured behind Z, so from DRAM. */
static void program(struct fixture *f)
{
    static const char *const names[] = {"write x", "read x", "touch y", "touch z", "scan x"};
    struct gsim_builder *b = gsim_builder_create("reuse");
    gsim_builder_buffer(b, "x", 200000, GSIM_INIT_HOST);
    gsim_builder_buffer(b, "y", 600000, GSIM_INIT_HOST);
    gsim_builder_buffer(b, "z", 2000000, GSIM_INIT_HOST);
    const struct gsim_arg args[] = {{.buffer_index = X, .writes = true}, {.buffer_index = X, .reads = true},
                                    {.buffer_index = Y, .writes = true}, {.buffer_index = Z, .writes = true},
                                    {.buffer_index = X, .reads = true}};
    for (int i = 0; i < 5; i++) {
        struct gsim_kernel k = {.name = names[i],
                                .grid = {i == READ_X ? blocks_of_read : 4, 1, 1},
                                .block = {256, 1, 1},
                                .regs_per_thread = 32,
                                .demand_given = true,
                                .dram_bytes = i == TOUCH_Z ? bytes_of_z : 0,
                                .solo_us = i == SCAN_X ? 50 : 100,
                                .solo_cold = is_cold};
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .kernel_index = gsim_builder_kernel(b, &k),
                             .args = &args[i],
                             .arg_count = i == TOUCH_Z && bytes_of_z > 0 ? 0 : 1,
                             .segments = &(struct gsim_segment){.bytes = read_of_x, .reads = true},
                             .segment_count = i == READ_X && read_of_x ? 1 : 0,
                             .stream = -1};
        gsim_builder_op(b, &op);
    }
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                         .copy_kind = GSIM_COPY_H2D,
                                         .bytes = 200000,
                                         .args = &args[0],
                                         .arg_count = 1,
                                         .stream = -1});
    CHECK_OK(gsim_builder_finish(b, 1, &f->program, &f->error), f->error);
}

static int order[8], order_count;
ITERATION(in_order)
{
    gsim_stream s = gsim_stream_create(d, 0);
    for (int i = 0; i < order_count; i++)
        if (order[i] == COPY_X) gsim_memcpy_async(d, &run->program->ops[COPY_X], s);
        else gsim_launch(d, &run->program->ops[order[i]], s);
}

/* How long the last KERNEL took. */
static double us_of(const struct fixture *f, uint32_t kernel)
{
    double us = 0;
    for (size_t i = 0; i < f->timeline.kernel_count; i++)
        if (f->timeline.kernels[i].op == kernel)
            us = gsim_time_us(f->timeline.kernels[i].end - f->timeline.kernels[i].start);
    return us;
}

/* The time of the last READ_X. */
static double reading_us(double miss_ns, double far_share,
                         enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *), const int *ops, int count)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.l2_miss_ns = miss_ns;
    f.device.rules_off = rules_off;
    f.device.l2_far_share = far_share;
    program(&f);
    memcpy(order, ops, (size_t)count * sizeof *ops);
    order_count = count;
    fixture_run(&f, execute);
    double us = us_of(&f, READ_X);
    fixture_release(&f);
    return us;
}

#define READING(miss_ns, ...)                                                                                          \
    reading_us(miss_ns, 0, in_order, (const int[]){__VA_ARGS__},                                                       \
               (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

/* As measured, read right behind the write: 100. Behind Y 0.8 MB count, of 1 MiB 0.76294, so 0.61928 of X is
 * gone: 15.12 us. Behind Z all is: 24.41. Y twice counts once. A copy leaves nothing. */
static void what_is_gone_takes_longer(void)
{
    is_cold = true;
    CHECK_NEAR(READING(1000, WRITE_X, READ_X), 100, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Y, READ_X), 115.12, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Y, TOUCH_Y, READ_X), 115.12, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X), 124.41, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X, READ_X), 100, 0.01);
    CHECK_NEAR(READING(1000, COPY_X, READ_X), 124.41, 0.01);
    CHECK_NEAR(READING(100000, WRITE_X, TOUCH_Z, READ_X), 200, 0.01); /* no more than twice */
}

/* Data that nobody names displaces as other data does: 2 MB all of X, 0.6 MB as much as Y. */
static void what_nobody_names_displaces(void)
{
    is_cold = true;
    bytes_of_z = 2000000;
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X), 124.41, 0.01);
    bytes_of_z = 600000;
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X), 115.12, 0.01);
    bytes_of_z = 0;
}

/* Of half of X half as much: 12.21 us; behind Y 0.7 MB count, of 1 MiB 0.66757, so 0.35436 of the half is gone. */
static void of_what_it_reads(void)
{
    is_cold = true;
    read_of_x = 100000;
    CHECK_NEAR(READING(1000, WRITE_X, READ_X), 100, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X), 112.21, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Y, READ_X), 100 + 12.207 * 0.35436, 0.01);
    read_of_x = 0;
}

/* A device that does not say, and times that repeated runs gave, without the rule for those (sim/memory/l2.h). */
static void nothing_is_gone(void)
{
    is_cold = true;
    CHECK_NEAR(READING(0, WRITE_X, TOUCH_Z, READ_X), 100, 0.01);
    is_cold = false;
    double near = READING(1000, WRITE_X, READ_X), far = READING(1000, WRITE_X, TOUCH_Z, READ_X);
    CHECK_NEAR(near, 100, 0.01);
    CHECK(far > 105);
    rules_off = UINT64_C(1) << GSIM_RULE_KNOWN_L2;
    CHECK_NEAR(READING(1000, WRITE_X, READ_X), far, 0.01);
    CHECK_NEAR(READING(1000, WRITE_X, TOUCH_Z, READ_X), far, 0.01);
    rules_off = 0;
}

/* Y is touched on a stream of its own, so that it begins and ends before X is written. */
ITERATION(beside)
{
    gsim_stream first = gsim_stream_create(d, 0), second = gsim_stream_create(d, 0);
    for (int i = 0; i < order_count; i++)
        gsim_launch(d, &run->program->ops[order[i]], order[i] == TOUCH_Y ? second : first);
}

/* Z displaces X; then the FIRST of order's last two, and the other on a stream of its own. */
ITERATION(together)
{
    gsim_stream first = gsim_stream_create(d, 0), second = gsim_stream_create(d, 0);
    gsim_launch(d, &run->program->ops[TOUCH_Z], first);
    gsim_device_synchronize(d);
    gsim_launch(d, &run->program->ops[order[0]], first);
    gsim_launch(d, &run->program->ops[order[1]], second);
}

static struct fixture run_together(int first, int second)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f.device.l2_miss_ns = 1000;
    f.device.most_bytes_in_flight_per_thread = 16;
    is_cold = true;
    program(&f);
    order[0] = first;
    order[1] = second;
    fixture_run(&f, together);
    return f;
}

/* Who comes second finds what the first has brought, 24.41 us of loads. SCAN_X, twice as fast, catches up with READ_X
 * where twice the share of it is that READ_X had read, s; it brings the rest itself, and READ_X is spared half of 24.41
 * (1 - s) at least. The other way round SCAN_X stays ahead. */
static void who_reads_first_brings_it(void)
{
    struct fixture f = run_together(READ_X, SCAN_X);
    double start[2] = {0};
    for (size_t i = 0; i < f.timeline.kernel_count; i++)
        if (f.timeline.kernels[i].op != TOUCH_Z)
            start[f.timeline.kernels[i].op == SCAN_X] = gsim_time_us(f.timeline.kernels[i].start);
    double done = (start[1] - start[0]) / 124.41, share = 2 * done;
    CHECK(done > 0.001 && done < 0.1);
    CHECK_NEAR(us_of(&f, SCAN_X), 50 - 24.41 * share, 0.01);
    CHECK_NEAR(us_of(&f, READ_X), 124.41 - 12.207 * (1 - share), 0.01);
    fixture_release(&f);
    f = run_together(SCAN_X, READ_X);
    CHECK_NEAR(us_of(&f, SCAN_X), 50, 0.01);
    CHECK_NEAR(us_of(&f, READ_X), 100, 0.01);
    fixture_release(&f);
}

#define READING_BESIDE(share, ...)                                                                                     \
    reading_us(0, share, beside, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

/* X is near to who reads it behind its writer, as measured: not where the writer stood beside Y's kernel. */
static void what_is_far_takes_longer(void)
{
    is_cold = true;
    CHECK_NEAR(READING_BESIDE(0.1, WRITE_X, READ_X), 100, 0.01);
    CHECK_NEAR(READING_BESIDE(0.1, TOUCH_Y, WRITE_X, READ_X), 110, 0.01);
    CHECK_NEAR(READING_BESIDE(0, TOUCH_Y, WRITE_X, READ_X), 100, 0.01);
    CHECK_NEAR(READING_BESIDE(0.1, TOUCH_Y, WRITE_X, WRITE_X, READ_X), 100, 0.01); /* written again, alone */
    blocks_of_read = 2; /* its blocks are others than the writer's anyway */
    CHECK_NEAR(READING_BESIDE(0.1, TOUCH_Y, WRITE_X, READ_X), 100, 0.01);
    blocks_of_read = 4;
    is_cold = false; /* repeated runs say nothing of it */
    CHECK_NEAR(READING_BESIDE(0.1, TOUCH_Y, WRITE_X, READ_X), READING_BESIDE(0, TOUCH_Y, WRITE_X, READ_X), 0.01);
    is_cold = true;
}

static const struct test_case cases[] = {{"what is gone takes longer", what_is_gone_takes_longer},
                                         {"what nobody names displaces", what_nobody_names_displaces},
                                         {"of what it reads", of_what_it_reads},
                                         {"nothing is gone", nothing_is_gone},
                                         {"who reads first brings it", who_reads_first_brings_it},
                                         {"what is far takes longer", what_is_far_takes_longer}};
TEST_MAIN("sim/reuse", cases)
