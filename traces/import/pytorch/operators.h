/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. The operators of a framework in a Kineto trace and which stand in which, for who must tell a kernel's
 * operator from its profiler's number (struct gsim_import_origin). Read apart from the import: programs do not need
 * them.
 */
#pragma once

#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

#define GSIM_NO_OPERATOR UINT32_MAX

struct gsim_traced_operator {
    const char *name; /* "aten::conv2d" */
    double start_us, end_us;
    uint64_t thread, external; /* the profiler's number */
    uint32_t parent;           /* GSIM_NO_OPERATOR: it stands in no other */
    uint32_t inner;            /* so many behind it stand in it */
};

struct gsim_traced_operators {
    struct gsim_traced_operator *items; /* thread after thread, by start, outer ones first */
    uint32_t *by_external;
    uint32_t count;
    struct gsim_arena arena;
};

/* The file, plain or gzip. GSIM_INPUT: it is no JSON, or over 256 MiB. The caller releases OPERATORS in any case. */
enum gsim_status gsim_traced_operators_read(const char *path, struct gsim_traced_operators *operators,
                                            struct gsim_error *error) GSIM_NODISCARD;
uint32_t gsim_traced_operators_find(const struct gsim_traced_operators *operators, uint64_t external);
/* Of the operators around AT and itself the outermost that is called by its name, as aten::conv2d is; GSIM_NO_OPERATOR:
 * none is. */
uint32_t gsim_traced_operators_root(const struct gsim_traced_operators *operators, uint32_t at);
void gsim_traced_operators_release(struct gsim_traced_operators *operators); /* accepts a zeroed one */
