/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * b6m: GrCUDA's ML ensemble for several GPUs (necst/grcuda, cuda/multi_gpu/b6.cu): ridge regression beside naive Bayes,
 * rows in partitions. Means and deviations are folded into the first partition's, one after the other.
 */
#include "workloads/generators/partitioned.h"

#define FEATURES 1024
#define CLASSES  16

/*
 * Per row, of rr_1 and rr_1_2 per row and feature. Derived from ml.c, GrCUDA's suite: rr_1's two passes over x apart,
 * in which a thread waits for DRAM once each (405 ns at 1.41 GHz: there 770 cycles in all at 0.94); of nb_1 and rr_2
 * per read-modify-write, of which there are 16,384 in a row and were 2,000; the others per class, of which there
 * were 10.
 */
static const struct gsim_partitioned_cost rr_1 = {3, 4, 571, 0, 32}, rr_1_1 = {2, 12, 450, 0, 32},
                                          rr_1_2 = {2, 8, 571, 0, 32},
                                          product = {2.0 * FEATURES * CLASSES, 0.28 * FEATURES *CLASSES,
                                                     71.0 * FEATURES *CLASSES, 2.56 * FEATURES *CLASSES, 32},
                                          nb_2 = {16, 70.4, 2672, 22.6, 32}, nb_3 = {336, 78.4, 5328, 23.2, 32},
                                          nb_4 = {272, 139, 672, 51.2, 32}, rr_3 = {16, 131, 448, 32.5, 32},
                                          softmax = {640, 134, 7872, 60, 32}, argmax = {48, 138, 1056, 39.7, 32};

struct ml {
    struct gsim_partitioned p;
    uint32_t x[256], z[256], mean[256], dev[256], coeff, intercept, flp, prior, amax, l, r1, r2, r;
};

/* Partition I of what all partitions write a slice of, declared const so that they may do so side by side. */
static void put_product(struct ml *m, const char *name, int i, int stream, uint32_t data, uint32_t factors,
                        uint32_t result)
{
    const struct gsim_partitioned_launch k = {
        .name = name,
        .cost = &product,
        .items = m->p.part,
        .partition = i,
        .stream = stream,
        .slice_arg = 3,
        .slice_bytes = floor(m->p.params->size / (double)m->p.params->partitions) * CLASSES * 4};
    const struct gsim_arg slice = {.buffer_index = result, .reads = true, .writes = true, .declared_const = true};
    gsim_partitioned_launch(&m->p, &k, GSIM_ARGS(GSIM_IN(data), GSIM_IN(factors), slice));
}

static void put_ridge(struct ml *m)
{
    struct gsim_partitioned *p = &m->p;
    int parts = (int)p->params->partitions;
    for (int i = 0; i < parts; i++) {
        const struct gsim_partitioned_launch k = {.name = "rr_1",
                                                  .cost = &rr_1,
                                                  .items = p->part * FEATURES,
                                                  .threads = FEATURES,
                                                  .partition = i,
                                                  .stream = i};
        gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_IN(m->x[i]), GSIM_OUT(m->mean[i]), GSIM_OUT(m->dev[i])));
    }
    for (int i = 0; i < parts; i++) {
        const struct gsim_partitioned_launch k = {
            .name = "rr_1_1", .cost = &rr_1_1, .items = FEATURES, .partition = 0, .stream = 0};
        if (!i) gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_INOUT(m->mean[0]), GSIM_INOUT(m->dev[0])));
        else
            gsim_partitioned_launch(
                p, &k,
                GSIM_ARGS(GSIM_INOUT(m->mean[0]), GSIM_INOUT(m->dev[0]), GSIM_IN(m->mean[i]), GSIM_IN(m->dev[i])));
    }
    for (int i = 0; i < parts; i++) {
        const struct gsim_partitioned_launch k = {.name = "rr_1_2",
                                                  .cost = &rr_1_2,
                                                  .items = p->part * FEATURES,
                                                  .threads = FEATURES,
                                                  .partition = i,
                                                  .stream = i};
        gsim_partitioned_launch(
            p, &k, GSIM_ARGS(GSIM_IN(m->x[i]), GSIM_OUT(m->z[i]), GSIM_IN(m->mean[0]), GSIM_IN(m->dev[0])));
        put_product(m, "rr_2", i, i, m->z[i], m->coeff, m->r2);
    }
    struct gsim_partitioned_launch k = {
        .name = "rr_3", .cost = &rr_3, .items = p->params->size, .partition = -1, .stream = 0};
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_INOUT(m->r2), GSIM_IN(m->intercept)));
    k = (struct gsim_partitioned_launch){
        .name = "softmax", .cost = &softmax, .items = p->params->size, .partition = -1, .stream = 0};
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_INOUT(m->r2)));
}

