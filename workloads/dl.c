/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DL, two small convolutional towers, concatenation and a dot product (GrCUDA, IPDPS 2021, benchmark b10; KeSCo,
 * ICCD 2023). The launch of mean_pooling gives most of its blocks no work (loop_z); where its time is
 * not measured all are equally long.
 */
#include "workloads/bench.h"

#include <math.h>

#define CHANNELS_1 8
#define CHANNELS_2 16

/* Per output position (conv2d), output element (mean_pooling, concat, dot_product). flops: derived. dram_bytes:
 * measured on V100 at N = 14,000. By suite.
 * kesco: concat and dot_product: thread_cycles and sm_cycles fitted to that profile (32 x 1,024 and 32 x 256 threads).
 * conv2d: thread_cycles assumed half of the measured time, sm_cycles fitted: two side by side take 7/4 of one's time,
 * by the blocks on the fullest SM, as in KeSCo's timeline at N = 10,000 (which has page faults, too). mean_pooling:
 * thread_cycles assumed, sm_cycles fitted. grcuda, no trace was published: conv2d and mean_pooling in the ratio that
 * they have in KeSCo's profile, thread_cycles and sm_cycles fitted to the serial and the parallel time of N = 7,000 on
 * a GTX 960 (64 blocks). Grids that fill the chip need CROWDED times the sm_cycles, fitted to the contention-free times
 * of N = 12,000 on P100 (3.3 alone) and GTX 1660 Super (1.8 alone): what the blocks' rows displace in the caches, which
 * differs between these two and has no place here. */
static const struct gsim_cost conv_1_cost[2] = {{144, 115, 29200, 223}, {144, 115, 31000, 48.8}};
static const struct gsim_cost pool_cost[2] = {{26, 376, 75000, 86}, {26, 100, 9900, 15.6}};
static const struct gsim_cost conv_2_cost[2] = {{2304, 1161, 573000, 4396}, {2304, 1161, 610000, 958}};
static const struct gsim_cost concat_cost = {0, 15.8, 1070, 2.13};
static const struct gsim_cost dot_cost = {2, 8.1, 499, 0.902};
#define CROWDED        2.4
#define CROWDED_BLOCKS 1024 /* of a grid: from here on it fills every card that was published */

static struct gsim_cost cost_of(const struct gsim_bench *bench, const struct gsim_cost by_suite[2],
                                struct gsim_dim3 grid)
{
    struct gsim_cost cost = by_suite[bench->options.suite];
    bool is_crowded = (double)grid.x * grid.y * grid.z >= CROWDED_BLOCKS;
    if (bench->options.suite == GSIM_SUITE_GRCUDA && is_crowded) cost.sm_cycles *= CROWDED;
    return cost;
}

static const struct gsim_bench_limits limits = {
    .size_minimum = 60,
    .size_maximum = 1e6,
    .kesco_concurrent = {256, 32},
    .kesco_serial = {1024, 32},
    .grcuda = {32, 448},
};

