/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Lowers a program to the op list of one iteration with explicit data movement: prefetches
 * and copies at their place in program order. Dependences: dag.h.
 */
#pragma once

#include "gpusim/scheduler.h"

GSIM_DECLARATIONS_BEGIN

/* Where a move to the device stands in program order, and whether the program's own prefetches are followed.
 * Copies back to the host always stand at their use. */
enum gsim_moves_place {
    GSIM_MOVES_AT_USE, /* right before the op that needs the data */
    GSIM_MOVES_EARLY,  /* right after the host accesses that made the data the host's (the iteration's head
                          where the host does not touch the buffer during the iteration) */
    GSIM_MOVES_AUTOMATIC, /* at use, and the program's own prefetches are left out: for a run time that
                             prefetches by a rule of its own */
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
 *                           (GrCUDA's rule), so device-only buffers are prefetched once, in iteration 0.
 *                           A program with prefetches of its own is prefetched as it says: these and no others
 *   pinned, pageable        GSIM_OP_COPY h2d of data that the host wrote and a kernel reads (a kernel that only
 *                           writes discards it); d2h of the bytes that the host reads after the device wrote
 * The program's own prefetches are in the list in managed memory with prefetching on alone. Without prefetching
 * they stand for nothing. In explicit memory, with prefetching on, one stands for the copy of what the host wrote to
 * its buffer and has not been copied yet, if there is any; other buffers are copied as ever.
 * A move's index is that of the op it serves, and so are its stream and priority. All memory is the arena's. */
enum gsim_status gsim_moves_lower(struct gsim_run *run, enum gsim_moves_place place, struct gsim_lowering *lowering,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* Removes framework time between calls, for graphs that are captured or compiled once. */
void gsim_lowering_drop_overhead(struct gsim_lowering *lowering);

/* Returns the usual place: early if the run prefetches, else at use. */
static inline enum gsim_moves_place gsim_moves_place_default(const struct gsim_run *run)
{
    return run->prefetch ? GSIM_MOVES_EARLY : GSIM_MOVES_AT_USE;
}

/* Whether the program's own prefetches are in the list (unless GSIM_MOVES_AUTOMATIC leaves them out). */
static inline bool gsim_moves_keep_prefetches(const struct gsim_run *run)
{
    return run->prefetch && run->memory == GSIM_MEMORY_MANAGED;
}

static inline bool gsim_op_is_host(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_HOST_COMPUTE;
}
/* Whether OP was inserted by a lowering. */
bool gsim_op_is_move(const struct gsim_run *run, const struct gsim_op *op);
/* Whether A and B are the same op, or moves of the same bytes in the same direction. */
bool gsim_op_is_same(const struct gsim_op *a, const struct gsim_op *b);

/* Predecessors by "after" when ops are left out: an op that is left out passes on its own predecessors. */
struct gsim_afters {
    const struct gsim_program *program;
    uint32_t *found, *passed; /* passed: per op, the last walk that met it */
    size_t found_count, found_capacity;
    uint32_t walk;
};
void gsim_afters_init(struct gsim_afters *afters, const struct gsim_program *program);
void gsim_afters_release(struct gsim_afters *afters); /* accepts a zeroed one */
/* Sets *LIST to the *COUNT predecessors of OP, valid until the next call. Prefetches with PLACE UINT32_MAX are left
 * out. False: out of memory. */
bool gsim_afters_find(struct gsim_afters *afters, const struct gsim_op *op, const uint32_t *place,
                      const uint32_t **list, uint32_t *count) GSIM_NODISCARD;

/* Makes the driver call of OP. Host ops ignore STREAM; the caller must have synchronised. */
void gsim_op_issue(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream);

/* Enables peer access between all GPUs. GPU 0 is current afterwards. */
void gsim_peers_enable(struct gsim_driver *driver);
/* Creates COUNT streams on each of the first GPUS devices, device by device. */
void gsim_streams_create(struct gsim_driver *driver, uint32_t gpus, uint32_t count, gsim_stream *streams);

/* Returns the driver's sticky error as the run's status. */
enum gsim_status gsim_run_status(const struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
