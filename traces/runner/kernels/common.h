/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, inside bench_*.cu and common.c only). The host's side that all benches share: what buffers
 * hold (a table per workload), launches (a table per workload), comparing results.
 */
#pragma once

#include "traces/runner/kernels/bench.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_runner_bench {
    const struct gsim_bench_table *table;
    const struct gsim_program *program;
    int64_t n; /* the workload's size */
    enum gsim_suite suite;
    uint32_t first_kernel; /* op of the program */
    uint64_t seed;
    const struct gsim_bench_kernel **kernels; /* by op of the program; NULL for what is no kernel */
    void *reference; /* the workload's own, from gsim_alloc in one piece; NULL before the first check */
};

enum gsim_content {
    GSIM_CONTENT_POISON,
    GSIM_CONTENT_F32, /* uniformly spread over [low, high), and so the next */
    GSIM_CONTENT_F64,
    GSIM_CONTENT_I32,
    GSIM_CONTENT_CONSTANT, /* low in all elements, floats */
    GSIM_CONTENT_OWN,      /* the table's fill() does it */
};

/* What a buffer holds when the host has written it. NAME: a pattern of fnmatch(3). */
struct gsim_bench_buffer {
    const char *name;
    enum gsim_content content;
    float low, high;
    bool is_result;
};

/* One kernel function. SCALARS writes what follows the pointers in the kernel's structure; NULL: nothing. */
struct gsim_bench_kernel {
    const char *name; /* the program's; a pattern of fnmatch(3) */
    const void *function, *stamped; /* GSIM_CODE */
    uint32_t pointer_count, static_smem_bytes;
    void (*scalars)(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at);
};

struct gsim_bench_table {
    const char *workload;
    const struct gsim_bench_buffer *buffers; /* ends with name NULL; what is not listed is poison */
    const struct gsim_bench_kernel *kernels; /* ends with name NULL */
    void (*fill)(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host);
    int64_t most_size;
    const char *what; /* the size counts; for the message where it is beyond that */
};

/* The common parts of struct gsim_bench_ops: a workload's own functions call open, and may be these. */
enum gsim_status gsim_bench_open(const struct gsim_bench_table *table, const struct gsim_program *program,
                                 const struct gsim_workload_options *options, uint64_t seed,
                                 struct gsim_runner_bench **bench, struct gsim_error *error) GSIM_NODISCARD;
void gsim_bench_fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host);
void gsim_bench_prepare(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *const *device,
                        struct gsim_runner_launch *launch);
bool gsim_bench_is_result(const struct gsim_runner_bench *bench, uint32_t buffer_index);
void gsim_bench_close(struct gsim_runner_bench *bench);
/* The scalars of a kernel that takes the workload's size alone. */
void gsim_bench_size_scalar(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at);

/* A workload's bench from its tables "buffers" and "kernels", for sizes up to MOST of WHAT; NULL: no FILL of its
 * own. */
#define GSIM_BENCH(name, fill, is_result, check, most, what, tolerance)                                                \
    static const struct gsim_bench_table table = {#name, buffers, kernels, fill, most, what};                          \
    static enum gsim_status create(const struct gsim_program *program, const struct gsim_workload_options *options,    \
                                   uint64_t seed, struct gsim_runner_bench **bench, struct gsim_error *error)          \
    {                                                                                                                  \
        return gsim_bench_open(&table, program, options, seed, bench, error);                                          \
    }                                                                                                                  \
    const struct gsim_bench_ops gsim_bench_##name = {                                                                  \
        #name, tolerance, create,          gsim_bench_fill, gsim_bench_prepare,                                        \
        is_result, check, gsim_bench_close, NULL};

/* By name; it must be there. */
uint32_t gsim_bench_index(const struct gsim_runner_bench *bench, const char *buffer_name);
int64_t gsim_bench_count(const struct gsim_runner_bench *bench, uint32_t buffer_index, size_t element_bytes);
/* The first number in the name of the buffer that is argument ARG of OP: 3 of "scores3". */
uint32_t gsim_bench_number(const struct gsim_runner_bench *bench, const struct gsim_op *op, uint32_t arg);

/* What decides a buffer's values: the key of gsim_value_*. */
struct gsim_values {
    uint64_t key;
    float low, range;
};
struct gsim_values gsim_bench_values(const struct gsim_runner_bench *bench, uint32_t buffer_index);

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static inline uint64_t gsim_mix(uint64_t key, uint64_t index)
{
    uint64_t z = key + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline float gsim_value_f32(const struct gsim_values *values, int64_t index)
{
    return values->low + values->range * ((float)(gsim_mix(values->key, (uint64_t)index) >> 40) * 0x1p-24f);
}

static inline double gsim_value_f64(const struct gsim_values *values, int64_t index)
{
    return values->low + values->range * ((double)(gsim_mix(values->key, (uint64_t)index) >> 11) * 0x1p-53);
}

/* From low to high - 1. */
static inline int32_t gsim_value_i32(const struct gsim_values *values, int64_t index)
{
    return (int32_t)values->low +
           (int32_t)((gsim_mix(values->key, (uint64_t)index) >> 32) * (uint64_t)values->range >> 32);
}

/* The number of the COUNT elements that are checked when at most MOST can be, and the INDEXth of them: all, or evenly
 * spread with the first and the last. */
int64_t gsim_sample_count(int64_t count, int64_t most);
int64_t gsim_sample_at(int64_t count, int64_t most, int64_t index);

/* GSIM_SIM, with the buffer, the index and all three numbers, where FOUND is farther than ALLOWED from EXPECTED. */
enum gsim_status gsim_bench_compare(const struct gsim_runner_bench *bench, uint32_t buffer_index, int64_t index,
                                    double found, double expected, double allowed, struct gsim_error *error);
/* All elements are finite. */
enum gsim_status gsim_bench_finite_f32(const struct gsim_runner_bench *bench, uint32_t buffer_index, const void *host,
                                       struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_bench_finite_f64(const struct gsim_runner_bench *bench, uint32_t buffer_index, const void *host,
                                       struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
