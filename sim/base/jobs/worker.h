/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (internal: sim/base/jobs/pool.c alone includes it). A worker process: started by fork, with a pipe
 * for items and one for outcomes. A page of shared memory has its current item, also after its death; its stderr is
 * kept too.
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

/* Header of each outcome in the pipe. */
struct gsim_worker_head {
    uint64_t item;
    uint64_t length; /* bytes of the outcome */
};

/* Starts a worker. OTHERS: descriptors of the caller that the child closes. */
enum gsim_status gsim_worker_start(struct gsim_worker *worker, const struct gsim_pool_config *config, const int *others,
                                   int other_count, struct gsim_error *error) GSIM_NODISCARD;
/* Sends an item. A dead worker takes none, which its other pipe shows. */
void gsim_worker_send(struct gsim_worker *worker, uint64_t item);
/* Sets *ITEM to the current item. False: between two items. */
bool gsim_worker_item(const struct gsim_worker *worker, uint64_t *item);
/* Returns a number that grows with every item begun. */
uint64_t gsim_worker_sequence(const struct gsim_worker *worker);
/* Waits for a process that ends, writes how it ended to MESSAGE, and ends the worker. */
void gsim_worker_autopsy(struct gsim_worker *worker, char *message, size_t size);
void gsim_worker_end(struct gsim_worker *worker); /* accepts a zeroed one */
