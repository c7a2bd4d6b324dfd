/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * VEC, sum(x^2 - y^2): two independent squares, then a reduction (GrCUDA, IPDPS 2021, benchmark b1; KeSCo,
 * ICCD 2023). The formula behind the costs' fit and how well it holds: docs/workloads-fit.md.
 */
#include "workloads/bench.h"

/* Per element, by suite. kesco: dram_bytes measured, thread_cycles and sm_cycles fitted to KeSCo's V100 profile
 * (N = 5e8, 512 x 512 and 128 x 512 threads). grcuda: thread_cycles fitted to GrCUDA's GTX 960 trace (N = 8e7,
 * 64 x 32 threads), where the bytes that a thread keeps in flight explain nearly all. */
static const struct gsim_cost square_cost[2] = {{1, 8.2, 1033, 1.01}, {1, 8, 265, 0}};
static const struct gsim_cost reduce_cost[2] = {{2, 8.2, 631, 0.912}, {2, 8, 0, 0}};

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e12,
    .kesco_concurrent = {512, 128},
    .kesco_serial = {512, 512},
    .grcuda = {32, 448},
};

static const struct gsim_workload_preset presets[] = {
    GSIM_PRESETS("kesco", GSIM_SUITE_KESCO, 0, 0, GSIM_SOURCE_KESCO, 120e6, 200e6, 500e6, 600e6, 700e6),
    GSIM_PRESETS("gtx960", GSIM_SUITE_GRCUDA, 32, 32, GSIM_SOURCE_GRCUDA, 2e7, 6e7, 8e7, 1e8, 1.2e8),
    GSIM_PRESETS("gtx1660s", GSIM_SUITE_GRCUDA, 176, 32, GSIM_SOURCE_GRCUDA, 6e7, 8e7, 1e8, 1.2e8, 2e8),
    GSIM_PRESETS("p100", GSIM_SUITE_GRCUDA, 448, 32, GSIM_SOURCE_GRCUDA, 1.2e8, 2e8, 5e8, 6e8, 7e8),
    GSIM_PRESETS("v100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 1.6e8, 2.5e8, 5e8, 8e8, 9.5e8),
    GSIM_PRESETS("a100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 1.6e8, 2.5e8, 5e8, 8e8, 9.5e8),
    {0},
};

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_vec, &limits, options, error);
    if (status != GSIM_OK) return status;
    double n = bench.options.size;
    uint32_t x = gsim_bench_buffer(&bench, "x", n, 4, GSIM_INIT_HOST);
    uint32_t y = gsim_bench_buffer(&bench, "y", n, 4, GSIM_INIT_HOST);
    uint32_t x1 = gsim_bench_buffer(&bench, "x1", n, 4, GSIM_INIT_NONE);
    uint32_t y1 = gsim_bench_buffer(&bench, "y1", n, 4, GSIM_INIT_NONE);
    uint32_t res = gsim_bench_buffer(&bench, "res", 1, 4, GSIM_INIT_HOST);
    gsim_bench_reset(&bench, x, n * 4);
    gsim_bench_reset(&bench, y, n * 4);
    gsim_bench_reset(&bench, res, 4);
    gsim_bench_prefetch(&bench, GSIM_PREFETCHES({x, 0}, {x1, 0}, {y, 1}, {y1, 1}, {res, 0}));

    struct gsim_bench_launch k =
        gsim_bench_launch1d(&bench, "square", 16, 8, &square_cost[bench.options.suite], n, 0);
    gsim_bench_launch(&bench, &k, GSIM_ARGS(GSIM_IN_NON_CONST(x), GSIM_OUT(x1)));
    k.stream = 1;
    gsim_bench_launch(&bench, &k, GSIM_ARGS(GSIM_IN_NON_CONST(y), GSIM_OUT(y1)));
    k = gsim_bench_launch1d(&bench, "reduce", 20, 11, &reduce_cost[bench.options.suite], n, 0);
    gsim_bench_launch(&bench, &k, GSIM_ARGS(GSIM_IN(x1), GSIM_IN(y1), GSIM_INOUT(res)));
    if (bench.options.suite == GSIM_SUITE_GRCUDA && !bench.options.cxx) gsim_bench_host_read(&bench, res, 4);
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_vec = {
    GSIM_HEAD(workload),
    .name = "vec",
    .summary = "sum of squared differences: 2 independent kernels, then 1 (streams: 2)",
    .help = "square(x), square(y), reduce. Buffers x, y, x1, y1: N floats each; x and y are rewritten by the host\n"
            "before every iteration. The grcuda suite ends by reading the result, the kesco suite by synchronising.\n"
            "Default size: the smallest of KeSCo's sweep, which is also the smallest of GrCUDA's on P100 (and that\n"
            "GPU's 448 blocks are the grcuda suite's default).",
    .size_meaning = "elements per vector",
    .size_default = {120e6, 120e6},
    .presets = presets,
    .build = build,
};
