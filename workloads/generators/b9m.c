/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * b9m: GrCUDA's dense conjugate gradient for several GPUs (necst/grcuda, cuda/multi_gpu/b9.cu): the matrix in
 * partitions of rows, vectors whole. After every product the host reads two scalars.
 */
#include "workloads/generators/matvec.h"

#define STEPS 50

/* Per element: assumed, one load and one store of each vector; precondition per row. */
static const struct gsim_partitioned_cost vector_cost = {2, 12, 450, 0, 16}, norm_cost = {2, 4, 450, 0, 16},
                                          precondition_cost = {1, 64, 450, 0, 16};

struct cg {
    struct gsim_partitioned p;
    uint32_t a[256], x, y, r, d, b, t1, t2; /* d: the direction, p in the source */
};

static void put_products(struct cg *c, const char *name, bool is_first)
{
    for (int i = 0; i < c->p.params->partitions; i++) {
        struct gsim_partitioned_launch l = gsim_matvec_launch(&c->p, name, i, i);
        const struct gsim_arg out = {.buffer_index = is_first ? c->r : c->y, .writes = true, .declared_const = true};
        l.slice_bytes = floor(c->p.params->size / (double)c->p.params->partitions) * 4;
        l.slice_arg = is_first ? 4 : 3;
        if (is_first)
            gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_IN(c->a[i]), GSIM_IN(c->x), GSIM_IN(c->b), out));
        else gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_IN(c->a[i]), GSIM_IN(c->d), out));
    }
}

static struct gsim_partitioned_launch on_vectors(const struct cg *c, const char *name,
                                                 const struct gsim_partitioned_cost *cost)
{
    return (struct gsim_partitioned_launch){
        .name = name, .cost = cost, .items = c->p.params->size, .partition = -1, .stream = 0};
}

static void put_norm(struct cg *c)
{
    struct gsim_partitioned_launch l = on_vectors(c, "l2_norm", &norm_cost);
    gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_IN(c->r), GSIM_INOUT(c->t1)));
}

static void put_step(struct cg *c)
{
    struct gsim_partitioned_launch l = on_vectors(c, "dot", &norm_cost);
    put_products(c, "matrix_vector_mult", false);
    gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_IN(c->d), GSIM_IN_NON_CONST(c->y), GSIM_INOUT(c->t2)));
    gsim_bench_host_read(&c->p.bench, c->t1, 4);
    gsim_bench_host_read(&c->p.bench, c->t2, 4);
    gsim_bench_host_write(&c->p.bench, c->t1, 4);
    gsim_bench_host_write(&c->p.bench, c->t2, 4);
    l = on_vectors(c, "saxpy", &vector_cost);
    gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_INOUT(c->x), GSIM_IN(c->d)));
    gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_INOUT(c->r), GSIM_IN(c->y)));
    put_norm(c);
    gsim_bench_host_read(&c->p.bench, c->t1, 4);
    gsim_partitioned_launch(&c->p, &l, GSIM_ARGS(GSIM_INOUT(c->d), GSIM_IN(c->r)));
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct cg c;
    (void)seed;
    if (!gsim_partitioned_begin(&c.p, "b9m", params, error)) return error->status;
    struct gsim_partitioned *p = &c.p;
    double n = p->params->size;
    for (int i = 0; i < p->params->partitions; i++)
        c.a[i] = gsim_partitioned_buffer(p, "A", i, p->part * n, 4, GSIM_INIT_HOST);
    c.x = gsim_partitioned_buffer(p, "x", -1, n, 4, GSIM_INIT_HOST);
    c.b = gsim_partitioned_buffer(p, "b", -1, n, 4, GSIM_INIT_HOST);
    c.y = gsim_partitioned_buffer(p, "y", -1, n, 4, GSIM_INIT_NONE);
    c.r = gsim_partitioned_buffer(p, "r", -1, n, 4, GSIM_INIT_NONE);
    c.d = gsim_partitioned_buffer(p, "p", -1, n, 4, GSIM_INIT_NONE);
    c.t1 = gsim_partitioned_buffer(p, "t1", -1, 1, 4, GSIM_INIT_HOST);
    c.t2 = gsim_partitioned_buffer(p, "t2", -1, 1, 4, GSIM_INIT_HOST);
    gsim_bench_reset(&p->bench, c.x, n * 4);
    for (int i = 0; i < p->params->partitions; i++) {
        const struct gsim_partitioned_launch l = {
            .name = "precondition", .cost = &precondition_cost, .items = p->part, .partition = i, .stream = i};
        gsim_partitioned_launch(p, &l, GSIM_ARGS(GSIM_INOUT(c.a[i])));
    }
    put_products(&c, "matrix_vector_mult_axpy", true);
    struct gsim_partitioned_launch l = on_vectors(&c, "cpy", &vector_cost);
    gsim_partitioned_launch(p, &l, GSIM_ARGS(GSIM_OUT(c.d), GSIM_IN_NON_CONST(c.r)));
    put_norm(&c);
    for (int i = 0; i < STEPS; i++) put_step(&c);
    return gsim_builder_finish(p->bench.builder, 1, program, error);
}

static const struct gsim_param params_table[] = {GSIM_PARTITIONED_PARAMS(
    2e4, "rows and columns of the matrix (published: 2e4 to 6e4)", 16, "of the rows (published: 16)", 32)};

const struct gsim_generator_ops gsim_generator_b9m = {
    GSIM_HEAD(generator),
    .name = "b9m",
    .summary = "GrCUDA's dense conjugate gradient for several GPUs, 50 steps",
    .help = "The matrix moves once and stays. Partition i is for GPU i modulo gpus, vectors are for GPU 0.",
    .params_size = sizeof(struct gsim_partitioned_params),
    .params = params_table,
    .build = build,
};
