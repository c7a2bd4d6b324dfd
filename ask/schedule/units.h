/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. A program's GPU work as units that go to one stream whole: what one operator of a framework launched, or
 * a kernel or a copy by itself. The host's ops are left out, as a CUDA graph of the step leaves them out. Who goes
 * where: ask/schedule/assign.h.
 */
#pragma once

#include "gpusim/schedulers/dag.h"
#include "gpusim/simulate.h"

struct gsim_unit {
    uint32_t first, count; /* of the nodes */
    double us;             /* its nodes one after the other, alone */
};

struct gsim_units {
    const struct gsim_program *source;
    uint32_t node_count, count;
    uint32_t *nodes;             /* ops of SOURCE, in its order */
    struct gsim_unit *units;
    struct gsim_program program; /* one op for each unit, behind others by "after" alone */
    struct gsim_oplist list;     /* its ops */
    struct gsim_dag dag;         /* of LIST */
    struct gsim_arena arena;
};

/* BASE stays the caller's. GROUPS: by op of its program, neighbours of one number that is not 0 are one unit; NULL:
 * each is its own. The caller releases UNITS in any case. GSIM_USAGE: the program has nothing for a GPU. */
enum gsim_status gsim_units_init(struct gsim_units *units, const struct gsim_simulation *base, const uint64_t *groups,
                                 struct gsim_error *error) GSIM_NODISCARD;
void gsim_units_release(struct gsim_units *units); /* accepts a zeroed one */

/* How long OP of the program takes alone. */
double gsim_units_node_us(const struct gsim_simulation *base, const struct gsim_op *op);
/* A run of one GPU that only plans. */
struct gsim_run gsim_units_run(const struct gsim_program *program, struct gsim_arena *arena);
