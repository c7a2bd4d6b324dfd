/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ML, an ensemble of ridge regression and naive Bayes (GrCUDA, IPDPS 2021, benchmark b6; KeSCo, ICCD 2023):
 * two chains that meet in argmax; the first kernel keeps 200 threads busy and no more.
 */
#include "workloads/bench.h"

#define FEATURES 200
#define CLASSES  10

/* Per row, rr_1 per row and feature; by suite where the suites differ. flops: derived from the sources. dram_bytes:
 * measured on V100 at N = 4e6 (means of both shapes; nb_1 and rr_2: of the concurrent shape, as the serial shape's
 * 12,000 bytes are its own L1 thrashing).
 * kesco: thread_cycles and sm_cycles fitted to that profile (1,024 x 32 and 256 x 32 threads), but for 450 (assumed:
 * one DRAM access) and 200,000 (assumed: 2,000 dependent read-modify-writes of 100 cycles), which the fit leaves open.
 * grcuda: the same, scaled to GrCUDA's GTX 960 trace (N = 8e5, 64 x 32 threads; nb_1 as rr_2, which ran alone); rr_1 is
 * kept, as its traced 911 ms are beside nb_1. The large sm_cycles are uncoalesced accesses: each lane has its own
 * row. */
static const struct gsim_cost rr_1_cost[2] = {{5, 13, 770, 0}, {5, 13, 770, 0}};
static const struct gsim_cost nb_1_cost[2] = {{4000, 912, 200000, 7260}, {4000, 912, 142000, 5120}};
static const struct gsim_cost rr_2_cost[2] = {{4000, 912, 200000, 7230}, {4000, 912, 142000, 5120}};
static const struct gsim_cost nb_2_cost[2] = {{10, 44.3, 1745, 14.8}, {10, 44.3, 1668, 14.1}};
static const struct gsim_cost nb_3_cost[2] = {{210, 48.5, 2546, 11.1},
                                              {210, 48.5, 3327, 14.5}}; /* exp, log: about 16 */
static const struct gsim_cost rr_3_cost[2] = {{10, 81.9, 450, 32.2}, {10, 81.9, 283, 20.3}};
static const struct gsim_cost nb_4_cost[2] = {{170, 87.4, 450, 34.1}, {170, 87.4, 422, 32}};
static const struct gsim_cost softmax_cost[2] = {{400, 83.9, 5888, 44.9}, {400, 83.9, 4922, 37.5}};
static const struct gsim_cost argmax_cost[2] = {{30, 85.8, 450, 16.9}, {30, 85.8, 659, 24.8}};

static const struct gsim_bench_limits limits = {
    .size_minimum = 1,
    .size_maximum = 1e11,
    .kesco_concurrent = {32, 256},
    .kesco_serial = {32, 1024},
    .grcuda = {32, 64},
};

static const struct gsim_workload_preset presets[] = {
    GSIM_PRESETS("kesco", GSIM_SUITE_KESCO, 0, 0, GSIM_SOURCE_KESCO, 1.2e6, 2e6, 4e6, 5e6, 6e6),
    GSIM_PRESETS("gtx960", GSIM_SUITE_GRCUDA, 32, 32, GSIM_SOURCE_GRCUDA, 2e5, 5e5, 8e5, 1e6, 1.2e6),
    GSIM_PRESETS("gtx1660s", GSIM_SUITE_GRCUDA, 32, 32, GSIM_SOURCE_GRCUDA, 5e5, 8e5, 1e6, 1.2e6, 2e6),
    GSIM_PRESETS("p100", GSIM_SUITE_GRCUDA, 64, 32, GSIM_SOURCE_GRCUDA, 1.2e6, 2e6, 4e6, 5e6, 6e6),
    GSIM_PRESETS("v100", GSIM_SUITE_GRCUDA, 64, 32, GSIM_SOURCE_GRCUDA_CONFIG, 1.6e6, 2.5e6, 5e6, 6.5e6, 8e6),
    GSIM_PRESETS("a100", GSIM_SUITE_GRCUDA, 64, 32, GSIM_SOURCE_GRCUDA_CONFIG, 1.6e6, 2.5e6, 5e6, 6.5e6, 8e6),
    {0},
};

struct ml {
    struct gsim_bench bench;
    uint32_t x, z, flp, prior, coeff, intercept, amax, l, r1, r2, r;
};

