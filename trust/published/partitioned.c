/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generators of trust/published/partitioned.h. Of b6m's and b9m's kernels no time alone was published: their costs are
 * those of ml.c and of b11m. */
#include "trust/published/partitioned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PARTITIONS 16
#define VECTORS    24
#define BLOCKS     64
#define FEATURES   1024
#define CLASSES    16
#define STEPS      50 /* of the conjugate gradient */

/* A vector of which each partition writes its slice. Published as one buffer whose parameter is declared const, so that
 * nobody waits; here the slices are buffers. */
struct slices {
    uint32_t of[PARTITIONS];
};

struct maker {
    struct gsim_builder *builder;
    double n, part; /* size; of it, in one partition */
};

/* Per item: what include/gpusim/program.h calls the same. */
struct cost {
    double flops, dram_bytes, thread_cycles, sm_cycles;
};

/* As VEC's and B&S's grcuda suite (vec.c, bs.c). */
static const struct cost square_cost = {1, 8, 265, 0}, reduce_cost = {2, 8, 0, 0}, bs_cost = {200, 16, 1250, 0};
/* Per matrix element, a thread per row. thread_cycles fitted to b9m, one kernel at a time, N = 2e4: 84 (V100) and 106
 * (A100); of 8 elements one comes from DRAM (572 cycles) and seven from L1 (36): 103 derived. sm_cycles derived: the
 * lanes of a warp read 32 sectors, one per cycle, the vector's element is one more, and every eighth time 32 sectors
 * arrive. Vectors, per element: assumed, one DRAM access. */
static const struct cost product_cost = {2, 4, 95, 1.16}, copy_cost = {0, 8, 450, 0}, update_cost = {2, 12, 450, 0};
/* Derived from ml.c, GrCUDA's suite: rr_1's two passes over x apart, per row and feature, in which a thread waits for
 * DRAM once each (405 ns at 1.41 GHz: there 770 cycles in all at 0.94); per read-modify-write of nb_1 and rr_2, of
 * which there are 16,384 in a row and were 2,000; the others per row and class, of which there were 10. */
static const struct cost moments_cost = {3, 4, 571, 0}, normal_cost = {2, 8, 571, 0}, sums_cost = {2, 0.28, 71, 2.56};
static const struct cost nb_2_cost = {1, 4.4, 167, 1.41}, nb_3_cost = {21, 4.9, 333, 1.45},
                         rr_3_cost = {1, 8.2, 28, 2.03};
static const struct cost nb_4_cost = {17, 8.7, 42, 3.2}, softmax_cost = {40, 8.4, 492, 3.75},
                         argmax_cost = {3, 8.6, 66, 2.48};

static uint32_t buffer(struct maker *m, const char *name, int number, double bytes, enum gsim_buffer_init init)
{
    char text[32];
    snprintf(text, sizeof text, number < 0 ? "%s" : "%s%d", name, number);
    return gsim_builder_buffer(m->builder, text, (uint64_t)bytes, init);
}

static struct slices slices(struct maker *m, const char *name, double bytes, enum gsim_buffer_init init)
{
    struct slices s;
    for (int i = 0; i < PARTITIONS; i++) s.of[i] = buffer(m, name, i, bytes / PARTITIONS, init);
    return s;
}

static void host_op(struct maker *m, enum gsim_op_kind kind, uint32_t buffer_index, double bytes, bool untimed)
{
    bool reads = kind == GSIM_OP_HOST_READ;
    struct gsim_arg arg = {buffer_index, reads, !reads, reads};
    struct gsim_op op = {
        .kind = kind, .args = &arg, .arg_count = 1, .bytes = (uint64_t)bytes, .stream = -1, .untimed = untimed};
    gsim_builder_op(m->builder, &op);
}

