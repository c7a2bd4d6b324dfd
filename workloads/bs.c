/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * B&S, ten independent Black-Scholes vectors in double precision (GrCUDA, IPDPS 2021, benchmark b5; KeSCo,
 * ICCD 2023): no dependences, all the width there is.
 */
#include "workloads/bench.h"

#define VECTORS 10

/* Per element. flops: derived from the source with log, exp and division expanded; on GTX 960 they explain the
 * traced 2.66 ns per element at its double-precision peak. thread_cycles: assumed, about 100 dependent
 * operations of 8 cycles and one DRAM access of 450. */
static const struct gsim_cost bs_cost = {200, 16, 1250, 0};

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e12,
    .kesco_concurrent = {32, 128},
    .kesco_serial = {1024, 512},
    .grcuda = {32, 448},
};

static const struct gsim_workload_preset presets[] = {
    GSIM_PRESETS("kesco", GSIM_SUITE_KESCO, 0, 0, GSIM_SOURCE_KESCO, 12e6, 20e6, 50e6, 60e6, 70e6),
    GSIM_PRESETS("gtx960", GSIM_SUITE_GRCUDA, 32, 32, GSIM_SOURCE_GRCUDA, 2e6, 6e6, 8e6, 1e7, 1.2e7),
    GSIM_PRESETS("gtx1660s", GSIM_SUITE_GRCUDA, 176, 32, GSIM_SOURCE_GRCUDA, 6e6, 8e6, 1e7, 1.2e7, 2e7),
    GSIM_PRESETS("p100", GSIM_SUITE_GRCUDA, 448, 32, GSIM_SOURCE_GRCUDA, 1.2e7, 2e7, 5e7, 6e7, 7e7),
    GSIM_PRESETS("v100", GSIM_SUITE_GRCUDA, 640, 1024, GSIM_SOURCE_GRCUDA_CONFIG, 1e7, 1.6e7, 2.1e7, 2.8e7, 3.5e7),
    GSIM_PRESETS("a100", GSIM_SUITE_GRCUDA, 640, 1024, GSIM_SOURCE_GRCUDA_CONFIG, 1e7, 1.6e7, 2.1e7, 2.8e7, 3.5e7),
    {0},
};

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_bs, &limits, options, error);
    if (status != GSIM_OK) return status;
    double n = bench.options.size;
    uint32_t x[VECTORS], y[VECTORS];
    for (uint32_t i = 0; i < VECTORS; i++) x[i] = gsim_bench_buffer_numbered(&bench, "x", i, n, 8, GSIM_INIT_HOST);
    for (uint32_t i = 0; i < VECTORS; i++) y[i] = gsim_bench_buffer_numbered(&bench, "y", i, n, 8, GSIM_INIT_NONE);
    for (uint32_t i = 0; i < VECTORS; i++) gsim_bench_reset(&bench, x[i], n * 8);
    for (uint32_t i = 0; i < VECTORS; i++)
        gsim_bench_prefetch(&bench, GSIM_PREFETCHES({x[i], (int32_t)i}, {y[i], (int32_t)i}));

    struct gsim_bench_launch bs = gsim_bench_launch1d(&bench, "bs", 38, 38, &bs_cost, n, 0);
    bs.fp64 = true;
    for (uint32_t i = 0; i < VECTORS; i++) {
        bs.stream = (int32_t)i;
        gsim_bench_launch(&bench, &bs, GSIM_ARGS(GSIM_IN_NON_CONST(x[i]), GSIM_OUT(y[i])));
    }
    for (uint32_t i = 0; i < VECTORS && bench.options.suite == GSIM_SUITE_GRCUDA; i++)
        gsim_bench_host_read(&bench, y[i], 8);
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_bs = {
    GSIM_HEAD(workload),
    .name = "bs",
    .summary = "Black-Scholes on 10 independent vectors of doubles (streams: 10)",
    .help = "10 x bs(x[i] -> y[i]), 200 double-precision operations per element. Buffers x0..x9, rewritten by the\n"
            "host before every iteration, and y0..y9: N doubles each. The grcuda suite ends by reading one element\n"
            "of each result, in order; the kesco suite by synchronising.",
    .size_meaning = "elements per vector",
    .size_default = {12e6, 12e6},
    .presets = presets,
    .build = build,
};
