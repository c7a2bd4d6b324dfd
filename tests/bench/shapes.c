/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs that the benchmark times. Kernels of 32 blocks and 5 to 16 us, so that several are
 * resident at once and ends do not coincide.
 */
#include <inttypes.h>

#include "tests/bench/bench.h"

enum { BENCH_WIDTH = 12, BENCH_KERNELS = 12, BENCH_GRID = 32, BENCH_THREADS = 256 };

const char *bench_shape_name(enum bench_shape shape)
{
    static const char *const names[BENCH_SHAPE_COUNT] = {"chain",     "layered-12", "independent-12",
                                                         "random-12", "service",    "blocks"};
    return names[shape];
}

static struct gsim_kernel bench_kernel(const char *name, uint32_t blocks, double solo_us)
{
    return (struct gsim_kernel){.name = name,
                                .grid = {blocks, 1, 1},
                                .block = {BENCH_THREADS, 1, 1},
                                .regs_per_thread = 32,
                                .solo_us = solo_us};
}

static uint32_t add_kernel_op(struct gsim_builder *builder, enum bench_shape shape, uint32_t i, uint32_t kernel_index)
{
    uint32_t column = shape == BENCH_CHAIN ? 0 : i % BENCH_WIDTH;
    struct gsim_arg arg = {.buffer_index = column, .reads = true, .writes = true};
    /* The right neighbour's kernel of the layer before; own column's follows from the stream and the data. */
    uint32_t after = i - i % BENCH_WIDTH - BENCH_WIDTH + (column + 1) % BENCH_WIDTH;
    bool waits = shape == BENCH_LAYERED && i >= BENCH_WIDTH;
    return gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                      .kernel_index = kernel_index,
                                                      .arg_count = 1,
                                                      .args = &arg,
                                                      .after_count = waits ? 1 : 0,
                                                      .after = waits ? &after : NULL,
                                                      .stream = (int32_t)column});
}

/* A fixed sequence, the same everywhere. */
static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % count);
}

static bool add_random(struct gsim_builder *builder, enum bench_shape shape, uint32_t count)
{
    enum { KINDS = 20, GRIDS = 5, BACK = 2 * BENCH_WIDTH, AFTER = 2 };
    static const uint32_t grids[GRIDS] = {8, 32, 96, 264, 528};
    uint64_t state = 1;
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        uint32_t which = draw(&state, KINDS), after[AFTER], after_count = 0;
        struct gsim_arg arg = {.buffer_index = draw(&state, BENCH_WIDTH), .reads = true};
        for (int a = 0; a < AFTER && i >= BACK && shape == BENCH_RANDOM; a++) {
            uint32_t before = i - 1 - draw(&state, BACK);
            if (!after_count || after[0] != before) after[after_count++] = before;
        }
        snprintf(name, sizeof name, "r%" PRIu32, which);
        struct gsim_kernel kernel = bench_kernel(name, grids[which % GRIDS], 5.0 + which);
        uint32_t index = gsim_builder_kernel(builder, &kernel);
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .kernel_index = index,
                             .arg_count = 1,
                             .args = &arg,
                             .after_count = after_count,
                             .after = after_count ? after : NULL,
                             .stream = shape == BENCH_RANDOM ? (int32_t)draw(&state, BENCH_WIDTH) : 0};
        if (index == UINT32_MAX || gsim_builder_op(builder, &op) == UINT32_MAX) return false;
    }
    return true;
}

enum gsim_status bench_program(enum bench_shape shape, uint32_t count, struct gsim_program *program,
                               struct gsim_error *error)
{
    struct gsim_builder *builder = gsim_builder_create(bench_shape_name(shape));
    bool failed = !builder;
    for (uint32_t i = 0; !failed && i < BENCH_WIDTH; i++) {
        char name[16];
        snprintf(name, sizeof(name), "b%" PRIu32, i);
        failed = gsim_builder_buffer(builder, name, 1 << 20, GSIM_INIT_DEVICE) == UINT32_MAX;
    }
    if (!failed && shape == BENCH_BLOCKS) {
        /* About 5 us per wave of blocks on a device that holds 864 at once. */
        struct gsim_kernel kernel = bench_kernel("big", count, 5.0 * (1.0 + (double)count / 864.0));
        uint32_t index = gsim_builder_kernel(builder, &kernel);
        failed = index == UINT32_MAX || add_kernel_op(builder, shape, 0, index) == UINT32_MAX;
    }
    if (!failed && (shape == BENCH_RANDOM || shape == BENCH_SERVICE)) failed = !add_random(builder, shape, count);
    for (uint32_t i = 0; !failed && shape < BENCH_RANDOM && i < count; i++) {
        static const char *const names[BENCH_KERNELS] = {"k0", "k1", "k2", "k3", "k4",  "k5",
                                                         "k6", "k7", "k8", "k9", "k10", "k11"};
        /* 5 is prime to 12: neighbours in a layer and in a stream differ. */
        uint32_t which = (i + 5 * (i / BENCH_WIDTH)) % BENCH_KERNELS;
        struct gsim_kernel kernel = bench_kernel(names[which], BENCH_GRID, 5.0 + which);
        uint32_t index = gsim_builder_kernel(builder, &kernel);
        failed = index == UINT32_MAX || add_kernel_op(builder, shape, i, index) == UINT32_MAX;
    }
    if (failed) {
        gsim_builder_destroy(builder);
        return gsim_error_set(error, GSIM_NOMEM, "out of memory building '%s'", bench_shape_name(shape));
    }
    return gsim_builder_finish(builder, 1, program, error);
}

int bench_program_write(const struct gsim_program *program, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) return -1;
    fprintf(out, "{\"schema\": \"gpusim-program/1\", \"name\": \"%s\",\n \"buffers\": [", program->name);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        fprintf(out, "%s\n  {\"name\": \"%s\", \"bytes\": %" PRIu64 ", \"init\": \"device\"}", i ? "," : "",
                program->buffers[i].name, program->buffers[i].bytes);
    fprintf(out, "],\n \"kernels\": [");
    for (uint32_t i = 0; i < program->kernel_count; i++)
        fprintf(out, "%s\n  {\"name\": \"%s\", \"regs_per_thread\": %" PRIu32 ", \"solo_us\": %.17g}", i ? "," : "",
                program->kernels[i].name, program->kernels[i].regs_per_thread, program->kernels[i].solo_us);
    fprintf(out, "],\n \"ops\": [");
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        const struct gsim_kernel *kernel = &program->kernels[op->kernel_index];
        const char *buffer = program->buffers[op->args[0].buffer_index].name;
        fprintf(out, "%s\n  {\"op\": \"kernel\", \"kernel\": \"%s\", \"grid\": [%" PRIu32 ",1,1], ", i ? "," : "",
                kernel->name, kernel->grid.x);
        fprintf(out, "\"block\": [%" PRIu32 ",1,1], \"reads\": [\"%s\"], ", kernel->block.x, buffer);
        if (op->args[0].writes) fprintf(out, "\"writes\": [\"%s\"], ", buffer);
        for (uint32_t a = 0; a < op->after_count; a++)
            fprintf(out, "%s%" PRIu32, a ? ", " : "\"after\": [", op->after[a]);
        if (op->after_count) fprintf(out, "], ");
        fprintf(out, "\"stream\": %" PRId32 "}", op->stream);
    }
    fprintf(out, "],\n \"iterations\": 1}\n");
    int failed = ferror(out);
    return fclose(out) || failed ? -1 : 0;
}
