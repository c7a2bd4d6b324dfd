/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M1, six wide. KeSCo (ICCD 2023) names a workload M1 of that width without defining it; this one is ours: an
 * inception-like block whose branches have equal work and each fill at most a sixth of an A100's 108 SMs.
 */
#include "workloads/bench.h"

#include <stdio.h>

#define BRANCHES   6
#define CHANNELS   64
#define MAX_DEPTH 3

/* Per fused multiply-add: an instruction latency of 4 cycles over two independent chains (assumed). */
#define CYCLES_PER_FMA 2.0
/* One convolution of 3 x 3, 64 to 64 channels, per pixel; what each branch does in all. */
#define FMAS_PER_PIXEL (CHANNELS * CHANNELS * 9.0)

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e5,
    .kesco_concurrent = {256, 18},
    .kesco_serial = {256, 18},
    .grcuda = {256, 18},
};

static const struct gsim_workload_preset presets[] = {{0}};

/* 1x1; 1x1, 3x3; 1x1, 5x5; 1x1, 3x3, 3x3; 1x1, 1x7, 7x1; pool, 1x1: layers of each branch, equal in work. */
static const char *const layers[BRANCHES][MAX_DEPTH] = {
    {"conv1x1"},
    {"conv1x1", "conv3x3"},
    {"conv1x1", "conv5x5"},
    {"conv1x1", "conv3x3", "conv3x3"},
    {"conv1x1", "conv1x7", "conv7x1"},
    {"pool3x3", "conv1x1"},
};

/* FMAS multiply-adds that move so many BYTES, on GRID blocks. */
static void launch(struct gsim_bench *bench, const char *name, uint32_t grid, double fmas, double bytes, int32_t stream,
                   const struct gsim_arg *args, size_t arg_count)
{
    struct gsim_cost cost = {2, bytes / fmas, CYCLES_PER_FMA, 0};
    struct gsim_bench_launch k = gsim_bench_launch1d(bench, name, 64, 64, &cost, fmas, stream);
    k.grid.x = grid;
    k.smem_bytes = 32768;
    gsim_bench_launch(bench, &k, args, arg_count);
}

/* Returns the buffer with the branch's result. */
static uint32_t branch(struct gsim_bench *bench, uint32_t index, uint32_t from, double pixels)
{
    double map = pixels * CHANNELS, weights = CHANNELS * CHANNELS * 9;
    uint32_t depth = 0;
    while (depth < MAX_DEPTH && layers[index][depth]) depth++;
    for (uint32_t i = 0; i < depth; i++) {
        char name[32];
        snprintf(name, sizeof(name), "b%u_w%u", index, i);
        uint32_t filter = gsim_bench_buffer(bench, name, weights, 4, GSIM_INIT_HOST);
        snprintf(name, sizeof(name), "b%u_y%u", index, i);
        uint32_t to = gsim_bench_buffer(bench, name, map, 4, GSIM_INIT_NONE);
        launch(bench, layers[index][i], bench->options.blocks, pixels * FMAS_PER_PIXEL / depth, (2 * map + weights) * 4,
               (int32_t)index, GSIM_ARGS(GSIM_IN(from), GSIM_IN(filter), GSIM_OUT(to)));
        from = to;
    }
    return from;
}

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_m1, &limits, options, error);
    if (status != GSIM_OK) return status;
    double pixels = bench.options.size * bench.options.size, map = pixels * CHANNELS;
    uint32_t wide = bench.options.blocks * BRANCHES;
    uint32_t x = gsim_bench_buffer(&bench, "x", map, 4, GSIM_INIT_HOST);
    uint32_t filter = gsim_bench_buffer(&bench, "stem_w", CHANNELS * CHANNELS * 9, 4, GSIM_INIT_HOST);
    uint32_t stem = gsim_bench_buffer(&bench, "stem_y", map, 4, GSIM_INIT_NONE);
    uint32_t y = gsim_bench_buffer(&bench, "y", map * BRANCHES, 4, GSIM_INIT_NONE);
    gsim_bench_reset(&bench, x, map * 4);

    launch(&bench, "stem", wide, pixels * FMAS_PER_PIXEL, 8 * map, 0,
           GSIM_ARGS(GSIM_IN(x), GSIM_IN(filter), GSIM_OUT(stem)));
    struct gsim_arg joined[BRANCHES + 1];
    for (uint32_t i = 0; i < BRANCHES; i++) joined[i] = GSIM_IN(branch(&bench, i, stem, pixels));
    joined[BRANCHES] = GSIM_OUT(y);
    launch(&bench, "concat", wide, map * BRANCHES, 8 * map * BRANCHES, 0, joined, BRANCHES + 1);
    if (bench.options.suite == GSIM_SUITE_GRCUDA) gsim_bench_host_read(&bench, y, 4);
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_m1 = {
    GSIM_HEAD(workload),
    .name = "m1",
    .summary = "inception-like block, 6 wide, 15 kernels (streams: 6); our definition",
    .help = "KeSCo reports a workload M1 of width 6 but no publication defines it: THIS ONE IS OURS. stem, 6 branches\n"
            "of 1, 2, 2, 3, 3 and 2 kernels with equal work per branch, concat. N x N pixels of 64 channels; each\n"
            "branch does one 3 x 3 convolution's work. --blocks is the grid of a branch's kernels: 18, a sixth of an\n"
            "A100's SMs, by default; stem and concat have six times as many.",
    .size_meaning = "pixels per side",
    .size_default = {224, 224},
    .presets = presets,
    .build = build,
};