static void buffers(struct ml *ml, double n)
{
    struct gsim_bench *b = &ml->bench;
    ml->x = gsim_bench_buffer(b, "x", n * FEATURES, 4, GSIM_INIT_HOST);
    ml->z = gsim_bench_buffer(b, "z", n * FEATURES, 4, GSIM_INIT_NONE);
    ml->flp = gsim_bench_buffer(b, "nb_feat_log_prob", FEATURES * CLASSES, 4, GSIM_INIT_HOST);
    ml->prior = gsim_bench_buffer(b, "nb_class_log_prior", CLASSES, 4, GSIM_INIT_HOST);
    ml->coeff = gsim_bench_buffer(b, "ridge_coeff", FEATURES * CLASSES, 4, GSIM_INIT_HOST);
    ml->intercept = gsim_bench_buffer(b, "ridge_intercept", CLASSES, 4, GSIM_INIT_HOST);
    ml->amax = gsim_bench_buffer(b, "nb_amax", n, 4, GSIM_INIT_NONE);
    ml->l = gsim_bench_buffer(b, "nb_l", n, 4, GSIM_INIT_NONE);
    ml->r1 = gsim_bench_buffer(b, "r1", n * CLASSES, 4, GSIM_INIT_HOST);
    ml->r2 = gsim_bench_buffer(b, "r2", n * CLASSES, 4, GSIM_INIT_HOST);
    ml->r = gsim_bench_buffer(b, "r", n, 4, GSIM_INIT_NONE);
    gsim_bench_reset(b, ml->r1, n * CLASSES * 4);
    gsim_bench_reset(b, ml->r2, n * CLASSES * 4);
    gsim_bench_prefetch(b, GSIM_PREFETCHES({ml->x, 0}, {ml->z, 0}, {ml->r1, 1}, {ml->r2, 0}, {ml->r, 0}, {ml->flp, 1},
                                           {ml->coeff, 0}, {ml->amax, 1}, {ml->l, 1}, {ml->intercept, 0}));
}

static struct gsim_bench_launch launch(const struct ml *ml, const char *name, uint32_t kesco_regs, uint32_t grcuda_regs,
                                       const struct gsim_cost cost[2], int32_t stream)
{
    const struct gsim_workload_options *o = &ml->bench.options;
    return gsim_bench_launch1d(&ml->bench, name, kesco_regs, grcuda_regs, &cost[o->suite], o->size, stream);
}

static enum gsim_status build(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error)
{
    struct ml ml = {0};
    struct gsim_bench *b = &ml.bench;
    enum gsim_status status = gsim_bench_begin(b, &gsim_workload_ml, &limits, options, error);
    if (status != GSIM_OK) return status;
    buffers(&ml, b->options.size);

    struct gsim_bench_launch k = launch(&ml, "rr_1", 19, 32, rr_1_cost, 0);
    k.items *= FEATURES;
    k.threads = k.loop_x = FEATURES; /* one thread walks one feature through all rows */
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN(ml.x), GSIM_OUT(ml.z)));
    k = launch(&ml, "nb_1", 20, 23, nb_1_cost, 1);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN(ml.x), GSIM_IN_NON_CONST(ml.flp), GSIM_INOUT(ml.r1)));
    k = launch(&ml, "rr_2", 20, 22, rr_2_cost, 0);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN_NON_CONST(ml.z), GSIM_IN_NON_CONST(ml.coeff), GSIM_INOUT(ml.r2)));
    k = launch(&ml, "nb_2", 20, 26, nb_2_cost, 1);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN_NON_CONST(ml.r1), GSIM_OUT(ml.amax)));
    k = launch(&ml, "nb_3", 20, 25, nb_3_cost, 1);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN_NON_CONST(ml.r1), GSIM_IN_NON_CONST(ml.amax), GSIM_OUT(ml.l)));
    k = launch(&ml, "rr_3", 18, 17, rr_3_cost, 0);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_INOUT(ml.r2), GSIM_IN_NON_CONST(ml.intercept)));
    k = launch(&ml, "nb_4", 20, 17, nb_4_cost, 1);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_INOUT(ml.r1), GSIM_IN_NON_CONST(ml.l)));
    k = launch(&ml, "softmax", 18, 26, softmax_cost, 1);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_INOUT(ml.r1)));
    k.stream = 0;
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_INOUT(ml.r2)));
    k = launch(&ml, "argmax", 24, 31, argmax_cost, 0);
    gsim_bench_launch(b, &k, GSIM_ARGS(GSIM_IN_NON_CONST(ml.r1), GSIM_IN_NON_CONST(ml.r2), GSIM_OUT(ml.r)));
    if (b->options.suite == GSIM_SUITE_GRCUDA && !b->options.cxx) gsim_bench_host_read(b, ml.r, 4);
    return gsim_bench_finish(b, program, error);
}

const struct gsim_workload_ops gsim_workload_ml = {
    GSIM_HEAD(workload),
    .name = "ml",
    .summary = "ridge regression beside naive Bayes, 10 kernels in two chains (streams: 2)",
    .help = "rr_1, rr_2, rr_3, softmax beside nb_1, nb_2, nb_3, nb_4, softmax; then argmax. N rows of 200 features,\n"
            "10 classes. rr_1 has work for 200 threads only, whatever the launch; all its blocks are modelled as\n"
            "equally long. x moves to the device once; r1 and r2 are rewritten by the host before every iteration.",
    .size_meaning = "rows",
    .size_default = {1.2e6, 1.2e6},
    .presets = presets,
    .build = build,
};
