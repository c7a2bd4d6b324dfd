/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal to programs). A collective as an entry among a program's kernels
 * (include/gpusim/collective.h). */
#pragma once

#include "gpusim/program.h"

#define GSIM_COLLECTIVE_NAME 160

/* Share of their work after which blocks trigger and wait for the other ranks. */
#define GSIM_COLLECTIVE_MARK 1e-6

/* Returns a kernel of one block; the run resolves its shape. NAME gets its name, the same for equal collectives. */
struct gsim_kernel gsim_collective_kernel(const struct gsim_collective *collective, char name[GSIM_COLLECTIVE_NAME]);
/* Copies COLLECTIVE to ARENA. NULL: out of memory. */
const struct gsim_collective *gsim_collective_copy(const struct gsim_collective *collective, struct gsim_arena *arena);
