/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Limits of every program on any device: CUDA's launch limits (CUDA C++ Programming Guide, compute
 * capabilities), and limits that keep sums of bytes and picoseconds exact. A device's own limits are narrower:
 * sim/device/occupancy.h.
 */
#pragma once

#include <stdint.h>

#define GSIM_LIMIT_GRID_X 2147483647u
#define GSIM_LIMIT_GRID_YZ 65535u
/* of a built-in workload (--blocks), along each axis of a two-dimensional grid */
#define GSIM_LIMIT_BLOCKS GSIM_LIMIT_GRID_YZ
#define GSIM_LIMIT_BLOCK_XY 1024u
#define GSIM_LIMIT_BLOCK_Z 64u
#define GSIM_LIMIT_BLOCK_THREADS 1024u
#define GSIM_LIMIT_REGS 255u
#define GSIM_LIMIT_SMEM_BYTES (1u << 20) /* more than any device has per block */
#define GSIM_LIMIT_SMS 4096u
#define GSIM_LIMIT_ARGS 4096u            /* 32,764 bytes of kernel parameters since CUDA 12.1 */
#define GSIM_LIMIT_SEGMENTS 4096u        /* of one kernel */

#define GSIM_LIMIT_BYTES (1ull << 50)    /* of all buffers together: 1 PiB; exact in a double */
#define GSIM_LIMIT_US 1e10               /* one duration: 2.8 hours */
#define GSIM_LIMIT_TOTAL_US 4e12         /* all durations of all iterations: half the range of gsim_time */
#define GSIM_LIMIT_WORK 1e21             /* flops, bytes or cycles of one kernel */
#define GSIM_LIMIT_PROLOGUE 0.99         /* share of a block's work */
#define GSIM_LIMIT_DRAM_COST 100         /* DRAM time of a byte relative to a stream's */
#define GSIM_LIMIT_PIPE      1.5          /* share of a pipe's peak; profilers count some percent too much */
#define GSIM_LIMIT_TILES     1e9           /* of a persistent kernel */
#define GSIM_LIMIT_CLUSTER   64           /* blocks of a thread block cluster along one axis */
#define GSIM_LIMIT_IMBALANCE 1e4          /* longest block over the mean */
#define GSIM_MIN_TRIGGER 1e-6          /* written for 0, which means not given */
#define GSIM_LIMIT_STREAM 65535
#define GSIM_LIMIT_GPUS 16384
#define GSIM_LIMIT_PRIORITY 100          /* either sign */
#define GSIM_LIMIT_ITERATIONS 1000000u
#define GSIM_LIMIT_NAME 255u             /* bytes of a name */