static const struct gsim_workload_preset presets[] = {
    GSIM_PRESETS("kesco", GSIM_SUITE_KESCO, 0, 0, GSIM_SOURCE_KESCO, 7000, 10000, 14000, 18000, 22000),
    GSIM_PRESETS("gtx960", GSIM_SUITE_GRCUDA, 16, 32, GSIM_SOURCE_GRCUDA, 3000, 4000, 5000, 6000, 7000),
    GSIM_PRESETS("gtx1660s", GSIM_SUITE_GRCUDA, 176, 32, GSIM_SOURCE_GRCUDA, 6000, 7000, 10000, 12000, 14000),
    GSIM_PRESETS("p100", GSIM_SUITE_GRCUDA, 448, 32, GSIM_SOURCE_GRCUDA, 7000, 10000, 12000, 14000, 16000),
    GSIM_PRESETS("v100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 12000, 16000, 18000, 20000, 22000),
    GSIM_PRESETS("a100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 12000, 16000, 18000, 20000, 22000),
    {0},
};

struct lengths {
    double x, x1, x11, x2, z;
};

static struct lengths lengths(const struct gsim_bench *bench)
{
    double n = bench->options.size, half = floor(n / 2), tenth = floor(n / 10), twentieth = floor(n / 20);
    struct lengths l = {.x = n * n, .x1 = half * half * CHANNELS_1, .x2 = twentieth * twentieth * CHANNELS_2};
    l.x11 = bench->options.suite == GSIM_SUITE_KESCO ? floor(l.x1 / 25) : tenth * tenth * CHANNELS_1;
    l.z = 2 * l.x2;
    return l;
}

/* One tower's buffers: input, after the first convolution, after pooling, after the second; the two filters. */
struct tower {
    uint32_t x, x1, x11, x2, kernel_1, kernel_2;
};

static void tower_buffers(struct gsim_bench *bench, struct tower *tower, const char *const names[6])
{
    struct lengths l = lengths(bench);
    tower->x = gsim_bench_buffer(bench, names[0], l.x, 4, GSIM_INIT_HOST);
    tower->x1 = gsim_bench_buffer(bench, names[1], l.x1, 4, GSIM_INIT_NONE);
    tower->x11 = gsim_bench_buffer(bench, names[2], l.x11, 4, GSIM_INIT_NONE);
    tower->x2 = gsim_bench_buffer(bench, names[3], l.x2, 4, GSIM_INIT_NONE);
    tower->kernel_1 = gsim_bench_buffer(bench, names[4], 9 * CHANNELS_1, 4, GSIM_INIT_HOST);
    tower->kernel_2 = gsim_bench_buffer(bench, names[5], 9 * CHANNELS_1 * CHANNELS_2, 4, GSIM_INIT_HOST);
    gsim_bench_reset(bench, tower->x, l.x * 4);
}

/* A 3 x 3 convolution with stride 2 of an image with SIDE pixels per side. */
static void conv(struct gsim_bench *bench, uint32_t to, uint32_t from, uint32_t filter, double side,
                 uint32_t filter_bytes, const struct gsim_cost *cost, int32_t stream)
{
    double positions = floor(side / 2) - 1;
    struct gsim_cost its = cost_of(bench, cost, gsim_bench_grid2d(bench));
    struct gsim_bench_launch k = {
        .name = "conv2d",
        .grid = gsim_bench_grid2d(bench),
        .block = GSIM_BLOCK2D,
        .regs = {22, 32}, /* grcuda: assumed, no trace of DL was published */
        .smem_bytes = filter_bytes,
        .cost = &its,
        .items = positions * positions,
        .loop_x = positions,
        .loop_y = positions,
        .spreads = true,
        .stream = stream,
    };
    gsim_bench_launch(bench, &k, GSIM_ARGS(GSIM_OUT(to), GSIM_IN_NON_CONST(from), GSIM_IN(filter)));
}

static void pool(struct gsim_bench *bench, const struct tower *tower, int32_t stream)
{
    uint32_t side = bench->options.blocks / (bench->options.suite == GSIM_SUITE_KESCO || bench->options.cxx ? 2 : 4);
    double tenth = floor(bench->options.size / 10);
    if (side < 1) side = 1;
    struct gsim_cost its = cost_of(bench, pool_cost, (struct gsim_dim3){side, side, side});
    struct gsim_bench_launch k = {
        .name = "mean_pooling",
        .grid = {side, side, side},
        .block = {4, 4, 4},
        .regs = {20, 20},
        .cost = &its,
        .spreads = true,
        .items = lengths(bench).x11,
        .loop_x = tenth,
        .loop_y = tenth,
        .loop_z = CHANNELS_1,
        .stream = stream,
    };
    gsim_bench_launch(bench, &k, GSIM_ARGS(GSIM_OUT(tower->x11), GSIM_IN(tower->x1)));
}

/* What the towers lead to. */
struct join {
    uint32_t z, weights, res;
};

static void join_towers(struct gsim_bench *bench, const struct join *join, const struct tower *towers)
{
    struct lengths l = lengths(bench);
    bool is_kesco = bench->options.suite == GSIM_SUITE_KESCO || bench->options.cxx; /* both C++ */
    struct gsim_bench_launch k = gsim_bench_launch1d(bench, "concat", 18, 18, &concat_cost, l.x2, 0);
    gsim_bench_launch(bench, &k, GSIM_ARGS(GSIM_OUT(join->z), GSIM_IN(towers[0].x2), GSIM_IN(towers[1].x2)));
    /* The C++ version stops half-way. */
    k = gsim_bench_launch1d(bench, "dot_product", 20, 20, &dot_cost, is_kesco ? l.x2 : l.z, 0);
    gsim_bench_launch(bench, &k, GSIM_ARGS(GSIM_IN(join->z), GSIM_IN(join->weights), GSIM_INOUT(join->res)));
    if (!is_kesco) gsim_bench_host_read(bench, join->res, 4);
}

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    static const char *const names[2][6] = {{"x", "x1", "x11", "x2", "kernel_1", "kernel_2"},
                                            {"y", "y1", "y11", "y2", "kernel_3", "kernel_4"}};
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_dl, &limits, options, error);
    if (status != GSIM_OK) return status;
    double n = bench.options.size;
    struct tower towers[2];
    struct join join;
    for (int i = 0; i < 2; i++) tower_buffers(&bench, &towers[i], names[i]);
    struct lengths l = lengths(&bench);
    join.z = gsim_bench_buffer(&bench, "z", l.z, 4, GSIM_INIT_NONE);
    join.weights = gsim_bench_buffer(&bench, "dense_weights", l.z, 4, GSIM_INIT_HOST);
    join.res = gsim_bench_buffer(&bench, "res", 1, 4, GSIM_INIT_HOST);
    gsim_bench_reset(&bench, join.res, 4);
    const struct tower *x = &towers[0], *y = &towers[1];
    gsim_bench_prefetch(&bench, GSIM_PREFETCHES({x->kernel_1, 0}, {x->kernel_2, 0}, {y->kernel_1, 1}, {y->kernel_2, 1},
                                                {join.weights, 0}, {x->x, 0}, {y->x, 1}, {x->x1, 0}, {x->x2, 0},
                                                {y->x1, 1}, {y->x2, 1}, {join.z, 0}, {x->x11, 0}, {y->x11, 1}));
    for (int i = 0; i < 2; i++) conv(&bench, towers[i].x1, towers[i].x, towers[i].kernel_1, n, 288, conv_1_cost, i);
    for (int i = 0; i < 2; i++) pool(&bench, &towers[i], i);
    for (int i = 0; i < 2; i++)
        conv(&bench, towers[i].x2, towers[i].x11, towers[i].kernel_2, floor(n / 10), 4608, conv_2_cost, i);
    join_towers(&bench, &join, towers);
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_dl = {
    GSIM_HEAD(workload),
    .name = "dl",
    .summary = "two convolutional towers and a dot product, 8 kernels (streams: 2)",
    .help = "Per tower conv2d (8 channels, stride 2), mean_pooling (5 x 5), conv2d (16 channels, stride 2); then\n"
            "concat and dot_product. N x N floats per input, both rewritten by the host before every iteration.\n"
            "Pooling is launched on (g/2)^3 blocks by the kesco suite, (g/4)^3 by the grcuda suite.",
    .size_meaning = "pixels per side",
    .size_default = {7000, 7000},
    .presets = presets,
    .build = build,
};