/* ITEMS of COST, in ROWS that are shared by the threads of 64 blocks. */
static void kernel(struct maker *m, const char *name, uint32_t block, double items, double rows,
                   const struct cost *cost, int stream, const struct gsim_arg *args, uint32_t arg_count)
{
    double threads = (double)BLOCKS * block;
    struct gsim_kernel k = {.name = name,
                            .grid = {BLOCKS, 1, 1},
                            .block = {block, 1, 1},
                            .regs_per_thread = 32,
                            .fp64 = cost == &bs_cost,
                            .flops = items * cost->flops,
                            .dram_bytes = items * cost->dram_bytes,
                            .thread_cycles = ceil(rows / threads) * (items / rows) * cost->thread_cycles,
                            .sm_cycles = items * cost->sm_cycles};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                         .kernel_index = gsim_builder_kernel(m->builder, &k),
                         .args = args,
                         .arg_count = arg_count,
                         .stream = stream};
    gsim_builder_op(m->builder, &op);
}

#define IN(b)                                                                                                          \
    {                                                                                                                  \
        (b), true, false, true                                                                                         \
    }
#define OUT(b)                                                                                                         \
    {                                                                                                                  \
        (b), false, true, false                                                                                        \
    }
#define INOUT(b)                                                                                                       \
    {                                                                                                                  \
        (b), true, true, false                                                                                         \
    }
#define KERNEL(m, name, block, items, busy, cost, stream, ...)                                                         \
    kernel(m, name, block, items, busy, cost, stream, (const struct gsim_arg[]){__VA_ARGS__},                          \
           sizeof((struct gsim_arg[]){__VA_ARGS__}) / sizeof(struct gsim_arg))

/* The arguments of a kernel that takes whole vectors of slices. */
struct args {
    struct gsim_arg of[3 * PARTITIONS];
    uint32_t count;
};

static void add(struct args *args, struct gsim_arg arg) { args->of[args->count++] = arg; }

static void add_slices(struct args *args, const struct slices *s, bool reads, bool writes)
{
    for (int i = 0; i < PARTITIONS; i++) add(args, (struct gsim_arg){s->of[i], reads, writes, !writes});
}

static void vectors(struct maker *m)
{
    uint32_t x[PARTITIONS], y[PARTITIONS], x1[PARTITIONS], y1[PARTITIONS], res[PARTITIONS];
    for (int i = 0; i < PARTITIONS; i++) {
        x[i] = buffer(m, "x", i, m->part * 4, GSIM_INIT_HOST);
        y[i] = buffer(m, "y", i, m->part * 4, GSIM_INIT_HOST);
        x1[i] = buffer(m, "x1_", i, m->part * 4, GSIM_INIT_NONE);
        y1[i] = buffer(m, "y1_", i, m->part * 4, GSIM_INIT_NONE);
        res[i] = buffer(m, "res", i, 4, GSIM_INIT_HOST);
        host_op(m, GSIM_OP_HOST_WRITE, x[i], m->part * 4, true);
        host_op(m, GSIM_OP_HOST_WRITE, y[i], m->part * 4, true);
        host_op(m, GSIM_OP_HOST_WRITE, res[i], 4, true);
    }
    for (int i = 0; i < PARTITIONS; i++) {
        KERNEL(m, "square", 32, m->part, m->part, &square_cost, 2 * i, IN(x[i]), OUT(x1[i]));
        KERNEL(m, "square", 32, m->part, m->part, &square_cost, 2 * i + 1, IN(y[i]), OUT(y1[i]));
        KERNEL(m, "reduce", 32, m->part, m->part, &reduce_cost, 2 * i, IN(x1[i]), IN(y1[i]), INOUT(res[i]));
    }
    for (int i = 0; i < PARTITIONS; i++) host_op(m, GSIM_OP_HOST_READ, res[i], 4, false);
}

static void black_scholes(struct maker *m)
{
    uint32_t x[VECTORS], y[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        x[i] = buffer(m, "x", i, m->n * 8, GSIM_INIT_HOST);
        y[i] = buffer(m, "y", i, m->n * 8, GSIM_INIT_NONE);
        host_op(m, GSIM_OP_HOST_WRITE, x[i], m->n * 8, true);
    }
    for (int i = 0; i < VECTORS; i++) KERNEL(m, "bs", 1024, m->n, m->n, &bs_cost, i, IN(x[i]), OUT(y[i]));
}

