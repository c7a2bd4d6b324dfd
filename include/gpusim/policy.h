/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (interface). A policy gets ops that are ready and chooses the next one for a device with room. The
 * runner (schedulers/runner/) does the rest: dependences, streams, events, data movement, sources, several devices.
 *
 * Order of calls, all on the program's host thread:
 *   init   once, before the first op
 *   push   an op is ready: its predecessors have ended
 *   pop    DEVICE has room: returns a pushed op, which is issued at once; NULL: none for it now
 *   done   a popped op has ended as far as the host knows. Its successors that became ready are pushed next
 * An op is valid from push to done.
 *
 * A policy that issues ahead has stream() in place of push and pop: each op goes to a stream in program order, behind
 * events of its predecessors that have not ended as far as the host knows.
 *   came   an op has come: spends the host's time for it
 *   stream returns the op's stream, one of gsim_policy_new_stream()
 *   rested all work of the stream has ended as far as the host knows
 * Data then move by GSIM_MOVES_AUTOMATIC, on several GPUs by copies from a holder.
 *
 * A scheduler made of a policy is one line: GSIM_POLICY_SCHEDULER at the end of its file.
 */
#pragma once

#include "gpusim/placement.h"

GSIM_DECLARATIONS_BEGIN

/* A stream of a policy that issues ahead. */
struct gsim_policy_stream {
    uint32_t number, device;
    struct gsim_policy_stream *next; /* for the policy's lists */
};

struct gsim_policy_op {
    const struct gsim_op *op;
    uint32_t number;             /* in program order, within the iteration */
    uint32_t device;             /* after pop() */
    double estimate_us, ready_us; /* time alone; time of push() */
    struct gsim_policy_op *next; /* for the policy's lists */
    /* only with a policy that issues ahead */
    struct gsim_policy_stream *stream; /* after stream() */
    bool is_inherited;               /* the policy's: a successor has its stream */
    /* in stream(): predecessors that have not ended as far as the host knows, in program order */
    struct gsim_policy_op **parents;
    uint32_t parent_count;
};

struct gsim_policy_run {
    const struct gsim_run *run;
    const void *params;
    void *state;                 /* the policy's own, from run->arena */
    uint32_t device_count;
    /* places of data and load of devices, with --place or dmda. NULL in init(), and with one GPU if the policy issues
     * ahead */
    struct gsim_placing *placing;
    void *runner;                /* the runner's own */
    struct gsim_error error;     /* the policy's: once it is set, the run ends with it */
    /* Set by init(): data move as declared, whole buffers; const uses depend on each other; transitive parents are
     * kept; managed buffers are attached to streams. */
    bool by_declaration, ignores_const, keeps_parents, attaches;
};

struct gsim_policy_ops {
    enum gsim_status (*init)(struct gsim_policy_run *, struct gsim_error *); /* NULL: nothing to do */
    void (*push)(struct gsim_policy_run *, struct gsim_policy_op *);
    struct gsim_policy_op *(*pop)(struct gsim_policy_run *, uint32_t device);
    void (*done)(struct gsim_policy_run *, struct gsim_policy_op *); /* NULL: it need not know */
    void (*came)(struct gsim_policy_run *);                          /* may be NULL */
    struct gsim_policy_stream *(*stream)(struct gsim_policy_run *, struct gsim_policy_op *); /* NULL: out of memory */
    void (*rested)(struct gsim_policy_run *, struct gsim_policy_stream *); /* NULL: it need not know */
};

/* For policies that issue ahead: makes a stream, which lives until the end of the run. NULL: out of memory. */
struct gsim_policy_stream *gsim_policy_new_stream(struct gsim_policy_run *p, uint32_t device);

/* A FIFO of ops. */
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

/* First member of the parameters of every such scheduler. */
struct gsim_policy_params {
    int64_t depth;  /* ops in flight on a device */
    double cost_us; /* host time for each op: to find it ready, choose it and see its end */
};
#define GSIM_POLICY_PARAMS(type)                                                                                       \
    {"depth", GSIM_PARAM_INT, offsetof(type, common.depth), 2, 1, 64, "", NULL,                                        \
     "kernels that a GPU is given at a time"},                                                                         \
    {"cost_us", GSIM_PARAM_REAL, offsetof(type, common.cost_us), 2, 0, 10000, "us", NULL,                              \
     "host time for each op beside its CUDA calls (assumed: a task of StarPU)"}

/* execute() of a scheduler made of POLICY. Unless it issues ahead, RUN's params begin with struct
 * gsim_policy_params. */
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
