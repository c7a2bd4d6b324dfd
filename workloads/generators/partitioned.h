/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper of GrCUDA's programs for several GPUs, b1m to b11m). Partitions of the data, whose
 * hand-written variants have partition i on GPU i modulo their number, each in a stream of its own.
 */
#pragma once

#include <math.h>

#include "gpusim/generator.h"

struct gsim_partitioned_params {
    double size;
    int64_t partitions, blocks, threads, gpus;
};

#define GSIM_PARTITIONED_PARAMS(size_initial, size_help, parts, parts_help, thread_count)                              \
    {"size", GSIM_PARAM_REAL, offsetof(struct gsim_partitioned_params, size), size_initial, 16, 1e11, "",              \
     NULL,   size_help},                                                                                               \
        {"partitions", GSIM_PARAM_INT, offsetof(struct gsim_partitioned_params, partitions), parts, 1, 256, "",        \
         NULL,         parts_help},                                                                                    \
        {"blocks", GSIM_PARAM_INT,  offsetof(struct gsim_partitioned_params, blocks), 64, 1, 65535, "",                \
         NULL,     "of each launch"},                                                                                  \
        {"threads", GSIM_PARAM_INT, offsetof(struct gsim_partitioned_params, threads), thread_count, 32, 1024, "",     \
         NULL,      "of each block"},                                                                                  \
        {"gpus", GSIM_PARAM_INT, offsetof(struct gsim_partitioned_params, gpus),       1, 1, 64,                       \
         "",     NULL,           "that the program says itself which partition is for"},                               \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* What one item costs (workloads/bench.h). */
struct gsim_partitioned_cost {
    double flops, dram_bytes, thread_cycles, sm_cycles;
    uint32_t regs;
};

struct gsim_partitioned {
    const struct gsim_partitioned_params *params;
    struct gsim_builder *b;
    double part; /* elements of a partition: the size over partitions, rounded up */
};

static inline bool gsim_partitioned_begin(struct gsim_partitioned *p, const char *name, const void *params,
                                          struct gsim_error *error)
{
    *p = (struct gsim_partitioned){.params = params, .b = gsim_builder_create(name)};
    p->part = ceil(p->params->size / (double)p->params->partitions);
    if (!p->b) gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return p->b != NULL;
}

/* PARTITION below 0: the buffer is one for all. */
static inline uint32_t gsim_partitioned_buffer(struct gsim_partitioned *p, const char *name, int partition,
                                               double count, double bytes, enum gsim_buffer_init init)
{
    char text[48];
    if (partition < 0) snprintf(text, sizeof text, "%s", name);
    else snprintf(text, sizeof text, "%s%d", name, partition);
    return gsim_builder_buffer(p->b, text, (uint64_t)(count * bytes), init);
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
    double grid = (double)n->blocks * (double)n->threads,
           threads = l->threads > 0 && l->threads < grid ? l->threads : grid;
    struct gsim_kernel kernel = {.name = l->name,
                                 .grid = {(uint32_t)n->blocks, 1, 1},
                                 .block = {(uint32_t)n->threads, 1, 1},
                                 .regs_per_thread = l->cost->regs,
                                 .fp64 = l->fp64,
                                 .demand_given = true,
                                 .flops = l->items * l->cost->flops,
                                 .dram_bytes = l->items * l->cost->dram_bytes,
                                 .thread_cycles = fmax(l->items / threads, 1) * l->cost->thread_cycles,
                                 .sm_cycles = l->items * l->cost->sm_cycles,
                                 .rows = l->rows};
    struct gsim_segment slice = {.offset = (uint64_t)(l->slice_bytes * l->partition),
                                 .bytes = (uint64_t)l->slice_bytes};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .arg_count = (uint32_t)count, .stream = l->stream,
                         .device = (uint16_t)(l->partition < 0 ? 0 : l->partition % n->gpus)};
    if (l->slice_arg) {
        slice.arg = l->slice_arg - 1;
        slice.reads = args[slice.arg].reads;
        slice.writes = args[slice.arg].writes;
        op.segments = &slice;
        op.segment_count = 1;
    }
    op.kernel_index = gsim_builder_kernel(p->b, &kernel);
    gsim_builder_op(p->b, &op);
}

static inline void gsim_partitioned_host(struct gsim_partitioned *p, enum gsim_op_kind kind, uint32_t buffer,
                                         double bytes, bool untimed)
{
    bool reads = kind == GSIM_OP_HOST_READ;
    struct gsim_arg arg = {.buffer_index = buffer, .reads = reads, .writes = !reads, .declared_const = reads};
    gsim_builder_op(
        p->b,
        &(struct gsim_op){
            .kind = kind, .args = &arg, .arg_count = 1, .bytes = (uint64_t)bytes, .stream = -1, .untimed = untimed});
}
