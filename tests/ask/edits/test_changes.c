/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each change on a program of which it is known what the change is worth. */
#include "ask/edits/changes.h"
#include "ask/edits/edit.h"

#include "tests/sim/machine_fixture.h"

#define COUNT 20

struct changed {
    struct gsim_device_spec device;
    struct gsim_program program;
    struct gsim_error error;
    struct gsim_builder *builder;
    bool has_data;
    char note[200];
    bool has_effect;
};

static struct changed begin(void)
{
    struct changed c = {.device = fixture_device(), .builder = gsim_builder_create("changed")};
    gsim_builder_buffer(c.builder, "data", 1000000, GSIM_INIT_HOST);
    return c;
}

static uint32_t add_kernel(struct changed *c, const char *name, uint32_t blocks, double us, int32_t stream,
                           const uint32_t *after)
{
    struct gsim_kernel kernel = fixture_kernel(name, blocks, 128, us);
    return gsim_builder_op(c->builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                         .kernel_index = gsim_builder_kernel(c->builder, &kernel),
                                                         .stream = stream,
                                                         .after = after,
                                                         .after_count = after != NULL});
}

static uint32_t add_host(struct changed *c, double us, bool overhead, const uint32_t *after)
{
    return gsim_builder_op(c->builder, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                                         .host_us = us,
                                                         .overhead = overhead,
                                                         .stream = -1,
                                                         .after = after,
                                                         .after_count = after != NULL});
}

static uint32_t add_copy(struct changed *c, enum gsim_copy_kind kind, enum gsim_copy_memory memory,
                         const uint32_t *after)
{
    const struct gsim_arg arg = {.buffer_index = 0, .reads = kind != GSIM_COPY_H2D, .writes = kind != GSIM_COPY_D2H};
    return gsim_builder_op(c->builder, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                                         .copy_kind = kind,
                                                         .copy_memory = (uint8_t)memory,
                                                         .args = &arg,
                                                         .arg_count = 1,
                                                         .bytes = 1000000,
                                                         .stream = 0,
                                                         .after = after,
                                                         .after_count = after != NULL});
}

static void finish(struct changed *c)
{
    CHECK_OK(gsim_builder_finish(c->builder, 1, &c->program, &c->error), c->error);
}

/* An iteration with the changes, separated by '+', in microseconds; "": as it is. */
static double time_with(struct changed *c, const char *text)
{
    struct gsim_change changes[4];
    size_t count = 0;
    struct gsim_variant variant;
    struct gsim_timeline timeline = {0};
    struct gsim_simulation simulation = {.program = &c->program,
                                         .device = &c->device,
                                         .scheduler = gsim_scheduler_find("async"),
                                         .memory = GSIM_MEMORY_PINNED,
                                         .seed = 1,
                                         .iterations = 3};
    const struct gsim_changeable base = {.simulation = &simulation, .has_data = c->has_data};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    for (const char *at = text; *at; at += strcspn(at, "+") + (at[strcspn(at, "+")] == '+')) {
        char word[GSIM_CHANGE_TEXT];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "+"), at);
        CHECK_OK(gsim_change_parse(word, &changes[count++], &c->error), c->error);
    }
    CHECK_OK(gsim_variant_of(&variant, &base, changes, count, &c->error), c->error);
    CHECK_OK(gsim_simulate(&variant.simulation, &timeline, &c->error), c->error);
    double us = gsim_time_us(timeline.iterations[2].end - timeline.iterations[2].start);
    snprintf(c->note, sizeof c->note, "%s", variant.note);
    c->has_effect = variant.has_effect;
    gsim_timeline_release(&timeline);
    gsim_variant_release(&variant);
    return us;
}

/* 20 kernels of 1 us with 10 us of framework before each: eager 12 us each, in a graph 1.5. */
static void test_graph(void)
{
    struct changed c = begin();
    for (int i = 0; i < COUNT; i++) {
        add_host(&c, 10, true, NULL);
        add_kernel(&c, "k", 4, 1, 0, NULL);
    }
    finish(&c);
    CHECK_NEAR(time_with(&c, ""), 12 * COUNT + 1 + 1 + 2, 0.05 * 12 * COUNT);
    CHECK_NEAR(time_with(&c, "graph"), 3 + 2 + 1.5 * COUNT + 2, 0.05 * 37); /* a chain, as the stream has it */
    CHECK(c.has_effect);
    CHECK_NEAR(time_with(&c, "launch=2x"), 11 * COUNT + 4, 0.05 * 11 * COUNT);
    time_with(&c, "dag");
    CHECK(!c.has_effect);
    CHECK_HAS(c.note, "--execution-trace");
    gsim_program_release(&c.program);
}