static void put_bayes(struct ml *m)
{
    struct gsim_partitioned *p = &m->p;
    int parts = (int)p->params->partitions, own = parts;
    for (int i = 0; i < parts; i++) put_product(m, "nb_1", i, parts + i, m->x[i], m->flp, m->r1);
    struct gsim_partitioned_launch k = {
        .name = "nb_2", .cost = &nb_2, .items = p->params->size, .partition = -1, .stream = own};
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_IN_NON_CONST(m->r1), GSIM_OUT(m->amax)));
    k.name = "nb_3", k.cost = &nb_3;
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_IN_NON_CONST(m->r1), GSIM_IN_NON_CONST(m->amax), GSIM_OUT(m->l)));
    k.name = "nb_4", k.cost = &nb_4;
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_INOUT(m->r1), GSIM_IN_NON_CONST(m->l)));
    k.name = "softmax", k.cost = &softmax;
    gsim_partitioned_launch(p, &k, GSIM_ARGS(GSIM_INOUT(m->r1)));
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct ml m;
    (void)seed;
    if (!gsim_partitioned_begin(&m.p, "b6m", params, error)) return error->status;
    struct gsim_partitioned *p = &m.p;
    double n = p->params->size;
    for (int i = 0; i < p->params->partitions; i++) {
        m.x[i] = gsim_partitioned_buffer(p, "x", i, p->part * FEATURES, 4, GSIM_INIT_HOST);
        m.z[i] = gsim_partitioned_buffer(p, "z", i, p->part * FEATURES, 4, GSIM_INIT_NONE);
        m.mean[i] = gsim_partitioned_buffer(p, "mean", i, FEATURES, 4, GSIM_INIT_NONE);
        m.dev[i] = gsim_partitioned_buffer(p, "std", i, FEATURES, 4, GSIM_INIT_NONE);
    }
    m.coeff = gsim_partitioned_buffer(p, "ridge_coeff", -1, FEATURES * CLASSES, 4, GSIM_INIT_HOST);
    m.intercept = gsim_partitioned_buffer(p, "ridge_intercept", -1, CLASSES, 4, GSIM_INIT_HOST);
    m.flp = gsim_partitioned_buffer(p, "nb_feat_log_prob", -1, FEATURES * CLASSES, 4, GSIM_INIT_HOST);
    m.amax = gsim_partitioned_buffer(p, "nb_amax", -1, n, 4, GSIM_INIT_NONE);
    m.l = gsim_partitioned_buffer(p, "nb_l", -1, n, 4, GSIM_INIT_NONE);
    m.r1 = gsim_partitioned_buffer(p, "r1", -1, n * CLASSES, 4, GSIM_INIT_HOST);
    m.r2 = gsim_partitioned_buffer(p, "r2", -1, n * CLASSES, 4, GSIM_INIT_HOST);
    m.r = gsim_partitioned_buffer(p, "r", -1, n, 4, GSIM_INIT_NONE);
    gsim_bench_reset(&p->bench, m.r1, n * CLASSES * 4);
    gsim_bench_reset(&p->bench, m.r2, n * CLASSES * 4);
    put_ridge(&m);
    put_bayes(&m);
    const struct gsim_partitioned_launch k = {
        .name = "argmax", .cost = &argmax, .items = m.p.params->size, .partition = -1, .stream = 0};
    gsim_partitioned_launch(&m.p, &k, GSIM_ARGS(GSIM_IN_NON_CONST(m.r1), GSIM_IN_NON_CONST(m.r2), GSIM_OUT(m.r)));
    gsim_bench_host_read(&m.p.bench, m.r, 4);
    return gsim_builder_finish(m.p.bench.builder, 1, program, error);
}

static const struct gsim_param params_table[] = {GSIM_PARTITIONED_PARAMS(
    1e6, "rows of 1,024 features (published: 1e6 to 1.8e6)", 16, "of the rows (published: 16)", 32)};

const struct gsim_generator_ops gsim_generator_b6m = {
    GSIM_HEAD(generator),
    .name = "b6m",
    .summary = "GrCUDA's ML for several GPUs: ridge regression beside naive Bayes",
    .help = "Costs are those of ml, of 1,024 features and 16 classes. Partition i is for GPU i modulo gpus, what "
            "follows is for GPU 0.",
    .params_size = sizeof(struct gsim_partitioned_params),
    .params = params_table,
    .build = build,
};
