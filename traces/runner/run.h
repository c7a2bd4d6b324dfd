/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. One run on the real GPU: what include/gpusim/simulate.h does in simulated time. The
 * simulation's device is not looked at but for its compute capability, which the caller sets to the GPU's.
 */
#pragma once

#include "gpusim/simulate.h"
#include "traces/runner/blocks.h"
#include "traces/runner/memory.h"
#include "traces/runner/tracer.h"

struct gsim_runner_job {
    const struct gsim_simulation *simulation; /* program, scheduler, memory, prefetch, seed; detailed: record calls */
    struct gsim_runner_memory *memory;        /* bound to the program */
    const struct gsim_bench_ops *bench_ops;
    struct gsim_runner_bench *bench;
    uint32_t iterations;
    const struct gsim_platform *platform; /* of several GPUs: what placements ask about links; NULL: nobody knows */
    bool traced;  /* kernels and copies through CUPTI */
    bool stamped; /* kernels and occupancy by what their blocks note (blocks.h); no copies */
    gsim_blocks_see *see_block; /* of stamped kernels, for each block of the last iteration; NULL: nobody looks */
    void *block_context;
    bool checked; /* compare the last iteration's results with the reference */
};

/* Fills TIMELINE (initialised here, released by the caller also on failure): iterations always, kernels and copies
 * when traced, kernels and occupancy when stamped, calls when detailed. Traced and stamped exclude each other.
 * A wrong result fails with GSIM_SIM. */
enum gsim_status gsim_runner_run(const struct gsim_runner_job *job, struct gsim_timeline *timeline,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* What the runner runs on. */
struct gsim_runner_gpu {
    char name[256], driver[32], cuda[32], host[96]; /* host: the processor */
    int compute_capability, sm_count, sm_clock_mhz, memory_clock_mhz;
    double memory_gb;
};
enum gsim_status gsim_runner_gpu_find(struct gsim_runner_gpu *gpu, struct gsim_error *error) GSIM_NODISCARD;