/* x_i: rows of a dense matrix, a thread per row. */
static void products(struct maker *m)
{
    uint32_t x[PARTITIONS], z[PARTITIONS], y = buffer(m, "y", -1, m->n * 4, GSIM_INIT_HOST);
    uint32_t out = buffer(m, "z_out", -1, m->n * 4, GSIM_INIT_NONE);
    for (int i = 0; i < PARTITIONS; i++) {
        x[i] = buffer(m, "x", i, m->part * m->n * 4, GSIM_INIT_HOST);
        z[i] = buffer(m, "z", i, m->part * 4, GSIM_INIT_NONE);
        host_op(m, GSIM_OP_HOST_WRITE, x[i], m->part * m->n * 4, true);
    }
    host_op(m, GSIM_OP_HOST_WRITE, y, m->n * 4, true);
    for (int i = 0; i < PARTITIONS; i++) {
        KERNEL(m, "matrix_vector_mult", 256, m->part * m->n, m->part, &product_cost, i, IN(x[i]), IN(y), OUT(z[i]));
        KERNEL(m, "copy", 256, m->part, m->part, &copy_cost, i, IN(z[i]), {out, false, true, true});
    }
}

/* Ridge regression and naive Bayes of N rows; x moves once. */
struct learning {
    uint32_t x[PARTITIONS], z[PARTITIONS], mean[PARTITIONS], std[PARTITIONS];
    uint32_t flp, coeff, intercept, amax, l, r;
    struct slices r1, r2;
};

static struct learning learning_buffers(struct maker *m)
{
    struct learning b;
    double in_part = m->part * FEATURES * 4, weights = FEATURES * CLASSES * 4, scores = m->n * CLASSES * 4;
    for (int i = 0; i < PARTITIONS; i++) {
        b.x[i] = buffer(m, "x", i, in_part, GSIM_INIT_HOST);
        b.z[i] = buffer(m, "z", i, in_part, GSIM_INIT_NONE);
        b.mean[i] = buffer(m, "mean", i, FEATURES * 4, GSIM_INIT_NONE);
        b.std[i] = buffer(m, "std", i, FEATURES * 4, GSIM_INIT_NONE);
    }
    b.flp = buffer(m, "nb_feat_log_prob", -1, weights, GSIM_INIT_HOST);
    b.coeff = buffer(m, "ridge_coeff", -1, weights, GSIM_INIT_HOST);
    b.intercept = buffer(m, "ridge_intercept", -1, CLASSES * 4, GSIM_INIT_HOST);
    b.amax = buffer(m, "nb_amax", -1, m->n * 4, GSIM_INIT_NONE);
    b.l = buffer(m, "nb_l", -1, m->n * 4, GSIM_INIT_NONE);
    b.r = buffer(m, "r", -1, m->n * 4, GSIM_INIT_NONE);
    b.r1 = slices(m, "r1_", scores, GSIM_INIT_HOST);
    b.r2 = slices(m, "r2_", scores, GSIM_INIT_HOST);
    for (int i = 0; i < PARTITIONS; i++) {
        host_op(m, GSIM_OP_HOST_WRITE, b.r1.of[i], scores / PARTITIONS, true);
        host_op(m, GSIM_OP_HOST_WRITE, b.r2.of[i], scores / PARTITIONS, true);
    }
    return b;
}

/* A kernel over the scores of all rows: SCORES, which it changes or else reads, OTHERS, which it reads, and ARG; both
 * may be NULL. */
static void score(struct maker *m, const char *name, const struct cost *cost, int stream, const struct slices *scores,
                  bool changes, const struct gsim_arg *arg, const struct slices *others)
{
    struct args args = {0};
    add_slices(&args, scores, true, changes);
    if (others) add_slices(&args, others, true, false);
    if (arg) add(&args, *arg);
    kernel(m, name, 32, m->n * CLASSES, m->n, cost, stream, args.of, args.count);
}

