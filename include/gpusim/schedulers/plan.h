/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The plan format shared by the static policies: per op its stream, the events
 * to wait for and to record, and what the host synchronises before it; one builder, one executor.
 * The policy (stream of each op, issue order) is the scheduler's; dependences come from dag.h.
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
    uint32_t device_count; /* stream s is on GPU s modulo that */
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

/* The row of a parameter table for who lets the user choose; FIELD is an int of STRUCT. */
#define GSIM_PLAN_PRUNE_PARAM(type, field, initial, more)                                                          \
    {"prune", GSIM_PARAM_CHOICE, offsetof(type, field), initial, 0, 2, "", "none|latest|clock",                        \
     "waits left out: none, all but the latest per stream, all that are implied" more}

/* What the policy decided. Predecessors that the host has already synchronised with need no event, from
 * GSIM_PRUNE_LATEST on. */
struct gsim_plan_choice {
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    /* per node; host ops' entries are ignored. A program that was placed has as many of each number as it uses GPUs: an
     * op takes the one on its own */
    const uint32_t *stream_of;
    const uint32_t *order;      /* issue order, NULL: list order. Respects edges to and from host ops and
                                   the order within a stream that the policy meant */
    uint32_t stream_count;
    enum gsim_plan_prune prune;
    bool event_per_edge;        /* one event per (predecessor, successor); else one per predecessor */
    bool device_syncs;          /* host ops synchronise the device, not the streams they need */
    const struct gsim_pull *pull; /* of a program that is drawn: what was issued before LIST; NULL: it is known */
};

/* PLAN's arrays come from run->arena. */
enum gsim_status gsim_plan_build(struct gsim_run *run, const struct gsim_plan_choice *choice, struct gsim_plan *plan,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* What a static policy keeps of the two lists of a known program: run->state begins with it. */
struct gsim_planned {
    struct gsim_lowering lowering;
    struct gsim_plan first, steady; /* may be the same */
};

/* The policy itself: sets CHOICE, whose list and DAG are given, with arrays from SCRATCH, which goes when the plan is
 * made. Out of memory need not be told: SCRATCH knows. */
typedef enum gsim_status gsim_plan_choose(struct gsim_run *run, struct gsim_plan_choice *choice,
                                          struct gsim_arena *scratch, struct gsim_error *error);

/* The prepare() of a static policy: of a known program both lists with their moves, each with its graph, the choice
 * and the plan. Makes run->state where there is none. */
enum gsim_status gsim_plan_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   gsim_plan_choose *choose, struct gsim_error *error) GSIM_NODISCARD;

struct gsim_plan_style {
    const struct gsim_plan *first, *steady; /* of iteration 0 and of all later ones; may be the same */
    /* by buffer: the stream that it is attached to at the start of every iteration, counted from 1; 0: none; NULL: no
     * buffer is */
    const uint32_t *attached;
    uint32_t stream_count;                  /* streams to create, at least the plans' */
    enum gsim_event_flags event_flags;
    bool events_each_iteration;             /* create all events at the start of every iteration, keep them;
                                               else once before the first */
    bool has_op_priorities;                 /* a stream has the priority of its first op that is no move; else 0 */
    uint32_t most; /* of a program that is drawn: ops that are planned together; 0: up to the next host op */
};

/* The execute() of a static policy that was prepared by gsim_plan_prepare(); STYLE's plans are filled in. A program
 * that is drawn is planned list by list (feed.h), which takes no time: streams are made at first use, events follow
 * from what each op must follow (pull.h), and host ops wait for streams. */
enum gsim_status gsim_plan_run(struct gsim_run *run, gsim_plan_choose *choose, struct gsim_plan_style style,
                               struct gsim_error *error) GSIM_NODISCARD;
/* Plans of one's own: creates the streams, each on the GPU of its first op, then all iterations; returns with the
 * devices idle. */
enum gsim_status gsim_plan_execute(struct gsim_run *run, const struct gsim_plan_style *style,
                                   struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
