/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program. The work of a kernel: members of struct gsim_kernel, which are also the fields of a program
 * file's kernels, in the order of writing. Ops may override them. This list generates reading, writing, checking and
 * comparing.
 */
#pragma once

#include "gpusim/limits.h"
#include "gpusim/program.h"

/* REAL(name, least, most): LEAST to MOST, or 0: not given. COUNT(name, most). FLAG(name). OTHER(name). */
/* clang-format off */
#define GSIM_KERNEL_FIELDS(REAL, COUNT, FLAG, OTHER)                                            \
    COUNT(regs_per_thread, GSIM_LIMIT_REGS)      COUNT(smem_bytes, GSIM_LIMIT_SMEM_BYTES)       \
    FLAG(fp64)                                   FLAG(solo_profiled)                            \
    FLAG(solo_cold)                              REAL(flops, 0, GSIM_LIMIT_WORK)                \
    REAL(dram_bytes, 0, GSIM_LIMIT_WORK)         REAL(thread_cycles, 0, GSIM_LIMIT_WORK)        \
    REAL(sm_cycles, 0, GSIM_LIMIT_WORK)          REAL(solo_us, 0, GSIM_LIMIT_US)                \
    REAL(rows, 0, GSIM_LIMIT_WORK)               REAL(cold_us, 0, GSIM_LIMIT_US)                \
    REAL(memory_wait, 0, 1)                      REAL(dram_cost, 0, GSIM_LIMIT_DRAM_COST)       \
    REAL(data_bytes, 0, GSIM_LIMIT_WORK)         REAL(imbalance, 1, GSIM_LIMIT_IMBALANCE)       \
    REAL(loop_x, 0, GSIM_LIMIT_WORK)             REAL(loop_y, 0, GSIM_LIMIT_WORK)               \
    REAL(loop_z, 0, GSIM_LIMIT_WORK)             REAL(prologue, 0, GSIM_LIMIT_PROLOGUE)         \
    REAL(trigger, 0, 1)                          REAL(energy_mj, 0, GSIM_LIMIT_WORK)            \
    COUNT(slice_sms, GSIM_LIMIT_SMS)             REAL(slice_us, 0, GSIM_LIMIT_US)               \
    COUNT(tiles, GSIM_LIMIT_TILES)               OTHER(tile_order)                              \
    REAL(l1_hit, 0, 1)                           FLAG(waits)                                    \
    OTHER(pipes)                                 OTHER(cluster)                                 \
    OTHER(solo_device)
/* clang-format on */
#define GSIM_KERNEL_FIELD_ID(name, ...)   GSIM_KERNEL_##name,
#define GSIM_KERNEL_FIELD_NAME(name, ...) #name,
#define GSIM_KERNEL_FIELD_NONE(name, ...)
#define GSIM_KERNEL_FIELDS_AS(X) GSIM_KERNEL_FIELDS(X, X, X, X)
enum { GSIM_KERNEL_FIELDS_AS(GSIM_KERNEL_FIELD_ID) GSIM_KERNEL_FIELD_COUNT };
