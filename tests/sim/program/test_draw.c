/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a program that is drawn: kernels and buffers get places as they are first used and lose them; what ops are
 * refused. */
#include "sim/program/draw.h"

#include "gpusim/limits.h"
#include "tests/test.h"

/* Draws what a test puts here. */
static struct {
    struct gsim_op op;
    bool is_over;
    char last_dropped[32];
    uint32_t kernels_added, kernels_dropped, buffers_added, buffers_dropped;
} told;

static enum gsim_status open_nothing(void *state, const void *params, const struct gsim_random *numbers,
                                     struct gsim_draw *draw, struct gsim_error *error)
{
    (void)state, (void)params, (void)numbers, (void)draw, (void)error;
    return GSIM_OK;
}

static enum gsim_source_answer next_told(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    (void)state, (void)draw;
    *op = told.op;
    return told.is_over ? GSIM_SOURCE_END : GSIM_SOURCE_OP;
}

static const struct gsim_source_ops source = {
    GSIM_HEAD(source), .name = "told", .open = open_nothing, .next = next_told};

static enum gsim_status add_kernel(void *data, uint32_t index, struct gsim_error *error)
{
    (void)data, (void)index, (void)error;
    told.kernels_added++;
    return GSIM_OK;
}
static enum gsim_status add_buffer(void *data, uint32_t index, struct gsim_error *error)
{
    (void)data, (void)index, (void)error;
    told.buffers_added++;
    return GSIM_OK;
}
static void drop_kernel(void *data, uint32_t index)
{
    const struct gsim_draw *d = data;
    snprintf(told.last_dropped, sizeof told.last_dropped, "%s", d->tables->program.kernels[index].name);
    told.kernels_dropped++;
}
static void drop_buffer(void *data, uint32_t index)
{
    (void)data, (void)index;
    told.buffers_dropped++;
}
static double no_time(void *data)
{
    (void)data;
    return 0;
}

static struct gsim_draw_hooks hooks = {.add_kernel = add_kernel,
                                       .add_buffer = add_buffer,
                                       .drop_kernel = drop_kernel,
                                       .drop_buffer = drop_buffer,
                                       .now_us = no_time};

static struct gsim_draw_tables tables;

static void end(struct gsim_draw *d)
{
    gsim_draw_release(d);
    gsim_draw_tables_release(&tables);
}

static void begin(struct gsim_draw *d, bool keeps)
{
    struct gsim_error error = {0};
    memset(&told, 0, sizeof told);
    hooks.data = d;
    CHECK_OK(gsim_draw_tables_init(&tables, NULL, "told", keeps, &error), error);
    tables.hooks = &hooks;
    CHECK_OK(gsim_draw_init(d, &tables, &source, 1, &error), error);
    CHECK_OK(gsim_draw_open(d, NULL, &error), error);
}

static uint32_t kernel(struct gsim_draw *d, const char *name, uint32_t blocks)
{
    return gsim_draw_kernel(
        d, &(struct gsim_kernel){.name = name, .grid = {blocks, 1, 1}, .block = {32, 1, 1}, .solo_us = 5});
}

/* Equal kernels have one place. When all are taken, the one whose last use is longest ago gives its own; those in
 * flight do not. */
static void kernels(void)
{
    struct gsim_draw d;
    begin(&d, false);
    uint32_t first = kernel(&d, "first", 1), second = kernel(&d, "second", 1);
    CHECK(first != second && kernel(&d, "first", 1) == first && kernel(&d, "first", 2) != first);
    CHECK_INT(told.kernels_added, 3);
    told.op = (struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = first, .stream = -1};
    const struct gsim_op *in_flight = gsim_draw_op(&d);
    CHECK(in_flight && in_flight->index == 0);
    for (uint32_t i = 3; i < GSIM_DRAW_KERNELS; i++) kernel(&d, "other", i);
    CHECK_INT(told.kernels_dropped, 0);
    kernel(&d, "second", 1); /* used last now; "first" with two blocks is the oldest */
    kernel(&d, "more", 1);
    CHECK_INT(told.kernels_dropped, 1);
    CHECK_STR(told.last_dropped, "first");
    CHECK_STR(tables.program.kernels[first].name, "first");
    CHECK_INT(kernel(&d, "second", 1), second);
    CHECK_INT(kernel(&d, "first", 1), first);
    for (uint32_t i = 0; i < 3 * GSIM_DRAW_KERNELS; i++) kernel(&d, "many", i + 1);
    CHECK_INT(kernel(&d, "first", 1), first);
    gsim_draw_ended(&d, in_flight, 1);
    for (uint32_t i = 0; i < GSIM_DRAW_KERNELS; i++) kernel(&d, "last", i + 1);
    CHECK_STR(tables.program.kernels[first].name, "last");
    CHECK(d.error.status == GSIM_OK && d.live == 0);
    CHECK_INT(d.made, 1);
    end(&d);
}

