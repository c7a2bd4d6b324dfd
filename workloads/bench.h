/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper). What the built-in benchmarks share: sizes and launch shapes from the options,
 * kernels from costs per item. Failures stick and are reported by gsim_bench_finish().
 */
#pragma once

#include "gpusim/workload.h"

/* What one item (vector element, row, pixel, output position) costs. Bytes are DRAM traffic as it happens.
 * The cycles: see struct gsim_kernel, thread_cycles and sm_cycles; where each number comes from stands in
 * the workload's table, in the words of docs/workloads-fit.md: derived, measured, fitted, assumed. */
struct gsim_cost {
    double flops, dram_bytes, thread_cycles, sm_cycles;
};

/* One-dimensional launches by default: threads per block, and "num_blocks". */
struct gsim_launch_shape {
    uint32_t block1d, blocks;
};

struct gsim_bench_limits {
    double size_minimum, size_maximum;
    /* KeSCo's suite tuned serial and concurrent runs apart; GrCUDA's suite did not. */
    struct gsim_launch_shape kesco_concurrent, kesco_serial, grcuda;
};

struct gsim_bench {
    const struct gsim_workload_ops *ops;
    struct gsim_workload_options options; /* with defaults filled in */
    struct gsim_builder *builder;
};

/* One launch. THREADS is how many threads share the ITEMS: 0 means all of the grid. */
struct gsim_bench_launch {
    const char *name;
    struct gsim_dim3 grid, block;
    uint32_t regs[2]; /* by suite */
    uint32_t smem_bytes;
    bool fp64;
    const struct gsim_cost *cost;
    double items, threads;
    double loop_x, loop_y, loop_z; /* as in struct gsim_kernel */
    bool spreads; /* more threads than items: all are modelled as having their mean share, not as one item each */
    int32_t stream;
    /* As in struct gsim_kernel and struct gsim_op; of arguments that are touched in part, the part. */
    bool demand_given;
    uint32_t rows;
    uint16_t device;
    const struct gsim_segment *segment;
};

/* A pointer argument as the signature and the kernel treat it. NON_CONST: read, but not declared const. */
#define GSIM_IN(buffer)           ((struct gsim_arg){(buffer), true, false, true})
#define GSIM_IN_NON_CONST(buffer) ((struct gsim_arg){(buffer), true, false, false})
#define GSIM_OUT(buffer)          ((struct gsim_arg){(buffer), false, true, false})
#define GSIM_INOUT(buffer)        ((struct gsim_arg){(buffer), true, true, false})
#define GSIM_ARGS(...)                                                                                                 \
    (const struct gsim_arg[]){__VA_ARGS__}, sizeof((struct gsim_arg[]){__VA_ARGS__}) / sizeof(struct gsim_arg)

/* Checks the options and fills in the defaults. */
enum gsim_status gsim_bench_begin(struct gsim_bench *bench, const struct gsim_workload_ops *ops,
                                  const struct gsim_bench_limits *limits, const struct gsim_workload_options *options,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* COUNT elements. Numbered: NUMBER is put behind the name. */
uint32_t gsim_bench_buffer(struct gsim_bench *bench, const char *name, double count, double element_bytes,
                           enum gsim_buffer_init init);
uint32_t gsim_bench_buffer_numbered(struct gsim_bench *bench, const char *name, uint32_t number, double count,
                                    double element_bytes, enum gsim_buffer_init init);
/* A launch of ITEMS in the options' one-dimensional shape; registers by suite. */
struct gsim_bench_launch gsim_bench_launch1d(const struct gsim_bench *bench, const char *name, uint32_t kesco_regs,
                                             uint32_t grcuda_regs, const struct gsim_cost *cost, double items,
                                             int32_t stream);
void gsim_bench_launch(struct gsim_bench *bench, const struct gsim_bench_launch *launch, const struct gsim_arg *args,
                       size_t arg_count);
/* The prefetch calls of the authors' sources at the head of the program, each of a whole buffer: the kesco suite's,
 * nothing in the grcuda suite, where GrSched prefetches by itself. */
struct gsim_prefetch_call {
    uint32_t buffer;
    int32_t stream; /* of the buffer's first kernel, as in the authors' hand-made variants */
};
#define GSIM_PREFETCHES(...)                             \
    (const struct gsim_prefetch_call[]){__VA_ARGS__},    \
        sizeof((struct gsim_prefetch_call[]){__VA_ARGS__}) / sizeof(struct gsim_prefetch_call)
void gsim_bench_prefetch(struct gsim_bench *bench, const struct gsim_prefetch_call *calls, size_t call_count);
/* A read or a write of the first BYTES by the host. */
void gsim_bench_host(struct gsim_bench *bench, enum gsim_op_kind kind, uint32_t buffer, double bytes, bool untimed);
/* The reset between iterations, outside the timed region; a write inside it; a read. */
static inline void gsim_bench_reset(struct gsim_bench *bench, uint32_t buffer, double bytes)
{
    gsim_bench_host(bench, GSIM_OP_HOST_WRITE, buffer, bytes, true);
}
static inline void gsim_bench_host_write(struct gsim_bench *bench, uint32_t buffer, double bytes)
{
    gsim_bench_host(bench, GSIM_OP_HOST_WRITE, buffer, bytes, false);
}
static inline void gsim_bench_host_read(struct gsim_bench *bench, uint32_t buffer, double bytes)
{
    gsim_bench_host(bench, GSIM_OP_HOST_READ, buffer, bytes, false);
}
/* A shape from the options: (g/2) x (g/2) blocks of 8 x 8. */
struct gsim_dim3 gsim_bench_grid2d(const struct gsim_bench *bench);
#define GSIM_BLOCK2D ((struct gsim_dim3){8, 8, 1})
/* Frees BENCH's builder. */
enum gsim_status gsim_bench_finish(struct gsim_bench *bench, struct gsim_program *program,
                                   struct gsim_error *error) GSIM_NODISCARD;

/* Five published sizes of one GPU or sweep. */
/* clang-format off */
#define GSIM_PRESETS(prefix, suite, blocks, block1d, source, a, b, c, d, e)                             \
    {prefix "-1", suite, a, source, blocks, block1d}, {prefix "-2", suite, b, source, blocks, block1d}, \
    {prefix "-3", suite, c, source, blocks, block1d}, {prefix "-4", suite, d, source, blocks, block1d}, \
    {prefix "-5", suite, e, source, blocks, block1d}
/* clang-format on */

/* Each workload's file defines its own. */
#define X(name) extern const struct gsim_workload_ops gsim_workload_##name;
#include "workloads/workloads.def"
#undef X

#define GSIM_SOURCE_KESCO         "KeSCo's benchmark repository, testing.sh"
#define GSIM_SOURCE_GRCUDA        "GrCUDA's benchmark repository, benchmark_wrapper.py"
#define GSIM_SOURCE_GRCUDA_CONFIG "GrCUDA's benchmark repository, benchmark_wrapper.py (configured, no published run)"
