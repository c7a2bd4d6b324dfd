/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A generator draws a program from parameters and a seed, reproducibly. Implementations live in
 * workloads/generators/, one file each; generators.def lists them. On the command line it is a workload; its parameters
 * are --opt NAME.PARAMETER=VALUE, its seed is --seed.
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/program.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_generator_ops {
    uint32_t abi; /* GSIM_ABI */
    size_t size;  /* sizeof(struct gsim_generator_ops) */
    const char *name;
    const char *summary; /* one line */
    const char *help;    /* the graph, and the source of its numbers */
    size_t params_size;
    const struct gsim_param *params;
    enum gsim_status (*build)(const void *params, uint64_t seed, struct gsim_program *program,
                              struct gsim_error *error);
};

/* workloads/generators/registry.c */
const struct gsim_generator_ops *gsim_generator_find(const char *name);
const struct gsim_generator_ops *gsim_generator_at(uint32_t index); /* NULL at the end */

GSIM_DECLARATIONS_END
