/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Walks what an op reads and writes: its segments, and its other arguments whole. op->is_unknown says that
 * a kernel may access more.
 */
#pragma once

#include "gpusim/program.h"

struct gsim_access {
    uint64_t begin, end; /* whole buffer: 0 and UINT64_MAX */
    uint32_t arg, buffer_index;
    bool reads, writes;
};

/* State of a walk; zeroed but for OP at first. */
struct gsim_access_walk {
    const struct gsim_op *op;
    uint32_t arg, segment;
    bool has_reads, has_writes; /* the argument had such segments */
};

/* Sets *ACCESS to the next access, in order of arguments. False: the end, *ACCESS unchanged. */
static inline bool gsim_access_next(struct gsim_access_walk *walk, struct gsim_access *access)
{
    const struct gsim_op *op = walk->op;
    while (walk->arg < op->arg_count) {
        const struct gsim_arg *arg = &op->args[walk->arg];
        if (walk->segment < op->segment_count && op->segments[walk->segment].arg == walk->arg) {
            const struct gsim_segment *s = &op->segments[walk->segment++];
            walk->has_reads |= s->reads;
            walk->has_writes |= s->writes;
            *access = (struct gsim_access){s->offset, s->offset + s->bytes, walk->arg, arg->buffer_index, s->reads,
                                           s->writes};
            return true;
        }
        bool reads = arg->reads && !walk->has_reads, writes = arg->writes && !walk->has_writes;
        bool is_done = (walk->has_reads || walk->has_writes) && !reads && !writes;
        walk->has_reads = walk->has_writes = false;
        walk->arg++;
        if (is_done) continue;
        *access = (struct gsim_access){0, UINT64_MAX, walk->arg - 1, arg->buffer_index, reads, writes};
        return true;
    }
    return false;
}