/* Two chains on one stream: by true dependences they run side by side. */
static void test_dependences(void)
{
    struct changed c = begin();
    uint32_t last[2];
    for (int i = 0; i < COUNT; i++) last[i % 2] = add_kernel(&c, "k", 2, 50, 0, i < 2 ? NULL : &last[i % 2]);
    finish(&c);
    c.has_data = true;
    double now = time_with(&c, ""), graph = time_with(&c, "graph"), dag = time_with(&c, "dag"),
           streams = time_with(&c, "streams=2");
    CHECK_NEAR(now, 51 * COUNT, 0.02 * now);
    CHECK_NEAR(graph, 50.5 * COUNT, 0.02 * graph);
    CHECK_NEAR(dag, 50.5 * COUNT / 2, 0.05 * dag);
    CHECK_NEAR(streams, 51 * COUNT / 2, 0.05 * streams);
    /* who issues is the last that is named; a chain stays one */
    CHECK_NEAR(time_with(&c, "streams=2+dag"), dag, 1e-6);
    CHECK_NEAR(time_with(&c, "dag+streams=2"), streams, 1e-6);
    CHECK_NEAR(time_with(&c, "graph+dag"), graph, 1e-6);
    gsim_program_release(&c.program);
}

/* Ops as letters: "k" a kernel in stream 0, "l" one in stream 1, "m" a copy in stream 0, "h" the host's own work, "f" a
 * framework's, "d" dropped; a digit behind one: the op that it follows. Kernels that graphs put behind others are told
 * from one in ten on. */
static void test_rows(void)
{
    static const struct {
        const char *text;
        uint32_t rows;
    } cases[] = {
        {"lhk", 1},   {"lk", 0},    {"hlk", 0},  {"lfk", 0},  {"ldk", 0},  {"kh0k", 0}, {"khk", 0}, {"lh0k", 0},
        {"llh0k", 1}, {"llh1k", 0}, {"lhk0", 0}, {"lhkk", 2}, {"lhkl", 1}, {"lhlk", 0}, {"lhm", 0},
        {"lhk0k0k0k0k0k0k0k", 1},       /* of 9 */
        {"lhk0k0k0k0k0k0k0k0k", 0},     /* of 10 */
        {"lhkm0m0m0m0m0m0m0m0m0m0", 1}, /* copies do not count */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct changed c = begin();
        struct gsim_edit edit;
        bool dropped[32] = {false};
        uint32_t op = 0;
        for (const char *at = cases[i].text; *at; at++) {
            uint32_t after = at[1] >= '0' && at[1] <= '9' ? (uint32_t)(at[1] - '0') : 0;
            const uint32_t *its = at[1] >= '0' && at[1] <= '9' ? &after : NULL;
            if (*at >= '0' && *at <= '9') continue;
            if (*at == 'k' || *at == 'l') op = add_kernel(&c, "k", 4, 1, *at == 'l', its);
            else if (*at == 'm') op = add_copy(&c, GSIM_COPY_H2D, GSIM_COPY_MEMORY_PINNED, its);
            else op = add_host(&c, 1, *at == 'f', its);
            dropped[op] = *at == 'd';
        }
        finish(&c);
        CHECK(gsim_edit_begin(&edit, &c.program));
        memcpy(edit.dropped, dropped, c.program.op_count);
        uint32_t rows = gsim_edit_count_rows(&edit);
        CHECK_MSG(rows == cases[i].rows, "%s: %u rows, expected %u", cases[i].text, rows, cases[i].rows);
        gsim_edit_release(&edit);
        gsim_program_release(&c.program);
    }
}

