/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of what the host has just written, hand-computed: 10 GB/s, 5 from the host's cache, which holds 100 KiB.
 */
#include "tests/sim/machine_fixture.h"

enum { WRITE_X, WRITE_Y, RESTORE_X, RESTORE_Y, COPY_X, CHANGE_Y };
enum { X, Y };

/* X 50,000 bytes, Y 80,000; a kernel writes Y, so that the host restores that one, not X, between iterations. */
static void program(struct fixture *f)
{
    struct gsim_builder *b = gsim_builder_create("host cache");
    gsim_builder_buffer(b, "x", 50000, GSIM_INIT_HOST);
    gsim_builder_buffer(b, "y", 80000, GSIM_INIT_HOST);
    const struct gsim_arg x = {.buffer_index = X, .writes = true}, y = {.buffer_index = Y, .writes = true};
    for (int i = WRITE_X; i <= RESTORE_Y; i++) {
        bool is_x = i == WRITE_X || i == RESTORE_X;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_WRITE,
                                             .bytes = is_x ? 50000 : 80000,
                                             .args = is_x ? &x : &y,
                                             .arg_count = 1,
                                             .untimed = i >= RESTORE_X,
                                             .stream = -1});
    }
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                         .copy_kind = GSIM_COPY_H2D,
                                         .bytes = 50000,
                                         .args = &x,
                                         .arg_count = 1,
                                         .stream = -1});
    struct gsim_kernel k = fixture_kernel("change y", 4, 64, 10);
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                         .kernel_index = gsim_builder_kernel(b, &k),
                                         .args = &y,
                                         .arg_count = 1,
                                         .stream = -1});
    CHECK_OK(gsim_builder_finish(b, 1, &f->program, &f->error), f->error);
}

static int order[8], order_count;
static enum gsim_status in_order(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_stream s = gsim_stream_create(run->driver, 0);
    gsim_iteration_begin(run->driver, 0); /* the untimed writes */
    for (int i = 0; i < order_count; i++)
        if (order[i] == COPY_X) gsim_memcpy_async(run->driver, &run->program->ops[COPY_X], s);
        else gsim_host_access(run->driver, &run->program->ops[order[i]]);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* How long the last copy takes. */
static double copying_us(double cached_gbps, enum gsim_memory_mode memory, const int *ops, int count)
{
    struct fixture f = {.device = fixture_device(), .memory = memory};
    f.device.cached_h2d_gbps = cached_gbps;
    f.device.host_cache_kib = 100;
    program(&f);
    memcpy(order, ops, (size_t)count * sizeof *ops);
    order_count = count;
    fixture_run(&f, in_order);
    CHECK(f.timeline.copy_count > 0);
    const struct gsim_copy_record *last = &f.timeline.copies[f.timeline.copy_count - 1];
    double us = gsim_time_us(last->end - last->start);
    CHECK_INT(last->bytes, 50000);
    fixture_release(&f);
    return us;
}

#define COPYING(gbps, memory, ...)                                                                                     \
    copying_us(gbps, memory, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

/* 5 us at 10 GB/s, 10 at 5. Behind Y's 80,000 bytes 22,400 of X are still there. What is copied once is clean. */
static void written_data_is_slower(void)
{
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PINNED, COPY_X), 5, 1e-5); /* only Y is restored */
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PINNED, WRITE_X, COPY_X), 10, 1e-5);
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PINNED, WRITE_X, COPY_X, COPY_X), 5, 1e-5);
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PINNED, WRITE_X, WRITE_Y, COPY_X), 7.24, 1e-5);
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PINNED, WRITE_X, WRITE_Y, WRITE_Y, COPY_X), 5, 1e-5);
}

static void elsewhere_it_is_not(void)
{
    CHECK_NEAR(COPYING(0, GSIM_MEMORY_PINNED, WRITE_X, COPY_X), 5, 1e-5);
    CHECK_NEAR(COPYING(20, GSIM_MEMORY_PINNED, WRITE_X, COPY_X), 5, 1e-5); /* the link is slower still */
    CHECK_NEAR(COPYING(5, GSIM_MEMORY_PAGEABLE, WRITE_X, COPY_X), 10, 1e-5); /* 5 GB/s, as ever */
    CHECK_NEAR(COPYING(0, GSIM_MEMORY_PAGEABLE, WRITE_X, COPY_X), 10, 1e-5);
}

static const struct test_case cases[] = {{"written data is slower", written_data_is_slower},
                                         {"elsewhere it is not", elsewhere_it_is_not}};
TEST_MAIN("sim/host_cache", cases)
