/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces. What the name of a library's kernel says of its launch. */
#pragma once

#include "gpusim/program.h"

/* The thread block cluster in names of cuBLAS' nvjet kernels and of Cutlass 3; false: the name says none, or one that
 * does not divide GRID. nvjet lays its blocks along x, whatever the name's order: "2x4" was launched as 8 x 1 x 1. */
bool gsim_cluster_by_name(const char *name, const struct gsim_dim3 *grid, struct gsim_dim3 *cluster);
/* A kernel by which GPUs talk to one another: its time has waits for others in it. */
bool gsim_talks_by_name(const char *name);
/* A kernel that only waits: sleep, spin, delay or wait is a word of its name, and it needs little of an SM. */
bool gsim_waits_by_name(const struct gsim_kernel *kernel);
/* Sets the tile order of a kernel that has a block for each of the GPU's SMS, and whose name says that its blocks take
 * tiles from a queue (cuBLAS' nvjet, xmma, cuDNN's attention, FlashAttention's dynamic scheduler) or that each has its
 * own (Cutlass' and FlashAttention's static ones). False: it is none of them. SMS 0: not known. */
bool gsim_tiles_by_name(struct gsim_kernel *kernel, uint32_t sms);
/* Sets how many tiles such a kernel of a product of ROWS x COLUMNS has: cuBLAS stores columns first, so that the first
 * size of a tile in the name is of COLUMNS. Whole clusters of tiles are counted. False: the name has no sizes, or the
 * kernel more blocks than that. */
bool gsim_count_tiles(struct gsim_kernel *kernel, uint64_t rows, uint64_t columns, uint64_t batch);