/* A buffer that was given back lives as long as ops use it; then its place and its bytes are free. */
static void buffers(void)
{
    struct gsim_draw d;
    begin(&d, false);
    uint32_t a = gsim_draw_buffer(&d, "a", 100, GSIM_INIT_DEVICE), b = gsim_draw_buffer(&d, "b", 200, GSIM_INIT_NONE);
    const struct gsim_arg args[] = {{.buffer_index = a, .reads = true}, {.buffer_index = b, .writes = true}};
    told.op = (struct gsim_op){
        .kind = GSIM_OP_KERNEL, .kernel_index = kernel(&d, "k", 1), .args = args, .arg_count = 2, .stream = -1};
    const struct gsim_op *op = gsim_draw_op(&d);
    uint32_t generation = gsim_draw_generation(&d, a);
    gsim_draw_free(&d, a);
    CHECK_INT(told.buffers_dropped, 0);
    CHECK(gsim_draw_buffer(&d, "c", 1, GSIM_INIT_NONE) != a);
    gsim_draw_ended(&d, op, 1);
    CHECK_INT(told.buffers_dropped, 1);
    CHECK_INT(tables.bytes, 201);
    CHECK_INT(gsim_draw_buffer(&d, "d", 50, GSIM_INIT_NONE), a);
    CHECK_INT(gsim_draw_generation(&d, a), generation + 1);
    CHECK_STR(tables.program.buffers[a].name, "d");
    end(&d);
    begin(&d, true); /* what is kept keeps its place */
    a = gsim_draw_buffer(&d, "a", 100, GSIM_INIT_DEVICE);
    gsim_draw_free(&d, a);
    CHECK(gsim_draw_buffer(&d, "a", 100, GSIM_INIT_DEVICE) != a);
    char most[GSIM_LIMIT_NAME + 1];
    memset(most, 'x', GSIM_LIMIT_NAME);
    most[GSIM_LIMIT_NAME] = '\0';
    gsim_draw_buffer(&d, "a.1", 100, GSIM_INIT_DEVICE);
    gsim_draw_buffer(&d, "a.1.1", 100, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < 4; i++) gsim_draw_buffer(&d, most, 100, GSIM_INIT_DEVICE);
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_draws_to_program(&tables, &d, 1, NULL, NULL, &program, &error), error);
    CHECK_STR(program.buffers[0].name, "a");
    CHECK_STR(program.buffers[1].name, "a.1");
    CHECK_STR(program.buffers[2].name, "a.1.2");
    CHECK_STR(program.buffers[3].name, "a.1.1");
    for (uint32_t i = 4; i < 8; i++) CHECK_HAS(program.buffers[i].name, "xxxx");
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t n = 0; n < i; n++)
            CHECK_MSG(strcmp(program.buffers[i].name, program.buffers[n].name) != 0, "two buffers '%s'",
                      program.buffers[i].name);
    gsim_program_release(&program);
    end(&d);
}

static void refused(void)
{
    static const uint32_t late[] = {0}, later[] = {5};
    const struct gsim_arg twice[] = {{.buffer_index = 0, .reads = true}, {.buffer_index = 0, .writes = true}};
    const struct {
        struct gsim_op op;
        const char *says;
    } wrong[] = {
        {{.kind = GSIM_OP_KERNEL, .kernel_index = 7}, "ops[0]: expected a kernel index below 1, found 7"},
        {{.kind = GSIM_OP_KERNEL, .args = twice, .arg_count = 2}, "ops[0]: buffer 'a' is an argument twice"},
        {{.kind = GSIM_OP_KERNEL, .after = later, .after_count = 1},
         "ops[0].after[0]: expected the index of an earlier op, found 5"},
        {{.kind = GSIM_OP_KERNEL, .device = 1}, "ops[0] is for GPU 1, and there is 1 that it may be for"},
        {{.kind = GSIM_OP_HOST_WRITE, .args = twice, .arg_count = 1, .bytes = 1, .untimed = true},
         "ops[0].untimed: a source has no reset"},
        {{.kind = GSIM_OP_COPY, .args = twice, .arg_count = 1, .bytes = 5000},
         "ops[0].bytes: expected 1 to 100, found 5000"},
    };
    struct gsim_draw d;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        begin(&d, false);
        gsim_draw_buffer(&d, "a", 100, GSIM_INIT_DEVICE);
        kernel(&d, "k", 1);
        told.op = wrong[i].op;
        CHECK(gsim_draw_op(&d) == NULL);
        CHECK_INT(d.error.status, GSIM_INPUT);
        CHECK_HAS(d.error.message, wrong[i].says);
        end(&d);
    }
    begin(&d, false);
    kernel(&d, "k", 1);
    told.op = (struct gsim_op){.kind = GSIM_OP_KERNEL, .stream = -1};
    for (uint32_t i = 0; i <= GSIM_SOURCE_AFTER; i++) gsim_draw_ended(&d, gsim_draw_op(&d), 0);
    told.op.after = late;
    told.op.after_count = 1;
    CHECK(gsim_draw_op(&d) == NULL);
    CHECK_HAS(d.error.message, "ops[1025].after[0]: expected one of the last 1024 ops, found 0");
    CHECK_INT(gsim_draw_buffer(&d, "b", 1, GSIM_INIT_NONE), UINT32_MAX); /* the first failure stays */
    CHECK_HAS(d.error.message, "after[0]");
    end(&d);
    begin(&d, false);
    gsim_draw_free(&d, 3);
    CHECK_HAS(d.error.message, "buffer 3 is given back, and there is none");
    end(&d);
    begin(&d, false);
    for (uint32_t i = 0; i <= GSIM_DRAW_BUFFERS; i++) gsim_draw_buffer(&d, "b", 1, GSIM_INIT_NONE);
    CHECK_HAS(d.error.message, "more than 8192 buffers at once");
    end(&d);
}

static const struct test_case cases[] = {
    {"kernels", kernels},
    {"buffers", buffers},
    {"what is refused", refused},
};
TEST_MAIN("sim/program/draw", cases)
