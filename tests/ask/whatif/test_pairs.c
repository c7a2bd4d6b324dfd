/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two streams that do not overlap, for one known reason each: it is named, alone, and worth what its removal saves. */
#include "ask/whatif/pairs.h"

#include "tests/sim/machine_fixture.h"

#define COUNT 10

struct paired {
    struct gsim_device_spec device;
    struct gsim_program program;
    struct gsim_error error;
    struct gsim_builder *builder;
    struct gsim_simulation simulation;
    struct gsim_timeline timeline;
    struct gsim_explanation x;
    struct gsim_pair *pairs;
    size_t count;
};

static struct paired begin(void)
{
    struct paired p = {.device = fixture_device(), .builder = gsim_builder_create("pair")};
    gsim_builder_buffer(p.builder, "data", 1000000, GSIM_INIT_HOST);
    return p;
}

static uint32_t add_kernel(struct paired *p, uint32_t blocks, uint32_t threads, double us, int32_t stream,
                           const uint32_t *after)
{
    struct gsim_kernel kernel = fixture_kernel("k", blocks, threads, us);
    return gsim_builder_op(p->builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                         .kernel_index = gsim_builder_kernel(p->builder, &kernel),
                                                         .stream = stream,
                                                         .after = after,
                                                         .after_count = after != NULL});
}

static uint32_t add_host(struct paired *p, double us, const uint32_t *after)
{
    return gsim_builder_op(p->builder, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                                         .host_us = us,
                                                         .overhead = true,
                                                         .stream = -1,
                                                         .after = after,
                                                         .after_count = after != NULL});
}

static uint32_t add_copy(struct paired *p, int32_t stream)
{
    const struct gsim_arg arg = {.buffer_index = 0, .writes = true};
    return gsim_builder_op(p->builder, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                                         .copy_kind = GSIM_COPY_H2D,
                                                         .copy_memory = GSIM_COPY_MEMORY_PINNED,
                                                         .args = &arg,
                                                         .arg_count = 1,
                                                         .bytes = 1000000,
                                                         .stream = stream});
}

static void finish(struct paired *p)
{
    CHECK_OK(gsim_builder_finish(p->builder, 1, &p->program, &p->error), p->error);
    p->simulation = (struct gsim_simulation){.program = &p->program,
                                             .device = &p->device,
                                             .scheduler = gsim_scheduler_find("async"),
                                             .memory = GSIM_MEMORY_PINNED,
                                             .seed = 1,
                                             .detailed = true};
    gsim_params_set_defaults(gsim_gpu_params, &p->simulation.gpu);
    CHECK_OK(gsim_simulate(&p->simulation, &p->timeline, &p->error), p->error);
    CHECK_OK(gsim_explain(&p->simulation, &p->timeline, GSIM_ALL_ITERATIONS, &p->x, &p->error), p->error);
    CHECK_OK(gsim_pairs_find(&p->x, &p->pairs, &p->count, &p->error), p->error);
}

static void release(struct paired *p)
{
    gsim_free(p->pairs);
    gsim_explanation_release(&p->x);
    gsim_timeline_release(&p->timeline);
    gsim_program_release(&p->program);
}

static double end_of(const struct gsim_timeline *t)
{
    gsim_time end = 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].end > end) end = t->kernels[i].end;
    return gsim_time_us(end);
}

/* How much earlier the last kernel ends without REASON. */
static double worth(struct paired *p, enum gsim_reason reason)
{
    struct gsim_variant variant;
    struct gsim_timeline timeline = {0};
    CHECK_OK(gsim_pair_without(&variant, &p->simulation, p->x.moments, &p->pairs[0], reason, &p->error), p->error);
    CHECK_OK(gsim_simulate(&variant.simulation, &timeline, &p->error), p->error);
    double us = end_of(&p->timeline) - end_of(&timeline);
    gsim_timeline_release(&timeline);
    gsim_variant_release(&variant);
    return us;
}

