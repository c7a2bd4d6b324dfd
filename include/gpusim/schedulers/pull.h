/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The ops of a source (gpusim/source.h) one after another, each with the data movement that
 * it needs, for schedulers with gsim_scheduler_ops.takes_source (run->draw). Known programs: moves.h and dag.h.
 */
#pragma once

#include "gpusim/schedulers/moves.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_pull;

/* Makes a pull: moves at use, the program's own prefetches kept, GPUs by --place. NULL: out of memory. */
struct gsim_pull *gsim_pull_create(struct gsim_run *run);
void gsim_pull_destroy(struct gsim_pull *pull); /* accepts NULL */

/* Sets LIST to the moves that the next op needs, then the op. False: the end, or the run has failed. A host op must be
 * issued before the next call; the others must be issued later and are valid until their end. *HAS_GAP: prefetches with
 * "after" were left out before it, whose predecessors are passed on by gsim_pull_issue() if all earlier ops have been
 * issued. */
bool gsim_pull_next(struct gsim_pull *pull, struct gsim_oplist *list, bool *has_gap);

/* A stream for schedulers that choose one for every op as it comes. It is made at its first use. Dependences follow
 * true read and write sets and "after". */
struct gsim_pull_stream {
    int priority;
    uint32_t device;
};
/* Issues OP of PULL's list to stream STREAM, made by STREAM_IS if new, behind waits for events of its predecessors in
 * other streams. Once a second stream is in use, an event with EVENT_FLAGS is recorded behind it. For a host op the
 * host waits for its predecessors' streams. */
void gsim_pull_issue(struct gsim_pull *pull, const struct gsim_op *op, uint32_t stream,
                     const struct gsim_pull_stream *stream_is, enum gsim_event_flags event_flags);
/* Returns the stream that last wrote data of OP; UINT32_MAX: none. */
uint32_t gsim_pull_writer(const struct gsim_pull *pull, const struct gsim_op *op);
/* Makes the host wait for all streams. */
void gsim_pull_synchronize(struct gsim_pull *pull);
/* Returns the status of the run or the source. */
enum gsim_status gsim_pull_status(const struct gsim_pull *pull, struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
