/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli/runner (program). A recording while it is made: the plan of runs, what each gave, and its file.
 * record.c makes the runs, record_write.c writes them (schema gpusim-runs/1).
 */
#pragma once

#include "cli/runner/main.h"
#include "gpusim/workload.h"

#define GSIM_RECORD_LIST 32

/* A kernel or copy of the traced iteration, from the iteration's start. */
struct gsim_record_op {
    const struct gsim_op *op;
    const char *name; /* the kernel's; NULL for copies */
    bool is_kernel;
    uint32_t op_index, stream;
    enum gsim_copy_kind copy_kind;
    uint64_t bytes;
    double launch_us, start_us, end_us;
};

struct gsim_record_run {
    const struct gsim_scheduler_ops *scheduler;
    bool prefetch, done; /* done: timed and, where wanted, traced with right results */
    double *iteration_us;
    uint32_t iteration_count;
    double traced_us;
    struct gsim_record_op *ops;
    uint32_t op_count;
    /* By call: how often in one iteration, and the time of all of them without the tracer. */
    double call_count[GSIM_API_COUNT], call_us[GSIM_API_COUNT];
};

struct gsim_record_profile_op {
    uint32_t op_index;
    const char *name;
    struct gsim_dim3 grid, block;
    int regs, smem_bytes;
    double median_us, min_us, max_us;
    double slice_us; /* on record->slice_sms SMs; 0: not measured */
};

/* One workload at one size and launch shape. */
struct gsim_record_case {
    const struct gsim_workload_ops *workload;
    struct gsim_workload_options options;
    bool is_test; /* kept aside: not to be fitted */
    struct gsim_record_run *runs;
    uint32_t run_count;
    struct gsim_record_profile_op *profile;
    uint32_t profile_count;
};

struct gsim_record {
    struct gsim_arena arena;
    struct gsim_runner_gpu gpu;
    struct gsim_device_spec *device;
    enum gsim_memory_mode memory;
    uint64_t seed;
    uint32_t iterations, warmup, traced_iterations;
    bool is_traced, profiles_only;
    uint32_t slice_sms; /* 0: kernels are not timed on a slice of the GPU */
    double tracer_excess_us; /* stamp.h */
    const char *name, *path;
    struct gsim_record_case *cases;
    uint32_t case_count, run_count, failed_count;
};

enum gsim_status gsim_record_write(const struct gsim_record *record, struct gsim_error *error) GSIM_NODISCARD;
