/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner). The real kernels of the built-in workloads: what a kernel op of a program launches, what the
 * host writes, and whether the results are right. Compiled by nvcc for the runner, and as plain C for the tests,
 * which execute the same kernels on the CPU (traces/runner/kernels/kernel.h). Not to be included with
 * workloads/bench.h.
 */
#pragma once

#include "gpusim/memory.h"
#include "gpusim/program.h"
#include "gpusim/workload.h"

GSIM_DECLARATIONS_BEGIN

/* One built-in workload bound to the program that its workloads/NAME.c built. */
struct gsim_runner_bench;

/* One launch, good for cudaLaunchKernel and for cudaKernelNodeParams. args[0] points to storage: do not copy it. CUDA
 * has copied the arguments when the call returns, so one object serves all launches, one after another. The name
 * of the kernel is the program's (kernels[op->kernel_index].name): what CUPTI gives is decorated. */
struct gsim_runner_launch {
    const void *function, *stamped; /* stamped: takes a second argument (blocks.h); NULL without CUDA */
    unsigned grid[3], block[3];
    size_t smem_bytes; /* dynamic; the rest of the program's smem_bytes is static */
    void *args[2];        /* the second is the caller's, for stamped */
    uint64_t storage[32]; /* the kernel's own argument, a structure */
};

/* The life of a bench: create; then per iteration fill (outside the timed region), launches and fills in the program's
 * order, and check; destroy. Buffers are the program's, by their index; a kernel's memory may be any plain device
 * pointer aligned to 256 bytes. No kernel depends on what an earlier iteration left behind. */
struct gsim_bench_ops {
    const char *name;      /* of the workload */
    const char *tolerance; /* what check compares and how closely, in words */

    /* PROGRAM must outlive the bench and be what the workload's build() made of OPTIONS (defaults are filled in the
     * same way). Reference results are computed by the first check, and kept. */
    enum gsim_status (*create)(const struct gsim_program *program, const struct gsim_workload_options *options,
                               uint64_t seed, struct gsim_runner_bench **bench, struct gsim_error *error);

    /* What the host has in the buffer whenever the host writes it: before the first iteration (init host; init device:
     * what is on the device), at every untimed host_write op, and at every timed one (HITS zeroes four scalars). HOST
     * has room for the whole buffer, and all of it is written; a buffer that the host never writes (init none) gets
     * GSIM_BENCH_POISON. The same seed gives the same bytes. */
    void (*fill)(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host);

    /* OP: a kernel op of the program. DEVICE: by buffer index; only those of the op's arguments are looked at. */
    void (*launch)(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *const *device,
                   struct gsim_runner_launch *launch);

    /* Whether check looks at the buffer: the caller copies these back whole after an iteration. */
    bool (*is_result)(const struct gsim_runner_bench *bench, uint32_t buffer_index);

    /* Compares with the CPU reference. HOST: by buffer index, only results are looked at. GSIM_SIM with a message that
     * names buffer, index, found and expected when something is wrong. Results too large to be recomputed are
     * compared in a deterministic sample; all their elements are checked to be numbers (no poison left). */
    enum gsim_status (*check)(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error);

    void (*destroy)(struct gsim_runner_bench *bench); /* accepts NULL */

    /* As a task of a resident kernel: cycles of the SM's clock that a block of OP takes. NULL: its kernels cannot be
     * such tasks. */
    uint64_t (*cycles)(const struct gsim_runner_bench *bench, const struct gsim_op *op);
};

/* Every byte of a buffer nobody wrote: NaN as float and double, -1 as integer. */
#define GSIM_BENCH_POISON 0xff

/* Whether each iteration makes the buffer anew: the host rewrites it before, or its first kernel only writes it. Before
 * an iteration whose results are checked the caller sets such buffers to GSIM_BENCH_POISON on the device (cudaMemset,
 * outside the timed region): what the last iteration left there is right, and would hide a kernel or a copy
 * that comes too late or not at all. */
bool gsim_bench_is_remade(const struct gsim_program *program, uint32_t buffer_index);

/* NULL: no such workload. */
const struct gsim_bench_ops *gsim_bench_find(const char *workload_name);
const struct gsim_bench_ops *gsim_bench_at(uint32_t index); /* NULL at the end */

#define X(name) extern const struct gsim_bench_ops gsim_bench_##name;
#include "traces/runner/kernels/bench.def"
#undef X

GSIM_DECLARATIONS_END