/* The host waits behind each kernel without need; with a copy to it, it must. */
static void test_nosync(void)
{
    struct changed needless = begin(), needed = begin();
    for (int i = 0; i < COUNT; i++) {
        uint32_t k = add_kernel(&needless, "k", 4, 10, 0, NULL);
        add_host(&needless, 1, false, &k);
        uint32_t other = add_kernel(&needed, "k", 4, 10, 0, NULL),
                 copy = add_copy(&needed, GSIM_COPY_D2H, GSIM_COPY_MEMORY_PINNED, &other);
        add_host(&needed, 1, false, &copy);
    }
    finish(&needless);
    finish(&needed);
    CHECK_NEAR(time_with(&needless, ""), 16 * COUNT, 0.05 * 16 * COUNT);
    CHECK_NEAR(time_with(&needless, "nosync"), 11 * COUNT, 0.05 * 11 * COUNT);
    double now = time_with(&needed, "");
    CHECK_NEAR(time_with(&needed, "nosync"), now, 1e-6);
    CHECK(!needed.has_effect);
    gsim_program_release(&needless.program);
    gsim_program_release(&needed.program);
}

static void test_fuse(void)
{
    struct changed c = begin();
    for (int i = 0; i < COUNT; i++) {
        add_host(&c, 10, true, NULL);
        struct gsim_kernel kernel = {.name = "vectorized_elementwise_kernel",
                                     .grid = {4, 1, 1},
                                     .block = {128, 1, 1},
                                     .regs_per_thread = 32,
                                     .solo_us = 2};
        gsim_builder_op(c.builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                     .kernel_index = gsim_builder_kernel(c.builder, &kernel),
                                                     .stream = 0});
    }
    finish(&c);
    CHECK_NEAR(time_with(&c, ""), 12 * COUNT, 0.05 * 12 * COUNT);
    /* 17 in one kernel, then the last 3. */
    CHECK_NEAR(time_with(&c, "fuse"), 12 + 1 + 34 + 1 + 6 + 2, 0.1 * 56);
    gsim_program_release(&c.program);
    /* The second of two waits for one of 100 us on another stream: both do, once they are one. */
    struct changed waits = begin();
    uint32_t slow = add_kernel(&waits, "slow", 4, 100, 1, NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t kernel =
            gsim_builder_kernel(waits.builder, &(struct gsim_kernel){.name = "vectorized_elementwise_kernel",
                                                                     .grid = {4, 1, 1},
                                                                     .block = {128, 1, 1},
                                                                     .regs_per_thread = 32,
                                                                     .solo_us = 2});
        gsim_builder_op(waits.builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                         .kernel_index = kernel,
                                                         .stream = 0,
                                                         .after = i ? &slow : NULL,
                                                         .after_count = (uint32_t)i});
    }
    finish(&waits);
    CHECK_NEAR(time_with(&waits, "fuse") - time_with(&waits, ""), 2, 0.6);
    gsim_program_release(&waits.program);
}

/* Staged copies of 200 us keep the host from launching; pinned ones of 100 us go beside the kernels. */
static void test_pinned(void)
{
    struct changed c = begin();
    for (int i = 0; i < 5; i++) {
        uint32_t copy = add_copy(&c, GSIM_COPY_H2D, GSIM_COPY_MEMORY_PAGEABLE, NULL);
        uint32_t host = add_host(&c, 1, false, &copy);
        add_kernel(&c, "k", 4, 100, 0, &host);
    }
    finish(&c);
    CHECK_NEAR(time_with(&c, ""), 5 * 306, 0.02 * 1530);
    CHECK_NEAR(time_with(&c, "pinned"), 5 * 100 + 100, 0.05 * 600);
    CHECK_NEAR(time_with(&c, "pinned+link=2x"), 50 + 5 * 101, 0.05 * 555);
    gsim_program_release(&c.program);
}

/* One stream has a chain behind its first kernel, the other fills the GPU. */
static void test_priorities(void)
{
    struct changed c = begin();
    for (int i = 0; i < 4; i++) add_kernel(&c, "wide", 4 * 16 * 4, 50, 0, NULL);
    for (int i = 0; i < 10; i++) add_kernel(&c, "chain", 1, 50, 1, NULL);
    finish(&c);
    double now = time_with(&c, ""), urgent = time_with(&c, "priorities");
    CHECK_MSG(urgent < 0.95 * now, "%.1f with priorities, %.1f without", urgent, now);
    gsim_program_release(&c.program);
}

