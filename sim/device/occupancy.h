/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. How many blocks of a kernel fit on one SM: limits and allocation granularities, which are numbers of a
 * device (models/arch; rules: CUDA C++ Programming Guide, compute capabilities; NVIDIA cuda_occupancy.h).
 */
#pragma once

#include <stdbool.h>

#include "gpusim/device.h"
#include "gpusim/program.h"

/* Compute capabilities are 10 * major + minor, AMD's architectures these: GSIM_GFX(0x942) is gfx942. */
#define GSIM_GFX(number)     (0x10000 + (number))
#define GSIM_CAPABILITY_TEXT 16
static inline bool gsim_capability_is_gfx(int compute_capability) { return compute_capability >= GSIM_GFX(0); }
/* As the vendor's runtime calls them: 9 and 4 for gfx942. */
static inline unsigned gsim_capability_major(int compute_capability)
{
    return gsim_capability_is_gfx(compute_capability) ? (unsigned)compute_capability >> 8 & 0xff
                                                      : (unsigned)compute_capability / 10;
}
static inline unsigned gsim_capability_minor(int compute_capability)
{
    return gsim_capability_is_gfx(compute_capability) ? (unsigned)compute_capability >> 4 & 0xf
                                                      : (unsigned)compute_capability % 10;
}
/* "9.0", "gfx942". Returns TEXT. */
const char *gsim_capability_text(int compute_capability, char text[GSIM_CAPABILITY_TEXT]);
/* Back again; 0: no compute capability is written like that. */
int gsim_capability_parse(const char *text);

#define GSIM_CARVEOUTS 12

struct gsim_sm_limits {
    int compute_capability;
    uint32_t warp_threads, thread_registers;  /* 64 on CDNA, where a warp is a wave; most that one thread may have */
    uint32_t threads, warps, blocks;          /* per SM */
    uint32_t registers, registers_per_block;  /* 32-bit registers */
    uint32_t register_unit;                   /* allocated per warp in these units */
    uint32_t subpartitions;                   /* each holds whole warps' registers */
    uint32_t smem_bytes;                      /* per SM, largest carve-out */
    uint32_t smem_block_bytes;                /* per block, opt-in maximum */
    uint32_t smem_unit, smem_reserved_bytes;  /* rounding; system share per block */
    uint32_t carveout_bytes[GSIM_CARVEOUTS];  /* ascending, ends with 0 after the first entry */
};

/* From the device's numbers. */
struct gsim_sm_limits gsim_sm_limits(const struct gsim_device_spec *device);

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
