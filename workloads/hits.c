/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HITS, hubs and authorities of a random graph of degree 3 (GrCUDA, IPDPS 2021, benchmark b7; KeSCo, ICCD 2023):
 * two crossed chains. GrCUDA's suite takes five steps with host zeroing between them, KeSCo's one with a reset kernel.
 */
#include "workloads/bench.h"

#define DEGREE 3

/* Per row. dram_bytes of spmv3: derived, 44 compulsory with the three gathered floats as 32-byte sectors. sm_cycles of
 * spmv3 and thread_cycles of sum and divide: fitted to GrCUDA's GTX 960 trace (N = 1.5e7), the only one there is.
 * thread_cycles of spmv3: assumed, four dependent accesses (row grab, pointers, indices, values) of about 575. */
static const struct gsim_cost spmv_cost = {8, 130, 2300, 33.8};
static const struct gsim_cost sum_cost = {1, 4, 365, 0.9};
static const struct gsim_cost divide_cost = {2, 8, 525, 1};
/* Once: assumed, entry, one store and exit. */
static const struct gsim_cost reset_cost = {0, 0, 600, 0};

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e12,
    .kesco_concurrent = {32, 512},
    .kesco_serial = {32, 1024},
    .grcuda = {32, 448},
};

static const struct gsim_workload_preset presets[] = {
    GSIM_PRESETS("kesco", GSIM_SUITE_KESCO, 0, 0, GSIM_SOURCE_KESCO, 20e6, 40e6, 60e6, 100e6, 140e6),
    GSIM_PRESETS("gtx960", GSIM_SUITE_GRCUDA, 32, 32, GSIM_SOURCE_GRCUDA, 4e6, 7e6, 1e7, 1.5e7, 2e7),
    GSIM_PRESETS("gtx1660s", GSIM_SUITE_GRCUDA, 176, 32, GSIM_SOURCE_GRCUDA, 7e6, 1e7, 1.5e7, 2e7, 4e7),
    GSIM_PRESETS("p100", GSIM_SUITE_GRCUDA, 448, 32, GSIM_SOURCE_GRCUDA, 2e7, 4e7, 6e7, 1e8, 1.4e8),
    GSIM_PRESETS("v100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 2.5e7, 5e7, 8e7, 1.3e8, 1.8e8),
    GSIM_PRESETS("a100", GSIM_SUITE_GRCUDA, 640, 32, GSIM_SOURCE_GRCUDA_CONFIG, 2.5e7, 5e7, 8e7, 1.3e8, 1.8e8),
    {0},
};

/* One half: authorities from hubs, or hubs from authorities. */
struct half {
    uint32_t ptr, idx, val, now, next, norm, row_counter;
};

static void half_buffers(struct gsim_bench *bench, struct half *half, const char *const names[7])
{
    double n = bench->options.size, nnz = n * DEGREE;
    const double counts[] = {n + 1, nnz, nnz, n, n, 1, 1};
    uint32_t *const buffers[] = {&half->ptr,  &half->idx,  &half->val,        &half->now,
                                 &half->next, &half->norm, &half->row_counter};
    for (int i = 0; i < 7; i++) {
        *buffers[i] = gsim_bench_buffer(bench, names[i], counts[i], 4, GSIM_INIT_HOST);
        gsim_bench_reset(bench, *buffers[i], counts[i] * 4);
    }
}

static void spmv(struct gsim_bench *bench, const struct half *to, const struct half *from, int32_t stream)
{
    struct gsim_bench_launch k = gsim_bench_launch1d(bench, "spmv3", 29, 29, &spmv_cost, bench->options.size, stream);
    k.grid.x = gsim_whole_u32((bench->options.size + k.block.x - 1) / k.block.x);
    k.smem_bytes = 2048 + 4 * k.block.x;
    k.threads = (double)k.grid.x * k.block.x / 4; /* four threads work on a row together */
    gsim_bench_launch(bench, &k,
                      GSIM_ARGS(GSIM_INOUT(to->row_counter), GSIM_IN_NON_CONST(to->ptr), GSIM_IN_NON_CONST(to->idx),
                                GSIM_IN_NON_CONST(to->val), GSIM_IN_NON_CONST(from->now), GSIM_OUT(to->next)));
}

static void step(struct gsim_bench *bench, const struct half *auth, const struct half *hub)
{
    const struct half *const halves[] = {auth, hub};
    spmv(bench, auth, hub, 0);
    spmv(bench, hub, auth, 1);
    for (int32_t i = 0; i < 2; i++) {
        struct gsim_bench_launch k = gsim_bench_launch1d(bench, "sum", 8, 8, &sum_cost, bench->options.size, i);
        gsim_bench_launch(bench, &k, GSIM_ARGS(GSIM_IN_NON_CONST(halves[i]->next), GSIM_INOUT(halves[i]->norm)));
    }
    for (int32_t i = 0; i < 2; i++) {
        const struct half *h = halves[i];
        struct gsim_bench_launch k = gsim_bench_launch1d(bench, "divide", 14, 14, &divide_cost, bench->options.size, i);
        gsim_bench_launch(bench, &k,
                          GSIM_ARGS(GSIM_IN_NON_CONST(h->next), GSIM_OUT(h->now), GSIM_IN_NON_CONST(h->norm)));
    }
    if (bench->options.suite == GSIM_SUITE_GRCUDA) {
        gsim_bench_host_write(bench, auth->norm, 4);
        gsim_bench_host_write(bench, hub->norm, 4);
        gsim_bench_host_write(bench, auth->row_counter, 4);
        gsim_bench_host_write(bench, hub->row_counter, 4);
        return;
    }
    struct gsim_bench_launch k = gsim_bench_launch1d(bench, "reset", 8, 8, &reset_cost, bench->options.size, 0);
    k.grid = k.block = (struct gsim_dim3){1, 1, 1};
    k.items = 1;
    gsim_bench_launch(
        bench, &k,
        GSIM_ARGS(GSIM_OUT(auth->norm), GSIM_OUT(hub->norm), GSIM_OUT(auth->row_counter), GSIM_OUT(hub->row_counter)));
}

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    static const char *const auth_names[] = {"ptr2", "idx2", "val2", "auth1", "auth2", "auth_norm", "rowCounter1"};
    static const char *const hub_names[] = {"ptr", "idx", "val", "hub1", "hub2", "hub_norm", "rowCounter2"};
    struct gsim_bench bench;
    enum gsim_status status = gsim_bench_begin(&bench, &gsim_workload_hits, &limits, options, error);
    if (status != GSIM_OK) return status;
    if (bench.options.size / bench.options.block1d > 2147483647.0) {
        gsim_builder_destroy(bench.builder);
        return gsim_error_set(
            error, GSIM_INPUT,
            "workload 'hits': size: expected at most 2147483647 blocks of %u threads, found %.15g rows",
            bench.options.block1d, bench.options.size);
    }
    struct half auth, hub;
    half_buffers(&bench, &auth, auth_names);
    half_buffers(&bench, &hub, hub_names);
    gsim_bench_prefetch(&bench, GSIM_PREFETCHES({auth.now, 1}, {auth.next, 0}, {hub.now, 0}, {hub.next, 1},
                                                {auth.norm, 0}, {hub.norm, 1}, {hub.idx, 1}, {auth.idx, 0},
                                                {hub.val, 1}, {auth.val, 0}, {hub.ptr, 1}, {auth.ptr, 0}));
    bool is_grcuda = bench.options.suite == GSIM_SUITE_GRCUDA;
    for (int i = 0; i < (is_grcuda ? 5 : 1); i++) step(&bench, &auth, &hub);
    if (is_grcuda) {
        gsim_bench_host_read(&bench, auth.now, 4);
        gsim_bench_host_read(&bench, hub.now, 4);
    }
    return gsim_bench_finish(&bench, program, error);
}

const struct gsim_workload_ops gsim_workload_hits = {
    GSIM_HEAD(workload),
    .name = "hits",
    .summary = "hubs and authorities by sparse products, two crossed chains (streams: 2)",
    .help = "Per step spmv3, sum and divide for authorities and for hubs; each divide overwrites what the other\n"
            "spmv3 reads. N vertices of degree 3; all data is rewritten by the host before every iteration. The\n"
            "grcuda suite: 5 steps, the host zeroes four scalars after each, two reads at the end. The kesco suite:\n"
            "1 step, a 1 x 1 kernel zeroes them.",
    .size_meaning = "vertices",
    .size_default = {20e6, 20e6},
    .presets = presets,
    .build = build,
};
