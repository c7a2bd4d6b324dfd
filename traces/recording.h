/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (data). What gpusim-runner recorded on a real GPU: built-in workloads under schedulers, and each of
 * their kernels alone. Read by traces/runs.h (schema gpusim-runs/1); predicted by trust/validate/predict.h. Times:
 * microseconds.
 */
#pragma once

#include "gpusim/scheduler.h"
#include "gpusim/workload.h"

/* What was run: a built-in workload and its options, as resolved. */
struct gsim_recording_key {
    const char *workload;
    enum gsim_suite suite;
    enum gsim_shape shape;
    double size;
    uint32_t block1d, blocks; /* 0: the default of suite and shape */
};

/* A kernel op alone, a synchronise after it. */
struct gsim_profile_op {
    uint32_t op; /* index in the program that the key builds */
    const char *kernel;
    struct gsim_dim3 grid, block;
    uint32_t regs_per_thread, smem_bytes;
    double solo_us, min_us, max_us; /* median, least, most; the latter two NAN where not recorded */
    double slice_us;                /* median on slice_sms SMs only; 0: not recorded */
};

struct gsim_profile {
    struct gsim_recording_key key;
    uint32_t slice_sms;
    struct gsim_profile_op *ops;
    uint32_t op_count;
};

/* A kernel or copy that a tracer saw. The last members are known of profilers' traces only. */
struct gsim_recorded_op {
    bool is_kernel;
    enum gsim_copy_kind copy_kind;
    uint32_t op; /* as in gsim_op.index: for a move that a lowering inserted, the op it serves */
    uint64_t bytes;
    uint32_t stream;
    double launch_us, start_us, end_us;
    double returned_us; /* end of its launch call; NAN: not known, or the call made other works too */
    double
        awaited_us; /* end of the last kernel of another stream that it waits for on the device; NAN: waits for none */
    bool is_memset, is_pageable, is_managed;
    bool awaits_copy; /* waits for a copy of another stream, too */
};

/* A call of a host thread that a profiler saw, but those that launch. Synchronising ones: AWAITED_US is when the last
 * work ended that it waited for, which may be long before (NAN: there was none, or which is not known: IS_UNKNOWN). */
enum gsim_host_call_kind {
    GSIM_HOST_EVENT_RECORD,
    GSIM_HOST_EVENT_CREATE,       /* with timing */
    GSIM_HOST_EVENT_CREATE_FLAGS, /* with or without */
    GSIM_HOST_EVENT_DESTROY,
    GSIM_HOST_STREAM_CREATE,
    GSIM_HOST_STREAM_WAIT,
    GSIM_HOST_SYNC,
};
struct gsim_host_call {
    enum gsim_host_call_kind kind;
    bool is_unknown;
    double start_us, end_us, awaited_us;
};

/* A runtime call: how often per iteration, and its host time in all, waiting included. */
struct gsim_recorded_call {
    const char *call; /* "cudaLaunchKernel" */
    double count, total_us;
};

/* Whether the run may be used to fit the device, or is kept to report on; decided before anything was fitted. */
enum gsim_split { GSIM_SPLIT_FIT, GSIM_SPLIT_TEST, GSIM_SPLIT_COUNT };

struct gsim_recording {
    struct gsim_recording_key key;
    const char *scheduler;
    enum gsim_memory_mode memory;
    bool prefetch;
    enum gsim_split split;
    bool checked;         /* the results agreed with the reference */
    double *iteration_us; /* of each iteration after warm-up, without the tracer */
    uint32_t iteration_count;
    double traced_us;             /* the traced iteration; NAN: none */
    struct gsim_recorded_op *ops; /* of the traced iteration, by launch */
    uint32_t op_count;
    struct gsim_recorded_call *calls; /* of an iteration; none: not recorded */
    uint32_t call_count;
    bool has_graph, has_sync; /* among the calls: a graph launch; a synchronise (also where calls are not recorded) */
};

/* The file but its runs. */
struct gsim_recordings {
    const char *name, *gpu, *device, *driver, *cuda, *date, *tracer; /* "" where not recorded */
    int compute_capability;                                          /* 0: not recorded */
    double sm_clock_mhz, memory_clock_mhz;                           /* 0: not recorded */
    double tracer_excess_us; /* by how much kernels are longer in the tracer\'s records than from first to last block */
    struct gsim_profile *profiles;
    size_t profile_count, profile_capacity;
    struct gsim_arena arena; /* owns the strings and the profiles' ops */
};
void gsim_recordings_release(struct gsim_recordings *recordings); /* accepts a zeroed one */

/* The median of the iterations' times, and their spread: half of what lies between the 5 % and the 95 % quantile,
 * relative to it. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_recording_time(const struct gsim_recording *run, double *median_us, double *spread_ratio,
                                     struct gsim_error *error) GSIM_NODISCARD;

bool gsim_recording_key_equal(const struct gsim_recording_key *a, const struct gsim_recording_key *b);
/* NULL when the kernels of that key were not recorded alone. */
const struct gsim_profile *gsim_recordings_profile(const struct gsim_recordings *recordings,
                                                   const struct gsim_recording_key *key);
