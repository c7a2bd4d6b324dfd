/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Ops of a program that is drawn while it runs (gpusim/source.h), one after another, each
 * with the moves of data that it needs: for schedulers that look at one op after another
 * (gsim_scheduler_ops.takes_source; run->draw). Of a program that is known: moves.h and dag.h.
 */
#pragma once

#include "gpusim/schedulers/moves.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_pull;

/* NULL: out of memory. Moves stand at use, the program's own prefetches are followed, and --place says which GPU an op
 * is for. */
struct gsim_pull *gsim_pull_create(struct gsim_run *run);
void gsim_pull_destroy(struct gsim_pull *pull); /* accepts NULL */

/* The next op, at the end of LIST, behind the moves that it needs; false: there are no more, or the run has failed. A
 * host op must have been issued before the next call; others must be issued some day, and live until they have
 * ended. HAS_GAP: the program's own prefetches were left out before it, of which one follows others by "after": who
 * comes after one must follow what it had to, which gsim_pull_issue() sees to where all before has been issued. */
bool gsim_pull_next(struct gsim_pull *pull, struct gsim_oplist *list, bool *has_gap);

/* Streams that ops may be in, and what each op must follow, by true read and write sets and "after": for a scheduler
 * that chooses a stream for every op when it comes. Streams are made when first used. */
struct gsim_pull_stream {
    int priority;
    uint32_t device;
};
/* Issues OP, one of PULL's list, to stream number STREAM, which is as STREAM_IS says where it does not exist yet,
 * behind waits for events of what it must follow elsewhere. An event is recorded behind it once a second stream is in
 * use: EVENT_FLAGS. Of a host op the host waits for the streams of what it must follow. */
void gsim_pull_issue(struct gsim_pull *pull, const struct gsim_op *op, uint32_t stream,
                     const struct gsim_pull_stream *stream_is, enum gsim_event_flags event_flags);
/* In which stream that is made what OP reads or writes was written last; UINT32_MAX: in none. */
uint32_t gsim_pull_writer(const struct gsim_pull *pull, const struct gsim_op *op);
/* The host waits for all streams. */
void gsim_pull_synchronize(struct gsim_pull *pull);
/* The run's status, or the source's. */
enum gsim_status gsim_pull_status(const struct gsim_pull *pull, struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