static void ridge(struct maker *m, const struct learning *b)
{
    double cells = m->part * FEATURES;
    for (int i = 0; i < PARTITIONS; i++)
        KERNEL(m, "rr_1", 32, cells, FEATURES, &moments_cost, i, IN(b->x[i]), OUT(b->mean[i]), OUT(b->std[i]));
    KERNEL(m, "rr_1_1", 32, FEATURES, FEATURES, &update_cost, 0, INOUT(b->mean[0]), INOUT(b->std[0]));
    for (int i = 1; i < PARTITIONS; i++)
        KERNEL(m, "rr_1_1", 32, FEATURES, FEATURES, &update_cost, 0, INOUT(b->mean[0]), INOUT(b->std[0]),
               IN(b->mean[i]), IN(b->std[i]));
    for (int i = 0; i < PARTITIONS; i++) {
        KERNEL(m, "rr_1_2", 32, cells, FEATURES, &normal_cost, i, IN(b->x[i]), OUT(b->z[i]), IN(b->mean[0]),
               IN(b->std[0]));
        KERNEL(m, "rr_2", 32, cells * CLASSES, m->part, &sums_cost, i, IN(b->z[i]), IN(b->coeff), INOUT(b->r2.of[i]));
    }
    score(m, "rr_3", &rr_3_cost, 0, &b->r2, true, &(struct gsim_arg)IN(b->intercept), NULL);
    score(m, "softmax", &softmax_cost, 0, &b->r2, true, NULL, NULL);
}

static void bayes(struct maker *m, const struct learning *b)
{
    const int stream = PARTITIONS;
    struct args args = {0};
    for (int i = 0; i < PARTITIONS; i++)
        KERNEL(m, "nb_1", 32, m->part * FEATURES * CLASSES, m->part, &sums_cost, stream + i, IN(b->x[i]), IN(b->flp),
               INOUT(b->r1.of[i]));
    score(m, "nb_2", &nb_2_cost, stream, &b->r1, false, &(struct gsim_arg)OUT(b->amax), NULL);
    add_slices(&args, &b->r1, true, false);
    add(&args, (struct gsim_arg)IN(b->amax));
    add(&args, (struct gsim_arg)OUT(b->l));
    kernel(m, "nb_3", 32, m->n * CLASSES, m->n, &nb_3_cost, stream, args.of, args.count);
    score(m, "nb_4", &nb_4_cost, stream, &b->r1, true, &(struct gsim_arg)IN(b->l), NULL);
    score(m, "softmax", &softmax_cost, stream, &b->r1, true, NULL, NULL);
}

static void learning(struct maker *m)
{
    struct learning b = learning_buffers(m);
    ridge(m, &b);
    bayes(m, &b);
    score(m, "argmax", &argmax_cost, 0, &b.r1, false, &(struct gsim_arg)OUT(b.r), &b.r2);
    host_op(m, GSIM_OP_HOST_READ, b.r, 4, false);
}

struct gradient {
    uint32_t a[PARTITIONS], b, x, p, t1, t2;
    struct slices r, y;
};

/* A kernel of the vector V, which it changes or else reads, and S; SUM: the scalar that it adds to, or NULL. */
static void update(struct maker *m, const char *name, int stream, uint32_t v, bool changes_v, const struct slices *s,
                   bool changes_s, const uint32_t *sum)
{
    struct args args = {0};
    add(&args, (struct gsim_arg){v, true, changes_v, !changes_v});
    add_slices(&args, s, true, changes_s);
    if (sum) add(&args, (struct gsim_arg)INOUT(*sum));
    kernel(m, name, 32, m->n, m->n, &update_cost, stream, args.of, args.count);
}

