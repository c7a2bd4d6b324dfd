/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper of GrCUDA's programs for several GPUs, b1m to b11m). Partitions of the data, whose
 * hand-written variants have partition i on GPU i modulo their number, each in a stream of its own.
 */
#pragma once

#include <math.h>

#include "gpusim/generator.h"
#include "workloads/bench.h"

struct gsim_partitioned_params {
    double size;
    int64_t partitions, blocks, threads, gpus;
};

#define GSIM_PARTITIONED_PARAMS(size_initial, size_help, parts, parts_help, thread_count)                              \
    GSIM_REAL(struct gsim_partitioned_params, size, size_initial, 16, 1e11, "", size_help),                            \
    GSIM_INT(struct gsim_partitioned_params, partitions, parts, 1, 256, "", parts_help),                               \
    GSIM_INT(struct gsim_partitioned_params, blocks, 64, 1, 65535, "", "of each launch"),                              \
    GSIM_INT(struct gsim_partitioned_params, threads, thread_count, 32, 1024, "", "of each block"),                    \
    GSIM_INT(struct gsim_partitioned_params, gpus, 1, 1, 64, "",                                                       \
             "that the program says itself which partition is for"),                                                   \
    {.name = NULL}

/* What one item costs (workloads/bench.h). */
struct gsim_partitioned_cost {
    double flops, dram_bytes, thread_cycles, sm_cycles;
    uint32_t regs;
};

struct gsim_partitioned {
    const struct gsim_partitioned_params *params;
    struct gsim_bench bench; /* its builder, and no options */
    double part; /* elements of a partition: the size over partitions, rounded up */
};

static inline bool gsim_partitioned_begin(struct gsim_partitioned *p, const char *name, const void *params,
                                          struct gsim_error *error)
{
    *p = (struct gsim_partitioned){.params = params, .bench.builder = gsim_builder_create(name)};
    p->part = ceil(p->params->size / (double)p->params->partitions);
    if (!p->bench.builder) gsim_no_memory(error);
    return p->bench.builder != NULL;
}

/* PARTITION below 0: the buffer is one for all. */
static inline uint32_t gsim_partitioned_buffer(struct gsim_partitioned *p, const char *name, int partition,
                                               double count, double bytes, enum gsim_buffer_init init)
{
    return partition < 0 ? gsim_bench_buffer(&p->bench, name, count, bytes, init)
                         : gsim_bench_buffer_numbered(&p->bench, name, (uint32_t)partition, count, bytes, init);
}

/* ITEMS go to THREADS of the grid, 0: all. A slice of the first SLICE_ARG argument counted from 1, of SLICE_BYTES each,
 * is partition's own; 0: none. */
struct gsim_partitioned_launch {
    const char *name;
    const struct gsim_partitioned_cost *cost;
    double items, threads;
    int32_t stream, partition; /* partition -1: of no one, on GPU 0 */
    uint32_t slice_arg;
    double slice_bytes;
    bool fp64;
    uint32_t rows;
};

static inline void gsim_partitioned_launch(struct gsim_partitioned *p, const struct gsim_partitioned_launch *l,
                                           const struct gsim_arg *args, size_t count)
{
    const struct gsim_partitioned_params *n = p->params;
    const struct gsim_cost cost = {l->cost->flops, l->cost->dram_bytes, l->cost->thread_cycles, l->cost->sm_cycles};
    uint32_t arg = l->slice_arg ? l->slice_arg - 1 : 0;
    const struct gsim_segment slice = {gsim_whole_u64(l->slice_bytes * l->partition), gsim_whole_u64(l->slice_bytes),
                                       arg, args[arg].reads, args[arg].writes};
    const struct gsim_bench_launch launch = {
        .name = l->name,
        .grid = {(uint32_t)n->blocks, 1, 1},
        .block = {(uint32_t)n->threads, 1, 1},
        .regs = {l->cost->regs, l->cost->regs},
        .fp64 = l->fp64,
        .cost = &cost,
        .items = l->items,
        .threads = l->threads < (double)n->blocks * (double)n->threads ? l->threads : 0,
        .stream = l->stream,
        .demand_given = true,
        .rows = l->rows,
        .device = (uint16_t)(l->partition < 0 ? 0 : l->partition % n->gpus),
        .segment = l->slice_arg ? &slice : NULL};
    gsim_bench_launch(&p->bench, &launch, args, count);
}
