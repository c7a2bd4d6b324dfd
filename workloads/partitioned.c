/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generators of workloads/partitioned.h. Left out: b6m (machine learning, 87 kernels) and b9m (conjugate gradient),
 * whose time is computation and of whose kernels no time alone was published: their costs would be free to choose. */
#include "workloads/partitioned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PARTITIONS 16
#define VECTORS    24
#define BLOCKS     64

struct maker {
    struct gsim_builder *builder;
    double n, part; /* size; of it, in one partition */
};

/* Per item: what sim/program.h calls the same. */
struct cost {
    double flops, dram_bytes, thread_cycles;
};

/* As VEC's and B&S's grcuda suite (vec.c, bs.c). */
static const struct cost square_cost = {1, 8, 265}, reduce_cost = {2, 8, 0}, bs_cost = {200, 16, 1250};
/* Per matrix element, a thread per row. thread_cycles fitted to b9m, one kernel at a time, N = 2e4: 84 (V100) and 106
 * (A100). Copy per element: assumed, one DRAM access. */
static const struct cost product_cost = {2, 4, 95}, copy_cost = {0, 8, 450};

static uint32_t buffer(struct maker *m, const char *name, int number, double bytes, enum gsim_buffer_init init)
{
    char text[32];
    snprintf(text, sizeof text, number < 0 ? "%s" : "%s%d", name, number);
    return gsim_builder_buffer(m->builder, text, (uint64_t)bytes, init);
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
                            .thread_cycles = ceil(rows / threads) * (items / rows) * cost->thread_cycles};
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

enum gsim_status gsim_partitioned_build(const char *name, double size, struct gsim_program *program,
                                        struct gsim_error *error)
{
    static const struct {
        const char *name;
        void (*make)(struct maker *m);
    } makers[] = {{"b1m", vectors}, {"b5m", black_scholes}, {"b11m", products}};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (strcmp(makers[i].name, name) != 0) continue;
        struct maker m = {.builder = gsim_builder_create(name), .n = size, .part = ceil(size / PARTITIONS)};
        if (!m.builder) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        makers[i].make(&m);
        return gsim_builder_finish(m.builder, 1, program, error);
    }
    return gsim_error_set(error, GSIM_INPUT, "workload '%s' is not modelled", name);
}
