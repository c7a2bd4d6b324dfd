/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. A program's buffers on a real GPU: plain device memory with pinned or pageable host memory,
 * or managed memory. What the host has in them comes from the benchmark (bench.h); who moves it is the scheduler.
 */
#pragma once

#include "gpusim/scheduler.h"
#include "traces/runner/kernels/bench.h"

#define GSIM_RUNNER_GPUS 16

/* Blocks of memory, one of the host and one of each GPU, kept from program to program and only ever enlarged: pinning a
 * gigabyte takes half a second. */
struct gsim_runner_memory {
    const struct gsim_program *program;
    enum gsim_memory_mode mode;
    void *device_blocks[GSIM_RUNNER_GPUS], *host_block; /* one block on each GPU */
    uint64_t device_bytes, host_bytes;
    uint32_t gpu_count;              /* set by the caller before anything is bound; 0 counts as 1 */
    uint32_t blocks;                 /* GPUs that have one */
    enum gsim_memory_mode host_mode; /* how host_block was allocated */
    void **managed;                  /* buffers in managed memory, managed_count of them */
    uint32_t managed_count;
    void **devices[GSIM_RUNNER_GPUS]; /* by GPU and buffer */
    void **device, **host;           /* per buffer, of GPU 0; the same pointers where memory is managed */
    uint32_t *written_on;            /* per buffer: the GPU whose kernel wrote it last */
    void **pristine; /* per buffer: what the host wrote, kept where a run overwrites the host's copy; or NULL */
    bool *is_written, *is_filled;    /* per buffer: by a kernel; by the host before or during the program */
    struct gsim_arena arena;         /* the arrays */
};

/* Takes memory for PROGRAM's buffers and has BENCH fill the host's side. Managed memory is refused beyond a quarter of
 * what the GPU has free: more has been seen to hang GPUs. Fails with GSIM_SIM and CUDA's message. */
enum gsim_status gsim_runner_memory_bind(struct gsim_runner_memory *memory, const struct gsim_program *program,
                                         enum gsim_memory_mode mode, const struct gsim_bench_ops *ops,
                                         struct gsim_runner_bench *bench, struct gsim_error *error) GSIM_NODISCARD;
/* Before a run: device memory becomes all ones (NaN for floats), so that whoever reads what was never written shows,
 * then buffers that start on the device are written; the host's side is as the benchmark filled it. */
enum gsim_status gsim_runner_memory_reset(struct gsim_runner_memory *memory, struct gsim_error *error) GSIM_NODISCARD;
/* The host writes a buffer once more (op "host_write"): restores what a run has overwritten. */
void gsim_runner_memory_host_write(struct gsim_runner_memory *memory, uint32_t buffer_index, uint64_t bytes);
/* Before an iteration whose results are checked: device memory that only kernels write is spoilt, so that the values
 * of the iteration before cannot pass for this one's. */
void gsim_runner_memory_poison(struct gsim_runner_memory *memory);
/* After a run: results that the program does not read back itself are copied to the host's side. */
enum gsim_status gsim_runner_memory_download(struct gsim_runner_memory *memory, const struct gsim_bench_ops *ops,
                                             const struct gsim_runner_bench *bench,
                                             struct gsim_error *error) GSIM_NODISCARD;
void gsim_runner_memory_unbind(struct gsim_runner_memory *memory); /* keeps the two blocks */
void gsim_runner_memory_release(struct gsim_runner_memory *memory); /* accepts a zeroed one */
