/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Occupancy: how many blocks of a kernel fit on one SM. Limits and allocation granularities are numbers of
 * a device (models/arch). Rules: CUDA C++ Programming Guide, compute capabilities; NVIDIA cuda_occupancy.h.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/device.h"
#include "gpusim/program.h"

/* A compute capability is 10 * major + minor, or for AMD GSIM_GFX(0x942): gfx942. */
#define GSIM_GFX(number)     (0x10000 + (number))
#define GSIM_CAPABILITY_TEXT 16
static inline bool gsim_capability_is_gfx(int compute_capability) { return compute_capability >= GSIM_GFX(0); }
/* Return major and minor as the vendor's runtime does: 9 and 4 for gfx942. */
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
/* Writes "9.0" or "gfx942" to TEXT and returns it. */
const char *gsim_capability_text(int compute_capability, char text[GSIM_CAPABILITY_TEXT]);
/* Reads such a text; 0: it is none. */
int gsim_capability_parse(const char *text);

#define GSIM_CARVEOUTS 12

struct gsim_sm_limits {
    int compute_capability;
    uint32_t warp_threads, thread_registers;  /* threads of a warp (CDNA: 64); most registers of a thread */
    uint32_t threads, warps, blocks;          /* per SM */
    uint32_t registers, registers_per_block;  /* 32-bit registers */
    uint32_t register_unit;                   /* allocation unit of a warp */
    uint32_t subpartitions;                   /* a warp's registers are in one of them */
    uint32_t smem_bytes;                      /* per SM, largest carve-out */
    uint32_t smem_block_bytes;                /* per block, opt-in maximum */
    uint32_t smem_unit, smem_reserved_bytes;  /* rounding; system share per block */
    uint32_t carveout_bytes[GSIM_CARVEOUTS];  /* ascending, ends with 0 after the first entry */
};

/* Returns the limits of a device. */
struct gsim_sm_limits gsim_sm_limits(const struct gsim_device_spec *device);

/* Resources of one block. */
struct gsim_block_need {
    uint32_t warps;          /* rounded up to the allocation granularity of warps */
    uint32_t register_warps; /* warps whose registers fit one SM */
    uint32_t smem_bytes;     /* rounded up, with the system's share */
    uint32_t blocks_per_sm;  /* that fit an empty SM; 0: none */
    const char *limiter;     /* "threads", "registers", "shared memory", "blocks" */
};

/* Computes NEED. GSIM_INPUT: a block fits no SM; the message names the kernel and the limit. */
enum gsim_status gsim_block_need(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel,
                                 struct gsim_block_need *need, struct gsim_error *error) GSIM_NODISCARD;
