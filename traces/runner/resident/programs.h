/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Program files on a real GPU: their kernels are launched with the file's grid, block and shared
 * memory, and each block spins for the time that it takes alone, without touching the buffers. So co-resident blocks do
 * not slow one another.
 */
#pragma once

#include "traces/runner/kernels/bench.h"

GSIM_DECLARATIONS_BEGIN

/* As one of bench.h. Refuses a program with a kernel that gives neither solo_us nor thread_cycles. */
extern const struct gsim_bench_ops gsim_bench_programs;

GSIM_DECLARATIONS_END
