/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M2, twelve wide. KeSCo (ICCD 2023) names a workload M2 of that width without defining it; this one is ours: an
 * attention block of 12 heads, each of which fills at most a twelfth of an A100's 108 SMs.
 */
#include "workloads/bench.h"

#define HEADS      12
#define HEAD_WIDTH 64.0
#define WIDTH      (HEADS * HEAD_WIDTH)

/* thread_cycles of a multiply-add: a latency of 4 cycles over two independent chains; of an element of softmax and
 * norm: a DRAM access of 450 cycles shared by four loads in flight (both assumed). */
#define CYCLES_PER_FMA     2.0
#define CYCLES_PER_ELEMENT 112.0

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e6,
    .kesco_concurrent = {256, 9},
    .kesco_serial = {256, 9},
    .grcuda = {256, 9},
};

static const struct gsim_workload_preset presets[] = {{0}};

static void launch(struct gsim_bench *bench, const char *name, uint32_t grid, double items, struct gsim_cost cost,
                   int32_t stream, const struct gsim_arg *args, size_t arg_count)
{
    struct gsim_bench_launch k = gsim_bench_launch1d(bench, name, 64, 64, &cost, items, stream);
    k.grid.x = grid;
    k.smem_bytes = 32768;
    gsim_bench_launch(bench, &k, args, arg_count);
}

/* A matrix product of so many multiply-adds that moves so many floats. */
static struct gsim_cost product(double fmas, double floats)
{
    return (struct gsim_cost){2, 4 * floats / fmas, CYCLES_PER_FMA, 0};
}

/* Returns the buffer with the head's context. */
static uint32_t head(struct gsim_bench *bench, uint32_t index, uint32_t qkv, double n)
{
    static const struct gsim_cost softmax_cost = {5, 8, CYCLES_PER_ELEMENT, 0};
    uint32_t scores = gsim_bench_buffer_numbered(bench, "scores", index, n * n, 4, GSIM_INIT_NONE);
    uint32_t context = gsim_bench_buffer_numbered(bench, "context", index, n * HEAD_WIDTH, 4, GSIM_INIT_NONE);
    uint32_t grid = bench->options.blocks;
    int32_t stream = (int32_t)index;
    double fmas = n * n * HEAD_WIDTH;
    launch(bench, "qk", grid, fmas, product(fmas, 2 * n * HEAD_WIDTH + n * n), stream,
           GSIM_ARGS(GSIM_IN(qkv), GSIM_OUT(scores)));
    launch(bench, "softmax", grid, n * n, softmax_cost, stream, GSIM_ARGS(GSIM_INOUT(scores)));
    launch(bench, "pv", grid, fmas, product(fmas, 2 * n * HEAD_WIDTH + n * n), stream,
           GSIM_ARGS(GSIM_IN(scores), GSIM_IN(qkv), GSIM_OUT(context)));
    return context;
}

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    static const struct gsim_cost norm_cost = {10, 12, CYCLES_PER_ELEMENT, 0};
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_m2, &limits, options, error);
    if (status != GSIM_OK) return status;
    double n = bench.options.size, elements = n * WIDTH;
    uint32_t wide = bench.options.blocks * HEADS;
    uint32_t x = gsim_bench_buffer(&bench, "x", elements, 4, GSIM_INIT_HOST);
    uint32_t w_qkv = gsim_bench_buffer(&bench, "w_qkv", WIDTH * WIDTH * 3, 4, GSIM_INIT_HOST);
    uint32_t w_out = gsim_bench_buffer(&bench, "w_out", WIDTH * WIDTH, 4, GSIM_INIT_HOST);
    uint32_t qkv = gsim_bench_buffer(&bench, "qkv", elements * 3, 4, GSIM_INIT_NONE);
    uint32_t out = gsim_bench_buffer(&bench, "out", elements, 4, GSIM_INIT_NONE);
    uint32_t y = gsim_bench_buffer(&bench, "y", elements, 4, GSIM_INIT_NONE);
    gsim_bench_reset(&bench, x, elements * 4);

    double fmas = elements * WIDTH;
    launch(&bench, "qkv", wide, 3 * fmas, product(3 * fmas, 4 * elements + 3 * WIDTH * WIDTH), 0,
           GSIM_ARGS(GSIM_IN(x), GSIM_IN(w_qkv), GSIM_OUT(qkv)));
    struct gsim_arg joined[HEADS + 2];
    for (uint32_t i = 0; i < HEADS; i++) joined[i] = GSIM_IN(head(&bench, i, qkv, n));
    joined[HEADS] = GSIM_IN(w_out);
    joined[HEADS + 1] = GSIM_OUT(out);
    launch(&bench, "projection", wide, fmas, product(fmas, 2 * elements + WIDTH * WIDTH), 0, joined, HEADS + 2);
    launch(&bench, "add_norm", wide, elements, norm_cost, 0, GSIM_ARGS(GSIM_IN(x), GSIM_IN(out), GSIM_OUT(y)));
    if (bench.options.suite == GSIM_SUITE_GRCUDA) gsim_bench_host_read(&bench, y, 4);
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_m2 = {
    GSIM_HEAD(workload),
    .name = "m2",
    .summary = "attention block of 12 heads, 12 wide, 39 kernels (streams: 12); our definition",
    .help =
        "KeSCo reports a workload M2 of width 12 but no publication defines it: THIS ONE IS OURS. qkv; per head qk,\n"
        "softmax, pv; projection; add_norm. N tokens, 12 heads of 64, floats. --blocks is the grid of a head's\n"
        "kernels: 9, a twelfth of an A100's SMs, by default; the others have twelve times as many.",
    .size_meaning = "tokens",
    .size_default = {2048, 2048},
    .presets = presets,
    .build = build,
};
