/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (internal: sim/base/jobs/pool.c alone includes it). One worker process: started by fork, fed with
 * items through a pipe, answering through another. A page of shared memory says which item it is at, also after its
 * death; what it wrote to stderr is kept for the same purpose.
 */
#pragma once

#include <sys/types.h>

#include "sim/base/jobs/pool.h"

#define GSIM_WORKER_MESSAGE 400

struct gsim_worker_state; /* in the shared page */

struct gsim_worker {
    pid_t pid; /* 0: none */
    int to, from, messages;
    struct gsim_worker_state *state;
};

/* Before each outcome in the pipe. */
struct gsim_worker_head {
    uint64_t item;
    uint64_t length; /* of the outcome behind it */
};

/* OTHERS: descriptors of the caller that the child closes. */
enum gsim_status gsim_worker_start(struct gsim_worker *worker, const struct gsim_pool_config *config, const int *others,
                                   int other_count, struct gsim_error *error) GSIM_NODISCARD;
/* A worker that is dead takes nothing; that shows at its other pipe. */
void gsim_worker_send(struct gsim_worker *worker, uint64_t item);
/* False between two items. */
bool gsim_worker_item(const struct gsim_worker *worker, uint64_t *item);
/* Grows with every item begun. */
uint64_t gsim_worker_sequence(const struct gsim_worker *worker);
/* Waits for a process that has ended or will at once, says how it did, and ends the worker. */
void gsim_worker_autopsy(struct gsim_worker *worker, char *message, size_t size);
void gsim_worker_end(struct gsim_worker *worker); /* accepts a zeroed one */
