/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A built-in workload builds a program. Implementations live in workloads/, one file each;
 * workloads/workloads.def lists them. Programs from files: gpusim/program.h.
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/scheduler.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_suite { GSIM_SUITE_KESCO, GSIM_SUITE_GRCUDA };

/* Options of a built-in workload; 0: the default of suite, size and shape. */
struct gsim_workload_options {
    enum gsim_suite suite;
    enum gsim_shape shape;
    double size;              /* N: vector length, rows, vertices or image side */
    uint32_t block1d;         /* threads per block of one-dimensional launches */
    uint32_t
        /* "num_blocks" of the papers: grid of one-dimensional launches; two-dimensional ones get (blocks/2) squared */
        blocks;
    uint32_t iterations;
    bool cxx;                 /* the authors' C++ version instead of GrCUDA's Python (grcuda suite) */
};

struct gsim_workload_preset {
    const char *name;         /* "kesco-1" ... or "p100-1" ...: --size accepts it in place of a number */
    enum gsim_suite suite;
    double size;
    const char *source;
    uint32_t blocks, block1d; /* published with the size; 0: the suite's default */
};

struct gsim_workload_ops {
    uint32_t abi;             /* GSIM_ABI */
    size_t size;              /* sizeof(struct gsim_workload_ops) */
    const char *name;
    const char *summary;      /* one line */
    const char *help;         /* kernels, buffers, what size means, what is ours */
    const char *size_meaning; /* "elements per vector" */
    double size_default[2];   /* by enum gsim_suite */
    const struct gsim_workload_preset *presets; /* ends with name NULL */
    enum gsim_status (*build)(const struct gsim_workload_options *options, struct gsim_program *program,
                              struct gsim_error *error);
};

/* workloads/registry.c */
const struct gsim_workload_ops *gsim_workload_find(const char *name);
const struct gsim_workload_ops *gsim_workload_at(uint32_t index); /* NULL at the end */

GSIM_DECLARATIONS_END
