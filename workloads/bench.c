/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared parts of the built-in benchmarks. The benchmarks themselves: one file each beside this one.
 */
#include "workloads/bench.h"

#include <math.h>
#include <stdio.h>

#include "gpusim/limits.h"

static enum gsim_status out_of_range(const struct gsim_bench *bench, const char *option, double minimum, double maximum,
                                     const char *meaning, double found, struct gsim_error *error)
{
    return gsim_error_set(
        error, GSIM_INPUT, "workload '%s': %s: expected an integer from %.0f to %.0f%s%s%s, found %.15g",
        bench->ops->name, option, minimum, maximum, meaning[0] ? " (" : "", meaning, meaning[0] ? ")" : "", found);
}

static bool is_integer_in(double value, double minimum, double maximum)
{
    return value >= minimum && value <= maximum && value == floor(value);
}

enum gsim_status gsim_bench_begin(struct gsim_bench *bench, const struct gsim_workload_ops *ops,
                                  const struct gsim_bench_limits *limits, const struct gsim_workload_options *options,
                                  struct gsim_error *error)
{
    *bench = (struct gsim_bench){.ops = ops, .options = *options};
    struct gsim_workload_options *o = &bench->options;
    const struct gsim_launch_shape *shape = &limits->grcuda;
    if (o->suite == GSIM_SUITE_KESCO)
        shape = o->shape == GSIM_SHAPE_SERIAL ? &limits->kesco_serial : &limits->kesco_concurrent;
    if (o->size == 0) o->size = ops->size_default[o->suite];
    if (o->block1d == 0) o->block1d = shape->block1d;
    if (o->blocks == 0) o->blocks = shape->blocks;
    if (o->iterations == 0) o->iterations = 1;
    if (!is_integer_in(o->size, limits->size_minimum, limits->size_maximum))
        return out_of_range(bench, "size", limits->size_minimum, limits->size_maximum, ops->size_meaning, o->size,
                            error);
    if (o->block1d > GSIM_LIMIT_BLOCK_THREADS)
        return out_of_range(bench, "block1d", 1, GSIM_LIMIT_BLOCK_THREADS, "", o->block1d, error);
    if (o->blocks > GSIM_LIMIT_BLOCKS)
        return out_of_range(bench, "blocks", 1, GSIM_LIMIT_BLOCKS, "", o->blocks, error);
    if (o->iterations > GSIM_LIMIT_ITERATIONS)
        return out_of_range(bench, "iterations", 1, GSIM_LIMIT_ITERATIONS, "", o->iterations, error);
    bench->builder = gsim_builder_create(ops->name);
    return bench->builder ? GSIM_OK : gsim_no_memory(error);
}

uint32_t gsim_bench_buffer(struct gsim_bench *bench, const char *name, double count, double element_bytes,
                           enum gsim_buffer_init init)
{
    return gsim_builder_buffer(bench->builder, name, gsim_whole_u64(count * element_bytes), init);
}

uint32_t gsim_bench_buffer_numbered(struct gsim_bench *bench, const char *name, uint32_t number, double count,
                                    double element_bytes, enum gsim_buffer_init init)
{
    char text[32];
    snprintf(text, sizeof(text), "%s%u", name, number);
    return gsim_bench_buffer(bench, text, count, element_bytes, init);
}

struct gsim_bench_launch gsim_bench_launch1d(const struct gsim_bench *bench, const char *name, uint32_t kesco_regs,
                                             uint32_t grcuda_regs, const struct gsim_cost *cost, double items,
                                             int32_t stream)
{
    return (struct gsim_bench_launch){.name = name,
                                      .grid = {bench->options.blocks, 1, 1},
                                      .block = {bench->options.block1d, 1, 1},
                                      .regs = {kesco_regs, grcuda_regs},
                                      .cost = cost,
                                      .items = items,
                                      .stream = stream};
}

void gsim_bench_launch(struct gsim_bench *bench, const struct gsim_bench_launch *launch, const struct gsim_arg *args,
                       size_t arg_count)
{
    const struct gsim_dim3 *g = &launch->grid, *b = &launch->block;
    double threads = launch->threads;
    if (threads == 0) threads = (double)g->x * g->y * g->z * b->x * b->y * b->z;
    double items_per_thread = launch->items > 0 ? fmax(launch->items / threads, launch->spreads ? 0 : 1) : 0;
    struct gsim_kernel kernel = {
        .name = launch->name,
        .grid = *g,
        .block = *b,
        .regs_per_thread = launch->regs[bench->options.suite],
        .smem_bytes = launch->smem_bytes,
        .fp64 = launch->fp64,
        .flops = launch->items * launch->cost->flops,
        .dram_bytes = launch->items * launch->cost->dram_bytes,
        .thread_cycles = items_per_thread * launch->cost->thread_cycles,
        .sm_cycles = launch->items * launch->cost->sm_cycles,
        .loop_x = launch->loop_x,
        .loop_y = launch->loop_y,
        .loop_z = launch->loop_z,
        .demand_given = launch->demand_given,
        .rows = launch->rows,
    };
    struct gsim_op op = {
        .kind = GSIM_OP_KERNEL,
        .kernel_index = gsim_builder_kernel(bench->builder, &kernel),
        .args = args,
        .arg_count = (uint32_t)arg_count,
        .segments = launch->segment,
        .segment_count = launch->segment != NULL,
        .stream = launch->stream,
        .device = launch->device,
    };
    gsim_builder_op(bench->builder, &op);
}

void gsim_bench_host(struct gsim_bench *bench, enum gsim_op_kind kind, uint32_t buffer, double bytes, bool untimed)
{
    bool reads = kind == GSIM_OP_HOST_READ;
    struct gsim_arg arg = {.buffer_index = buffer, .reads = reads, .writes = !reads, .declared_const = reads};
    struct gsim_op op = {
        .kind = kind, .args = &arg, .arg_count = 1, .bytes = gsim_whole_u64(bytes), .stream = -1, .untimed = untimed};
    gsim_builder_op(bench->builder, &op);
}

void gsim_bench_prefetch(struct gsim_bench *bench, const struct gsim_prefetch_call *calls, size_t call_count)
{
    if (bench->options.suite != GSIM_SUITE_KESCO) return;
    for (size_t i = 0; i < call_count; i++) {
        struct gsim_arg arg = {.buffer_index = calls[i].buffer, .writes = true};
        struct gsim_op op = {.kind = GSIM_OP_PREFETCH,
                             .args = &arg,
                             .arg_count = 1,
                             .bytes = gsim_builder_buffer_bytes(bench->builder, calls[i].buffer),
                             .stream = calls[i].stream};
        gsim_builder_op(bench->builder, &op);
    }
}

struct gsim_dim3 gsim_bench_grid2d(const struct gsim_bench *bench)
{
    uint32_t side = bench->options.blocks > 1 ? bench->options.blocks / 2 : 1;
    return (struct gsim_dim3){side, side, 1};
}

enum gsim_status gsim_bench_finish(struct gsim_bench *bench, struct gsim_program *program, struct gsim_error *error)
{
    enum gsim_status status = gsim_builder_finish(bench->builder, bench->options.iterations, program, error);
    bench->builder = NULL;
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "workload '%s'", bench->ops->name);
}
