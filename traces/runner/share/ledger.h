/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. What the processes of a shared GPU have in common: memory that the starting process makes and
 * its children inherit. Clients write what they issued and how requests went; the GPU writes which launches are done;
 * who started them opens the gates that launches wait at, where a policy decides, and says when all begin.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "gpusim/task.h"

#define GSIM_LEDGER_STREAMS   32     /* of a task, with kernels in them */
#define GSIM_LEDGER_SLOTS     256    /* launches that a stream remembers */
#define GSIM_LEDGER_LAUNCHES  192    /* in flight in a stream: a client with more waits */
#define GSIM_LEDGER_REQUESTS  200000 /* of a task, that are kept */
#define GSIM_LEDGER_KERNELS   200000 /* of a task, that a measurement keeps */
#define GSIM_LEDGER_LINE      64

struct gsim_ledger_slot {
    uint32_t op, kernel; /* of the task's own program */
    int16_t priority;
    bool is_marked;      /* something else than a launch is ahead of it: the GPU says when its turn comes */
};

/* One stream's launches, counted from 1. Each counter has one writer: the first two the GPU, OPEN the policy, ISSUED
 * the client. */
struct gsim_ledger_stream {
    _Alignas(GSIM_LEDGER_LINE) _Atomic uint32_t done;
    _Alignas(GSIM_LEDGER_LINE) _Atomic uint32_t reached; /* the turn of this one has come; of marked ones only */
    _Alignas(GSIM_LEDGER_LINE) _Atomic uint32_t open;    /* launches up to this one may go */
    _Alignas(GSIM_LEDGER_LINE) _Atomic uint32_t issued;
    struct gsim_ledger_slot slots[GSIM_LEDGER_SLOTS];     /* by number */
};

enum gsim_ledger_state { GSIM_LEDGER_STARTING, GSIM_LEDGER_READY, GSIM_LEDGER_DONE };

struct gsim_ledger_request {
    int64_t arrival_ns, began_ns, ended_ns; /* from the common beginning */
};
struct gsim_ledger_kernel {
    uint32_t kernel, request;
    double start_us, end_us; /* from the first kernel of its request */
};

struct gsim_ledger_task {
    _Atomic int state;
    _Atomic uint32_t stream_count;
    _Atomic uint32_t began, ended;     /* requests */
    _Atomic bool is_waiting;           /* for the GPU, since its request's arrival */
    int64_t arrival_ns;
    struct gsim_ledger_stream *streams;
    struct gsim_ledger_request *requests;
    uint32_t request_count;
    struct gsim_ledger_kernel *kernels;
    uint32_t kernel_count;
    struct gsim_error error;           /* read when its process has ended */
};

struct gsim_ledger {
    pthread_mutex_t mutex;             /* of who has the GPU */
    _Atomic int32_t owner;             /* exclusive: task; -1: none */
    _Atomic int64_t epoch_ns;          /* the common beginning; 0: not yet */
    _Atomic int32_t finite_left;       /* tasks that end by themselves and have not */
    _Atomic bool is_stopped;           /* somebody failed */
    uint32_t count;
    struct gsim_ledger_task *tasks;
    void *streams;                     /* of all tasks: what the GPU writes and reads */
    size_t stream_bytes, bytes;
};

/* Of COUNT tasks; with streams where a policy decides, with kernels where they are measured. NULL and an error
 * otherwise. */
struct gsim_ledger *gsim_ledger_create(uint32_t count, bool has_streams, bool has_kernels,
                                       struct gsim_error *error) GSIM_NODISCARD;
void gsim_ledger_destroy(struct gsim_ledger *ledger); /* accepts NULL */

/* One request at a time has the GPU: waits until TASK's has; the most urgent that waits is next, then who arrived
 * first. */
void gsim_ledger_take(struct gsim_ledger *ledger, uint32_t task);
void gsim_ledger_leave(struct gsim_ledger *ledger, const struct gsim_task *tasks);

static inline struct gsim_ledger_slot *gsim_ledger_slot_at(struct gsim_ledger_stream *stream, uint32_t number)
{
    return &stream->slots[number % GSIM_LEDGER_SLOTS];
}
