/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Plans of static policies: for each op its stream, the events to wait for and to record,
 * and the host's synchronisations before it. One builder and one executor. The scheduler chooses streams and issue
 * order; dependences come from dag.h.
 */
#pragma once

#include "gpusim/schedulers/pull.h"
#include "gpusim/schedulers/dag.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_PLAN_HOST UINT32_MAX   /* in streams[]: a host op */
#define GSIM_PLAN_DEVICE UINT32_MAX /* in syncs[]: the whole device */

/* Step i, in issue order: synchronise syncs, then let streams[i] wait for waits, issue ops[i], record
 * records. Streams and events are numbered from 0 within the plan. */
struct gsim_plan {
    uint32_t step_count, stream_count, event_count;
    uint32_t device_count; /* stream s is on GPU s % device_count */
    const struct gsim_op **ops;
    uint32_t *streams;
    uint32_t *wait_start, *waits;     /* of step i: waits[wait_start[i]] to before waits[wait_start[i + 1]] */
    uint32_t *record_start, *records;
    uint32_t *sync_start, *syncs;
    bool final_sync; /* work may be pending after the last step */
};

enum gsim_plan_prune {
    GSIM_PRUNE_NONE = 0,   /* wait for every predecessor on another stream */
    GSIM_PRUNE_LATEST = 1, /* per other stream only for the latest predecessor there (KeSCo's repository) */
    GSIM_PRUNE_CLOCK = 2,  /* also drop waits that earlier waits imply transitively (vector clocks) */
};

/* A row of a parameter table that lets the user choose; FIELD is an int of TYPE. */
#define GSIM_PLAN_PRUNE_PARAM(type, field, initial, more)                                                          \
    {"prune", GSIM_PARAM_CHOICE, offsetof(type, field), initial, 0, 2, "", "none|latest|clock",                        \
     "waits left out: none, all but the latest per stream, all that are implied" more}

/* The policy's decisions. From GSIM_PRUNE_LATEST on, predecessors that the host has synchronised with need no event. */
struct gsim_plan_choice {
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    /* by node; entries of host ops are ignored. A placed program has each stream once on every GPU; an op takes that of
     * its own GPU */
    const uint32_t *stream_of;
    /* issue order; NULL: list order. Must respect edges to and from host ops and the order within a stream */
    const uint32_t *order;
    uint32_t stream_count;
    enum gsim_plan_prune prune;
    bool event_per_edge;        /* one event per (predecessor, successor); else one per predecessor */
    bool device_syncs;          /* host ops synchronise the device, not the streams they need */
    const struct gsim_pull *pull; /* of a source: what was issued before LIST; NULL: known program */
};

/* Builds PLAN, whose arrays come from run->arena. */
enum gsim_status gsim_plan_build(struct gsim_run *run, const struct gsim_plan_choice *choice, struct gsim_plan *plan,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* First member of a static policy's run->state: the two lists and plans of a known program. */
struct gsim_planned {
    struct gsim_lowering lowering;
    struct gsim_plan first, steady; /* may be the same */
};

/* The policy: sets CHOICE, whose list and dag are given, with arrays from SCRATCH, which is released after the plan is
 * built. It need not report a failed allocation of SCRATCH. */
typedef enum gsim_status gsim_plan_choose(struct gsim_run *run, struct gsim_plan_choice *choice,
                                          struct gsim_arena *scratch, struct gsim_error *error);

/* prepare() of a static policy: for a known program lowers both lists, builds their graphs, calls CHOOSE and builds the
 * plans. Makes run->state if there is none. */
enum gsim_status gsim_plan_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   gsim_plan_choose *choose, struct gsim_error *error) GSIM_NODISCARD;

struct gsim_plan_style {
    const struct gsim_plan *first, *steady; /* of iteration 0 / of all later ones; may be the same */
    /* by buffer: 1 + the stream to which it is attached at the start of every iteration; 0: none; NULL: no buffer */
    const uint32_t *attached;
    uint32_t stream_count;                  /* streams to create, at least the plans' */
    enum gsim_event_flags event_flags;
    bool events_each_iteration;             /* create all events at the start of every iteration, keep them;
                                               else once before the first */
    bool has_op_priorities;                 /* a stream has the priority of its first op that is no move; else 0 */
    uint32_t most; /* of a source: ops that are planned together; 0: up to the next host op */
};

/* execute() of a static policy prepared by gsim_plan_prepare(); sets STYLE's plans. A source is planned list by list
 * (feed.h), which takes no simulated time: streams are made at first use, events follow the dependences (pull.h), and
 * host ops wait for streams. */
enum gsim_status gsim_plan_run(struct gsim_run *run, gsim_plan_choose *choose, struct gsim_plan_style style,
                               struct gsim_error *error) GSIM_NODISCARD;
/* Executes STYLE's plans, made by the caller: creates the streams, each on the GPU of its first op, runs all
 * iterations, and returns when the devices are idle. */
enum gsim_status gsim_plan_execute(struct gsim_run *run, const struct gsim_plan_style *style,
                                   struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