static void norm(struct maker *m, const struct gradient *g)
{
    struct args args = {0};
    add_slices(&args, &g->r, true, false);
    add(&args, (struct gsim_arg)INOUT(g->t1));
    kernel(m, "l2_norm", 32, m->n, m->n, &copy_cost, 1, args.of, args.count);
}

/* 21 kernels, between which the host reads two scalars and zeroes them. */
static void gradient_step(struct maker *m, const struct gradient *g)
{
    struct args args = {0};
    for (int i = 0; i < PARTITIONS; i++)
        KERNEL(m, "matrix_vector_mult", 32, m->part * m->n, m->part, &product_cost, i, IN(g->a[i]), IN(g->p),
               OUT(g->y.of[i]));
    update(m, "dot", 0, g->p, false, &g->y, false, &g->t2);
    host_op(m, GSIM_OP_HOST_READ, g->t1, 4, false);
    host_op(m, GSIM_OP_HOST_READ, g->t2, 4, false);
    host_op(m, GSIM_OP_HOST_WRITE, g->t1, 4, false);
    host_op(m, GSIM_OP_HOST_WRITE, g->t2, 4, false);
    KERNEL(m, "saxpy", 32, m->n, m->n, &update_cost, 0, INOUT(g->x), IN(g->p));
    add_slices(&args, &g->r, true, true);
    add_slices(&args, &g->y, true, false);
    kernel(m, "saxpy", 32, m->n, m->n, &update_cost, 1, args.of, args.count);
    norm(m, g);
    host_op(m, GSIM_OP_HOST_READ, g->t1, 4, false);
    update(m, "saxpy", 0, g->p, true, &g->r, false, NULL);
}

/* Dense conjugate gradient; a, the rows of the matrix, moves once. */
static void gradient(struct maker *m)
{
    struct gradient g = {.b = buffer(m, "b", -1, m->n * 4, GSIM_INIT_HOST)};
    for (int i = 0; i < PARTITIONS; i++) g.a[i] = buffer(m, "A", i, m->part * m->n * 4, GSIM_INIT_HOST);
    g.x = buffer(m, "x", -1, m->n * 4, GSIM_INIT_HOST);
    g.p = buffer(m, "p", -1, m->n * 4, GSIM_INIT_NONE);
    g.t1 = buffer(m, "t1", -1, 4, GSIM_INIT_HOST);
    g.t2 = buffer(m, "t2", -1, 4, GSIM_INIT_HOST);
    g.r = slices(m, "r", m->n * 4, GSIM_INIT_NONE);
    g.y = slices(m, "y", m->n * 4, GSIM_INIT_NONE);
    host_op(m, GSIM_OP_HOST_WRITE, g.x, m->n * 4, true);
    for (int i = 0; i < PARTITIONS; i++) {
        KERNEL(m, "precondition", 32, m->part, m->part, &copy_cost, i, INOUT(g.a[i]));
        KERNEL(m, "matrix_vector_mult_axpy", 32, m->part * m->n, m->part, &product_cost, i, IN(g.a[i]), IN(g.x),
               IN(g.b), OUT(g.r.of[i]));
    }
    update(m, "cpy", 0, g.p, true, &g.r, false, NULL);
    norm(m, &g);
    for (int i = 0; i < STEPS; i++) gradient_step(m, &g);
}

enum gsim_status gsim_partitioned_build(const char *name, double size, struct gsim_program *program,
                                        struct gsim_error *error)
{
    static const struct {
        const char *name;
        void (*make)(struct maker *m);
    } makers[] = {{"b1m", vectors}, {"b5m", black_scholes}, {"b11m", products}, {"b6m", learning}, {"b9m", gradient}};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (strcmp(makers[i].name, name) != 0) continue;
        struct maker m = {.builder = gsim_builder_create(name), .n = size, .part = ceil(size / PARTITIONS)};
        if (!m.builder) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        makers[i].make(&m);
        return gsim_builder_finish(m.builder, 1, program, error);
    }
    return gsim_error_set(error, GSIM_INPUT, "workload '%s' is not modelled", name);
}
