/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal to programs). A collective as an entry among a program's kernels (include/gpusim/collective.h).
 */
#pragma once

#include "gpusim/program.h"

#define GSIM_COLLECTIVE_NAME 160

/* Its blocks are there once this share of their work is done: they trigger, and wait for what the collective waits for.
 */
#define GSIM_COLLECTIVE_MARK 1e-6

/* A kernel of one block, until the run resolves its shape. Equal collectives have equal names, which NAME holds. */
struct gsim_kernel gsim_collective_kernel(const struct gsim_collective *collective, char name[GSIM_COLLECTIVE_NAME]);
/* NULL: out of memory. */
const struct gsim_collective *gsim_collective_copy(const struct gsim_collective *collective, struct gsim_arena *arena);
