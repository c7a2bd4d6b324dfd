/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. Which stream each unit (ask/schedule/units.h) goes to, what it then waits for, and how long the whole
 * takes as one CUDA graph so captured: in program order, stream after stream, as a framework would capture it.
 */
#pragma once

#include "ask/schedule/units.h"
#include "gpusim/metrics.h"
#include "sim/spread.h"

#define GSIM_ASSIGN_STREAMS 64 /* at most */

struct gsim_assignment {
    const char *policy;          /* "list", or a scheduler's name */
    uint32_t stream_count;
    uint32_t *stream_of;         /* by unit: from 0 to before STREAM_COUNT */
    uint32_t *wait_start, *waits; /* unit i waits for the units waits[wait_start[i]] to before waits[wait_start[i + 1]],
                                     of other streams */
    double us;                   /* of an iteration as a graph */
    struct gsim_arena arena;
};

/* In program order, each to the stream where it can begin first: behind what it follows, at best in the same stream.
 * Times are those alone. */
enum gsim_status gsim_assign_list(struct gsim_assignment *assignment, const struct gsim_units *units,
                                  const struct gsim_simulation *base, uint32_t streams,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* As SCHEDULER with PARAMS places the units in a simulation; of more than STREAMS streams the others' units go to the
 * one with least work. */
enum gsim_status gsim_assign_by(struct gsim_assignment *assignment, const struct gsim_units *units,
                                const struct gsim_simulation *base, uint32_t streams,
                                const struct gsim_scheduler_ops *scheduler, const void *params,
                                struct gsim_error *error) GSIM_NODISCARD;
/* Accepts a zeroed one. */
void gsim_assignment_release(struct gsim_assignment *assignment);

/* Fills US. */
enum gsim_status gsim_assignment_time(struct gsim_assignment *assignment, const struct gsim_units *units,
                                      const struct gsim_simulation *base, struct gsim_error *error) GSIM_NODISCARD;

/* Puts into BEST what takes least of SCHEDULER's (NULL: list) assignments to up to STREAMS streams, unless it holds
 * what is as good. PARAMS NULL: defaults; "streams", where it is a parameter and not set, is each number in turn. */
enum gsim_status gsim_assign_best(struct gsim_assignment *best, const struct gsim_units *units,
                                  const struct gsim_simulation *base, uint32_t streams,
                                  const struct gsim_scheduler_ops *scheduler, const void *params,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* By how much less time an assignment takes than one stream, in percent. Interval: both times' intervals in quadrature,
 * around the gain by blocks and that by the fluid model (--model fluid). */
struct gsim_worth {
    double percent, low, high, plain;
};
enum gsim_status gsim_worth_find(const struct gsim_assignment *one, const struct gsim_assignment *best,
                                 const struct gsim_units *units, const struct gsim_simulation *base, uint32_t runs,
                                 struct gsim_worth *worth, struct gsim_error *error) GSIM_NODISCARD;
