/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. When and where each block of a program's kernels ran, as the blocks themselves say: kernels run
 * in a second version that notes the SM, the start and the end of every block by the GPU's own clock (resolution 32 ns
 * on an H200). No tracer is involved, so what is seen is what runs without one, but for a barrier and a store per
 * block (README.md says what it costs).
 */
#pragma once

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

/* Of one block. The clock is the GPU's. */
struct gsim_block_stamp {
    uint64_t start_ns, end_ns; /* end 0: it has not run */
    uint32_t sm, unused;
};

/* A block of the iteration that is asked for, with times from the iteration's start. */
struct gsim_block_run {
    uint32_t op, sm;
    const char *kernel;
    size_t index; /* among the op's */
    double start_us, end_us;
};
typedef void gsim_blocks_see(void *context, const struct gsim_block_run *block);

struct gsim_cuda;
struct gsim_error;
struct gsim_op;
struct gsim_program;
struct gsim_blocks;

/* Room for the blocks of all of PROGRAM's kernels. Fails with GSIM_SIM (an int, since nvcc compiles
 * this). */
int gsim_blocks_open(struct gsim_blocks **blocks, const struct gsim_program *program, struct gsim_error *error);
void gsim_blocks_close(struct gsim_blocks *blocks); /* accepts NULL */
/* Where OP's blocks write, on the device. */
struct gsim_block_stamp *gsim_blocks_of(struct gsim_blocks *blocks, const struct gsim_op *op);
/* All zero again, before an iteration. */
int gsim_blocks_clear(struct gsim_blocks *blocks);
/* After an iteration, when the device has nothing to do: what ran, with times of gsim_runner_now_ns(), by op of the
 * program, with the count of its blocks, 0 if it has not run. Sorted by nothing: by x, then y, then z. Returns 0 or a
 * cudaError_t. / */
int gsim_blocks_read(struct gsim_blocks *blocks);
/* What is to be added to times of the GPU's clock to have those of gsim_runner_now_ns(). Returns 0 or a cudaError_t. */
int gsim_blocks_clock(int64_t *difference);
const struct gsim_block_stamp *gsim_blocks_ran(const struct gsim_blocks *blocks, uint32_t op, size_t *count);

GSIM_DECLARATIONS_END
