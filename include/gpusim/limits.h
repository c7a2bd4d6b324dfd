/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Bounds that every program keeps, whatever the device: CUDA's launch limits (CUDA C++
 * Programming Guide, compute capabilities) and bounds of sense that keep sums of bytes and picoseconds exact.
 * What one device allows is narrower: sim/device/occupancy.h.
 */
#pragma once

#include <stdint.h>

#define GSIM_LIMIT_GRID_X 2147483647u
#define GSIM_LIMIT_GRID_YZ 65535u
/* of a built-in workload (--blocks): two-dimensional grids have as many either way */
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
#define GSIM_LIMIT_US 1e10               /* one duration: 2.8 hours; many of them still fit the clock */
#define GSIM_LIMIT_TOTAL_US 4e12         /* all durations of all iterations: half of what gsim_time holds */
#define GSIM_LIMIT_WORK 1e21             /* flops, bytes or cycles of one kernel */
#define GSIM_LIMIT_PROLOGUE 0.99         /* share of a block's work */
#define GSIM_LIMIT_DRAM_COST 100         /* what a byte costs DRAM, relative to a stream's */
#define GSIM_LIMIT_PIPE      1.5          /* share of a pipe's peak: profilers count a few percent too much */
#define GSIM_LIMIT_CLUSTER   64           /* blocks of a thread block cluster along one axis */
#define GSIM_LIMIT_IMBALANCE 1e4          /* longest block over the mean */
#define GSIM_LEAST_TRIGGER 1e-6          /* stands for 0, which is not given */
#define GSIM_LIMIT_STREAM 65535
#define GSIM_LIMIT_GPUS 16384
#define GSIM_LIMIT_PRIORITY 100          /* either sign */
#define GSIM_LIMIT_ITERATIONS 1000000u
#define GSIM_LIMIT_NAME 255u             /* bytes of a name */
