/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list policy and the second model by hand. A node of a graph begins 10 us behind the one before it in its stream,
 * 12 us behind one of another stream.
 */
#include "ask/schedule/assign.h"

#include "tests/sim/machine_fixture.h"

struct asked {
    struct fixture f;
    struct gsim_simulation base;
    struct gsim_units units;
    struct gsim_assignment a;
};

/* Kernels of BLOCKS blocks that take US each alone; AFTER: what each follows, NONE for nothing. */
static void begin(struct asked *q, const double *us, const uint32_t *blocks, const uint32_t *after, uint32_t count)
{
    struct gsim_builder *b = gsim_builder_create("asked");
    *q = (struct asked){0};
    q->f.device = fixture_device();
    q->f.device.graph_node_gap_us = 10;
    q->f.device.graph_cross_gap_us = 12;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_kernel kernel = {
            .name = "k", .grid = {blocks[i], 1, 1}, .block = {32, 1, 1}, .solo_us = us[i]};
        const struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                                   .stream = -1,
                                   .kernel_index = gsim_builder_kernel(b, &kernel),
                                   .after = &after[i],
                                   .after_count = after[i] != UINT32_MAX};
        (void)gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, &q->f.program, &q->f.error), q->f.error);
    q->base = (struct gsim_simulation){.program = &q->f.program, .device = &q->f.device};
    CHECK_OK(gsim_units_init(&q->units, &q->base, NULL, &q->f.error), q->f.error);
    CHECK_OK(gsim_assign_list(&q->a, &q->units, &q->base, 2, &q->f.error), q->f.error);
}

static void release(struct asked *q)
{
    gsim_assignment_release(&q->a);
    gsim_units_release(&q->units);
    gsim_program_release(&q->f.program);
}

/* A (10 us) on stream 0, which is free at 20. P (7) on 1, free at 17: Q (5) goes there, from 17 to 22, free at 32.
 * C follows P: at max(20, 7 + 12) = 20 on stream 0, at 32 on stream 1. Without gaps: at 19 on 0, at 12 on 1. */
static void test_gaps(void)
{
    const double us[] = {10, 7, 5, 1};
    const uint32_t blocks[] = {1, 1, 1, 1}, after[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1};
    const uint32_t expected[] = {0, 1, 1, 0};
    struct asked q;
    begin(&q, us, blocks, after, 4);
    CHECK_INT(q.a.stream_count, 2);
    for (int i = 0; i < 4; i++) CHECK_INT(q.a.stream_of[i], expected[i]);
    release(&q);
}

/* Two kernels of 100 us of 32 threads a block, 4 SMs of up to 32 such blocks: 2 blocks each have SMs of their own, and
 * 128 each fill all of them, so that the gain of two streams is half the time and, gaps left out, none. */
static void test_shares(void)
{
    const double us[] = {100, 100};
    const uint32_t full[] = {128, 128}, half[] = {2, 2}, after[] = {UINT32_MAX, UINT32_MAX};
    for (int is_full = 0; is_full < 2; is_full++) {
        struct asked q;
        struct gsim_assignment one = {0};
        struct gsim_worth worth;
        begin(&q, us, is_full ? full : half, after, 2);
        q.base.memory = GSIM_MEMORY_PINNED;
        gsim_params_set_defaults(gsim_gpu_params, &q.base.gpu);
        CHECK_INT(q.a.stream_count, 2);
        CHECK_OK(gsim_assign_list(&one, &q.units, &q.base, 1, &q.f.error), q.f.error);
        CHECK_OK(gsim_assignment_time(&one, &q.units, &q.base, &q.f.error), q.f.error);
        CHECK_OK(gsim_assignment_time(&q.a, &q.units, &q.base, &q.f.error), q.f.error);
        CHECK_OK(gsim_worth_find(&one, &q.a, &q.units, &q.base, 2, &worth, &q.f.error), q.f.error);
        CHECK_NEAR(worth.plain, is_full ? 0 : 50, 6); /* a gap of 10 us, the host's 3 of a launch */
        CHECK(worth.low <= worth.plain + 1e-9 && worth.plain <= worth.high + 1e-9);
        gsim_assignment_release(&one);
        release(&q);
    }
}

static const struct test_case cases[] = {
    {"gaps", test_gaps},
    {"shares", test_shares},
};

TEST_MAIN("ask/schedule/assign", cases)