static void test_kernels(void)
{
    struct changed c = begin();
    for (int i = 0; i < COUNT; i++) add_kernel(&c, i % 2 ? "gemm" : "norm", 4, 20, 0, NULL);
    finish(&c);
    CHECK_NEAR(time_with(&c, ""), 21 * COUNT, 0.03 * 21 * COUNT);
    CHECK_NEAR(time_with(&c, "kernel:gemm=2x"), 16 * COUNT, 0.03 * 16 * COUNT);
    time_with(&c, "kernel:none=2x");
    CHECK_STR(c.note, "no kernel has that name");
    gsim_program_release(&c.program);
}

/* Three kernels of one block in a stream, 10 us each, gaps of 1 us. Launched programmatically, with a fifth before the
 * wait and a trigger half-way: each begins within the one before, and its last 8 us come a gap of 0.25 us behind that
 * one's end. */
static void test_programmatic(void)
{
    struct changed c = begin();
    for (int i = 0; i < 3; i++) add_kernel(&c, "k", 1, 10, 0, NULL);
    c.device.programmatic_gap_us = 0.25;
    c.device.compute_capability = 90;
    finish(&c);
    double now = time_with(&c, ""), ahead = time_with(&c, "pdl=0.2");
    CHECK(c.has_effect);
    CHECK_HAS(c.note, "assumed: 20 % of each kernel before its wait, trigger half-way");
    CHECK_NEAR(now - ahead, 2 * (2 + 1 - 0.25), 0.05);
    CHECK_NEAR(now - time_with(&c, "pdl=0.1"), 2 * (1 + 1 - 0.25), 0.05);
    CHECK_NEAR(now - time_with(&c, "pdl"), 2 * (1 - 0.25), 0.05);
    CHECK_HAS(c.note, "trigger at their ends");
    c.device.compute_capability = 80;
    time_with(&c, "pdl");
    CHECK(!c.has_effect);
    CHECK_HAS(c.note, "compute capability 9.0");
    gsim_program_release(&c.program);
}

/* A copy between two kernels, or another stream's kernel to wait for: the second is launched as it was. */
static void test_programmatic_is_undone(void)
{
    struct changed c = begin();
    uint32_t other = add_kernel(&c, "k", 1, 10, 1, NULL);
    add_kernel(&c, "k", 1, 10, 0, NULL);
    add_copy(&c, GSIM_COPY_H2D, GSIM_COPY_MEMORY_OF_RUN, NULL);
    add_kernel(&c, "k", 1, 10, 0, NULL);
    add_kernel(&c, "k", 1, 10, 0, &other);
    c.device.compute_capability = 90;
    finish(&c);
    time_with(&c, "pdl");
    CHECK(!c.has_effect);
    gsim_program_release(&c.program);
}

static void test_words(void)
{
    static const char *const wrong[] = {"graphs",      "graph=2",      "launch=0", "launch=x",
                                        "streams=1.5", "hw_queues=64", "pdl=1",    "device",
                                        "device=",     "kernel:",      "power",    "power=400x", ""};
    struct gsim_change change;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct gsim_error error = {0};
        CHECK_MSG(gsim_change_parse(wrong[i], &change, &error) == GSIM_USAGE, "'%s' was taken", wrong[i]);
    }
    struct gsim_error error = {0};
    CHECK_OK(gsim_change_parse("kernel:a=b<c>=1.5x", &change, &error), error);
    CHECK_STR(change.argument, "a=b<c>");
    CHECK_NEAR(change.factor, 1.5, 0);
}

static const struct test_case cases[] = {
    {"capture", test_graph},
    {"true dependences", test_dependences},
    {"kernels in a row", test_rows},
    {"synchronisations", test_nosync},
    {"fused launches", test_fuse},
    {"pinned memory", test_pinned},
    {"priorities", test_priorities},
    {"faster kernels", test_kernels},
    {"programmatic launch", test_programmatic},
    {"what undoes it", test_programmatic_is_undone},
    {"words", test_words},
};

TEST_MAIN("ask/edits/changes", cases)
