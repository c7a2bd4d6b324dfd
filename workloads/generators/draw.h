/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper). What the generators share: kernels of drawn size and duration, and tensors as segments of
 * one pool of memory that is used again, so that hazards are found and not given. Failures stick and are reported by
 * gsim_sketch_finish().
 */
#pragma once

#include "gpusim/generator.h"
#include "gpusim/random.h"

/* -1: as the network or environment has it. */
struct gsim_sketch_numbers {
    double small_share, small_blocks, blocks, blocks_sigma,
        most_blocks;            /* kernels of 1 to small_blocks blocks; of the others the median */
    double us, us_sigma;        /* a block's duration: median, and standard deviation of its logarithm */
    double warps, segments;     /* a block's warps; what a kernel reads and writes at the least, weights among it */
    double block_bytes, pool_mib;
    double unknown_share;       /* of the kernels: they may touch anything */
    double clock_mhz;           /* at which the durations hold */
};

/* What a kernel wrote. */
struct gsim_tensor {
    uint64_t offset, bytes;
};

struct gsim_sketch {
    const struct gsim_sketch_numbers *numbers;
    struct gsim_builder *builder;
    struct gsim_random rng;
    uint32_t pool, weights;
    uint64_t next;              /* where the pool's next tensor begins */
};

/* One kernel. SCALE_BLOCKS and SCALE_US multiply the numbers' medians; 0 stands for 1. */
struct gsim_sketch_kernel {
    const char *name;
    double scale_blocks, scale_us;
    const struct gsim_tensor *reads;
    uint32_t read_count;
};

/* First fills in what is -1: of NUMBERS from PRESET, of GRAPH's COUNT doubles from SHAPE. */
enum gsim_status gsim_sketch_begin(struct gsim_sketch *draw, const char *name, struct gsim_sketch_numbers *numbers,
                                   const struct gsim_sketch_numbers *preset, void *graph, const double *shape,
                                   size_t count, uint64_t seed, struct gsim_error *error) GSIM_NODISCARD;
/* Adds it to the program, and returns what it writes: a tensor of its own. */
struct gsim_tensor gsim_sketch_add(struct gsim_sketch *draw, const struct gsim_sketch_kernel *kernel);
/* The same, with one tensor to read; kernels one after the other, each of which reads the last. */
struct gsim_tensor gsim_sketch_next(struct gsim_sketch *draw, const char *name, struct gsim_tensor from,
                                    double scale_blocks, double scale_us);
/* Where it begins: what is read and written by nobody. */
struct gsim_tensor gsim_sketch_input(struct gsim_sketch *draw);
bool gsim_sketch_chance(struct gsim_sketch *draw, double share);
uint32_t gsim_sketch_between(struct gsim_sketch *draw, double least, double most);
/* Frees what DRAW has, also on failure. */
enum gsim_status gsim_sketch_finish(struct gsim_sketch *draw, struct gsim_program *program,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* Rows of a parameter table for struct gsim_sketch_numbers that is the field NUMBERS of TYPE. */
#define GSIM_DRAW_ROW(type, field, most, unit, help) \
    {#field, GSIM_PARAM_REAL, offsetof(type, numbers.field), -1, -1, most, unit, NULL, help}
/* A row for a field of its struct GRAPH. */
#define GSIM_GRAPH_ROW(type, field, most, help) \
    {#field, GSIM_PARAM_REAL, offsetof(type, graph.field), -1, -1, most, "", NULL, help}
#define GSIM_DRAW_PARAMS(type)                                                                                         \
    GSIM_DRAW_ROW(type, small_share, 1, "", "share of kernels with few blocks"),                                       \
        GSIM_DRAW_ROW(type, small_blocks, 65535, "blocks", "these have 1 to so many"),                                 \
        GSIM_DRAW_ROW(type, blocks, 65535, "blocks", "median of the others, log-normal"),                              \
        GSIM_DRAW_ROW(type, blocks_sigma, 4, "", "standard deviation of its logarithm"),                               \
        GSIM_DRAW_ROW(type, most_blocks, 65535, "blocks", "none has more"),                                            \
        GSIM_DRAW_ROW(type, us, 1e6, "us", "median of a block's duration, log-normal over kernels"),                   \
        GSIM_DRAW_ROW(type, us_sigma, 4, "", "standard deviation of its logarithm"),                                   \
        GSIM_DRAW_ROW(type, warps, 32, "warps", "of a block"),                                                         \
        GSIM_DRAW_ROW(type, segments, 64, "",                                                                          \
                      "that a kernel reads and writes at the least: weights make up for what is missing"),             \
        GSIM_DRAW_ROW(type, block_bytes, 1e6, "bytes", "that a block writes"),                                         \
        GSIM_DRAW_ROW(type, pool_mib, 65536, "MiB", "of memory for what kernels write, used again when it is full"),   \
        GSIM_DRAW_ROW(type, unknown_share, 1, "", "share of kernels whose accesses are unknown"),                      \
        GSIM_DRAW_ROW(type, clock_mhz, 5000, "MHz", "SM clock at which the durations hold")