/* REASON holds for HELD_US, no other does for more than a tenth of that, and it is worth WORTH_US; all within 5 %. */
static void check_reason(struct paired *p, enum gsim_reason reason, double held_us, double worth_us)
{
    finish(p);
    CHECK_INT(p->count, 1);
    if (p->count != 1) return;
    for (int r = 0; r < GSIM_PAIR_REASON_COUNT; r++) {
        double held = gsim_time_us(p->pairs[0].held[r]);
        if (r == (int)reason)
            CHECK_MSG(fabs(held - held_us) <= 0.05 * held_us, "%s holds for %.2f us, expected %.2f",
                      gsim_reason_word(reason), held, held_us);
        else
            CHECK_MSG(held <= 0.1 * held_us, "%s holds for %.2f us beside %s", gsim_reason_word((enum gsim_reason)r),
                      held, gsim_reason_word(reason));
    }
    double saved = worth(p, reason);
    CHECK_MSG(fabs(saved - worth_us) <= 0.05 * worth_us, "%s is worth %.2f us, expected %.2f", gsim_reason_word(reason),
              saved, worth_us);
    release(p);
}

/* Streams by turns, each launch 22 us behind the one before; at once each stream takes 10 x (10 + 1). */
static void test_host(void)
{
    struct paired p = begin();
    for (int i = 0; i < 2 * COUNT; i++) {
        add_host(&p, 20, NULL);
        add_kernel(&p, 4, 128, 10, i % 2, NULL);
    }
    check_reason(&p, GSIM_PAIR_HOST, 10 * (2 * COUNT - 1), 22 * 2 * COUNT - 11 * COUNT);
}

/* The host waits for each kernel before it launches the next one on the other stream. A round takes 2 + 1 + 50 + 2. */
static void test_waits(void)
{
    struct paired p = begin();
    for (int i = 0; i < 2 * COUNT; i++) {
        uint32_t kernel = add_kernel(&p, 4, 128, 50, i % 2, NULL);
        add_host(&p, 0, &kernel);
    }
    check_reason(&p, GSIM_PAIR_WAITS, 50 * (2 * COUNT - 1), 55 * 2 * COUNT - 51 * COUNT);
}

/* Each kernel follows the one before it on the other stream; without, each stream is a chain of half as many. */
static void test_dependence(void)
{
    struct paired p = begin();
    uint32_t last = 0;
    for (int i = 0; i < 2 * COUNT; i++) last = add_kernel(&p, 4, 128, 100, i % 2, i ? &last : NULL);
    check_reason(&p, GSIM_PAIR_DEPENDENCE, 100 * (2 * COUNT - 1), 101.5 * 2 * COUNT - 101 * COUNT);
}

/* One hardware queue, and all of the first stream's kernels launched before those of the second: these come behind the
 * last of those. */
static void test_queue(void)
{
    struct paired p = begin();
    p.device.hw_queues = 1;
    for (int i = 0; i < 2 * COUNT; i++) add_kernel(&p, 4, 128, 100, i >= COUNT, NULL);
    check_reason(&p, GSIM_PAIR_QUEUE, 101 * (COUNT - 1), 101 * (COUNT - 1));
}

/* Each kernel fills the GPU's threads by itself. */
static void test_room(void)
{
    struct paired p = begin();
    for (int i = 0; i < 2 * COUNT; i++) add_kernel(&p, 8, 1024, 100, i % 2, NULL);
    check_reason(&p, GSIM_PAIR_ROOM, 100 * (2 * COUNT - 1), 100 * COUNT);
}

/* Before each kernel of 100 us its copy of 100; one engine serves both streams, so that each kernel runs beside the
 * other's copy: 201 for one of each stream, 100 until the first. Then a copy takes 0.1: each stream is a chain of 101,
 * the kernels of both at once. */
static void test_copies(void)
{
    struct paired p = begin();
    for (int i = 0; i < 2 * COUNT; i++) {
        add_copy(&p, i % 2);
        add_kernel(&p, 4, 128, 100, i % 2, NULL);
    }
    check_reason(&p, GSIM_PAIR_COPIES, 100 * (2 * COUNT - 1), 201 * COUNT + 100 - 101 * COUNT);
}

/* What overlaps as far as it can is no pair; nor is one stream. */
static void test_none(void)
{
    struct paired together = begin(), one = begin();
    for (int i = 0; i < 2; i++) {
        add_kernel(&together, 4, 128, i ? 100 : 200, i, NULL);
        add_kernel(&one, 4, 128, 100, 0, NULL);
    }
    finish(&together);
    finish(&one);
    CHECK_INT(together.count, 0);
    CHECK_INT(one.count, 0);
    release(&together);
    release(&one);
}

static const struct test_case cases[] = {
    {"the host launches late", test_host},
    {"the host waits", test_waits},
    {"dependence", test_dependence},
    {"hardware queue", test_queue},
    {"no room", test_room},
    {"copies", test_copies},
    {"no reason", test_none},
};

TEST_MAIN("ask/whatif/pairs", cases)
