/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (interface). What a policy is: it is given ops that may run, and gives one to a device that has
 * room. The runner (schedulers/runner/) owns the rest: dependences, streams, events, moves of data, programs
 * that are drawn, several devices.
 *
 * Order of calls, all on the host thread that runs the program, as a run-time system makes them:
 *   init   once, before the first op
 *   push   an op has nothing left to wait for
 *   pop    DEVICE has room: one of the ops that were pushed, which is issued at once; NULL: none for it now
 *   done   an op that was popped has ended, as far as the host knows. Ops that followed it alone are pushed next
 * Ops live from push to done.
 *
 * A run time that issues ahead has stream() in place of push and pop: an op goes to a stream as it comes, behind events
 * of what it follows and is not known to have ended.
 *   came   an op has come: what that costs the host
 *   stream a stream for it, which gsim_policy_new_stream() has given
 *   rested all that was issued to the stream has ended, as far as the host knows
 * Then moves of data are those of GSIM_MOVES_AUTOMATIC, or, on several GPUs, copies from who has the data.
 *
 * A scheduler made of a policy is one line: GSIM_POLICY_SCHEDULER at the end of its file.
 */
#pragma once

#include "gpusim/placement.h"

GSIM_DECLARATIONS_BEGIN

/* Of who issues ahead. */
struct gsim_policy_stream {
    uint32_t number, device;
    struct gsim_policy_stream *next; /* the policy's, for its lists */
};

struct gsim_policy_op {
    const struct gsim_op *op;
    uint32_t number;             /* in the order in which the program has them, of the iteration */
    uint32_t device;             /* where it was issued; after pop() */
    double estimate_us, ready_us; /* alone; when it was pushed */
    struct gsim_policy_op *next; /* the policy's, for its lists */
    /* Of who issues ahead. */
    struct gsim_policy_stream *stream; /* after stream() */
    bool is_inherited;               /* the policy's: an op that follows has taken its stream */
    struct gsim_policy_op **parents; /* in stream(): what it follows and is not known to have ended, as they came */
    uint32_t parent_count;
};

struct gsim_policy_run {
    const struct gsim_run *run;
    const void *params;
    void *state;                 /* the policy's own, from run->arena */
    uint32_t device_count;
    /* where data are, how much each device has to do; placing->run->placement: --place, or dmda. NULL: in init(); of
     * who issues ahead also on one GPU */
    struct gsim_placing *placing;
    void *runner;                /* the runner's own */
    /* What init() may ask for: data move as arguments are declared, whole buffers at a time; two const uses are a
     * dependence; parents that another parent follows are kept; managed buffers are attached to streams. */
    bool by_declaration, ignores_const, keeps_parents, attaches;
};

struct gsim_policy_ops {
    enum gsim_status (*init)(struct gsim_policy_run *, struct gsim_error *); /* NULL: nothing to do */
    void (*push)(struct gsim_policy_run *, struct gsim_policy_op *);
    struct gsim_policy_op *(*pop)(struct gsim_policy_run *, uint32_t device);
    void (*done)(struct gsim_policy_run *, struct gsim_policy_op *); /* NULL: it need not know */
    void (*came)(struct gsim_policy_run *);                          /* NULL: it costs nothing */
    struct gsim_policy_stream *(*stream)(struct gsim_policy_run *, struct gsim_policy_op *); /* NULL: out of memory */
    void (*rested)(struct gsim_policy_run *, struct gsim_policy_stream *); /* NULL: it need not know */
};

/* Of who issues ahead: a stream that lives as long as the run. NULL: out of memory. */
struct gsim_policy_stream *gsim_policy_new_stream(struct gsim_policy_run *p, uint32_t device);

/* A list, first in, first out. */
struct gsim_policy_queue {
    struct gsim_policy_op *first, *last;
};
static inline void gsim_policy_append(struct gsim_policy_queue *q, struct gsim_policy_op *op)
{
    op->next = NULL;
    *(q->last ? &q->last->next : &q->first) = op;
    q->last = op;
}
static inline struct gsim_policy_op *gsim_policy_take(struct gsim_policy_queue *q)
{
    struct gsim_policy_op *op = q->first;
    if (op && !(q->first = op->next)) q->last = NULL;
    return op;
}

/* What every such scheduler's parameters begin with. */
struct gsim_policy_params {
    int64_t depth;  /* ops that a device holds at a time */
    double cost_us; /* of host time for each op: to find that it is ready, to choose, to see its end */
};
#define GSIM_POLICY_PARAMS(type)                                                                                       \
    {"depth", GSIM_PARAM_INT, offsetof(type, common.depth), 2, 1, 64, "", NULL,                                        \
     "kernels that a GPU is given at a time"},                                                                         \
    {"cost_us", GSIM_PARAM_REAL, offsetof(type, common.cost_us), 2, 0, 10000, "us", NULL,                              \
     "host time for each op beside its CUDA calls (assumed: a task of StarPU)"}

/* The execute() of a policy. RUN's params begin with struct gsim_policy_params, unless it issues ahead. */
enum gsim_status gsim_policy_execute(struct gsim_run *run, const struct gsim_policy_ops *policy,
                                     struct gsim_error *error) GSIM_NODISCARD;

#define GSIM_POLICY_SCHEDULER(identifier, title, line, paper, type, table, policy)                                     \
    static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)                                    \
    {                                                                                                                  \
        return gsim_policy_execute(run, policy, error);                                                                \
    }                                                                                                                  \
    const struct gsim_scheduler_ops gsim_scheduler_##identifier = {                                                    \
        GSIM_HEAD(scheduler), .name = title, .summary = line, .source = paper, .shape = GSIM_SHAPE_CONCURRENT,         \
        .places = true, .takes_source = true,                                                                          \
        .params_size = sizeof(type), .params = table, .execute = execute}

GSIM_DECLARATIONS_END
