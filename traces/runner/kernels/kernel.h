/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, inside bench_*.cu only). One text of a kernel for two machines: nvcc makes a __global__
 * function of it; a C compiler makes a function that executes one block on the CPU, thread after thread, for the tests.
 * Kernels are written in what C and C++ have in common, with these rules:
 *   - A kernel takes one structure, `struct NAME_args a`: its pointers in the program's order, then scalars.
 *   - Statements of a thread stand in GSIM_THREADS { }; GSIM_BARRIER() stands between such regions, and loops around
 *     them take the same path in all threads. What a thread keeps from one region to the next is GSIM_PRIVATE.
 *     Likewise for the threads of one warp: GSIM_LANES and GSIM_WARP_BARRIER(), inside GSIM_WARPS { }.
 *   - What is uninitialised holds NaN (GSIM_BENCH_POISON), and no operation swallows it: no fminf, no fmaxf.
 */
#pragma once

#include "traces/runner/kernels/bench.h" /* first of ours: what it includes has C linkage */

#define GSIM_WARP 32u

#ifdef __CUDACC__
#include "traces/runner/kernels/kernel_cuda.h"
#else
#include "traces/runner/kernels/kernel_cpu.h"
#endif

/* Of one-dimensional launches, whatever their size: the first item of a thread and how far to the next. */
#define GSIM_FIRST  ((int64_t)GSIM_BLOCK_X * GSIM_BLOCK_DIM(x) + GSIM_THREAD_X)
#define GSIM_STRIDE ((int64_t)GSIM_GRID_DIM(x) * GSIM_BLOCK_DIM(x))
/* The same along one axis of a launch of several dimensions. */
#define GSIM_FIRST_IN(axis, AXIS) ((int64_t)GSIM_BLOCK_##AXIS * GSIM_BLOCK_DIM(axis) + GSIM_THREAD_##AXIS)
#define GSIM_STRIDE_IN(axis)      ((int64_t)GSIM_GRID_DIM(axis) * GSIM_BLOCK_DIM(axis))

GSIM_HELPER float gsim_add(float x, float y) { return x + y; }

/* What is no number wins. */
GSIM_HELPER float gsim_larger(float x, float y) { return x != x || x >= y ? x : y; }

GSIM_HELPER float gsim_smaller(float x, float y) { return x != x || x <= y ? x : y; }
