/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. How many blocks of a kernel fit on one SM: limits and allocation granularities by compute
 * capability (reference: CUDA C++ Programming Guide, compute capabilities; NVIDIA cuda_occupancy.h).
 */
#ifndef GSIM_OCCUPANCY_H
#define GSIM_OCCUPANCY_H

#include "gpusim/program.h"

struct gsim_sm_limits {
    int compute_capability;
    uint32_t threads, warps, blocks;          /* per SM */
    uint32_t registers, registers_per_block;  /* 32-bit registers */
    uint32_t register_unit;                   /* allocated per warp in these units */
    uint32_t subpartitions;                   /* each holds whole warps' registers */
    uint32_t smem_bytes;                      /* per SM, largest carve-out */
    uint32_t smem_block_bytes;                /* per block, opt-in maximum */
    uint32_t smem_unit, smem_reserved_bytes;  /* rounding; system share per block */
    uint32_t carveout_bytes[12];              /* ascending, ends with 0 after the first entry */
};

/* NULL for a compute capability that is not in the table. */
const struct gsim_sm_limits *gsim_sm_limits(int compute_capability);

/* What one block takes from an SM. */
struct gsim_block_need {
    uint32_t warps;          /* rounded up to the allocation granularity of warps */
    uint32_t register_warps; /* warps that the registers of one SM could hold at this register count */
    uint32_t smem_bytes;     /* rounded, with the system's share */
    uint32_t blocks_per_sm;  /* resident at once on an empty SM; 0: does not fit at all */
    const char *limiter;     /* "threads", "registers", "shared memory", "blocks" */
};

/* Fails with GSIM_INPUT naming the kernel and the limit when a block fits no SM. */
enum gsim_status gsim_block_need(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel,
                                 struct gsim_block_need *need, struct gsim_error *error) GSIM_NODISCARD;

#endif
