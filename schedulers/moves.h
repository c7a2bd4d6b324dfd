/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Turns a program into the op list of one iteration with its data movement made
 * explicit: which buffers are prefetched or copied, and where in program order. Who waits for whom: dag.h.
 */
#ifndef GSIM_MOVES_H
#define GSIM_MOVES_H

#include "sim/scheduler.h"

/* Where a move to the device stands in program order. Copies back to the host always stand at their use. */
enum gsim_moves_place {
    GSIM_MOVES_AT_USE, /* right before the op that needs the data */
    GSIM_MOVES_EARLY,  /* right after the host accesses that made the data the host's (the iteration's head
                          where the host does not touch the buffer during the iteration) */
};

/* The ops of one iteration in program order: the program's own and the inserted moves. */
struct gsim_oplist {
    const struct gsim_op **ops;
    uint32_t op_count, move_count;
};

/* Iteration 0 differs from all later ones, which are equal: data that the host wrote before the program
 * moves once. Where both are the same list, first.ops == steady.ops. */
struct gsim_lowering {
    struct gsim_oplist first, steady;
};

/* Which moves there are, by run->memory and run->prefetch:
 *   managed, prefetch off   none: the device faults the data in
 *   managed, prefetch on    GSIM_OP_PREFETCH of every buffer that a kernel uses, read or write, while its last
 *                           access was the host's. A buffer that nobody has touched counts as the host's
 *                           (GrCUDA's rule), so device-only buffers are prefetched once, in iteration 0
 *   pinned, pageable        GSIM_OP_COPY h2d of data that the host wrote and a kernel reads (a kernel that only
 *                           writes discards it); d2h of the bytes that the host reads after the device wrote
 * A move's index is that of the op it serves, and so are its stream and priority. All memory is the arena's. */
enum gsim_status gsim_moves_lower(struct gsim_run *run, enum gsim_moves_place place, struct gsim_lowering *lowering,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* What most schedulers use: early where the run asks for prefetching, else at use. */
static inline enum gsim_moves_place gsim_moves_place_default(const struct gsim_run *run)
{
    return run->prefetch ? GSIM_MOVES_EARLY : GSIM_MOVES_AT_USE;
}

static inline bool gsim_op_is_host(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_HOST_COMPUTE;
}
/* An op that a lowering inserted, not one of the program's own. */
static inline bool gsim_op_is_move(const struct gsim_program *program, const struct gsim_op *op)
{
    return program->op_count == 0 || op < program->ops || op >= program->ops + program->op_count;
}
/* The same work: one op of the program, or two moves of the same bytes the same way. */
bool gsim_op_is_same(const struct gsim_op *a, const struct gsim_op *b);

/* Makes the driver call that OP stands for. Host ops ignore STREAM; the caller has synchronised for them. */
void gsim_op_issue(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream);

/* The driver's sticky error as this run's status. */
enum gsim_status gsim_run_status(const struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;

#endif
