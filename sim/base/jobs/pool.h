/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Worker processes. Each runs items one after another, with a SimGrid engine each. A worker that
 * crashes or exceeds the time limit loses its current item and is replaced. The caller defines items and outcomes.
 * Single-threaded: all work is done in gsim_pool_wait().
 *
 *   put -> [queue per worker] --pipe--> worker: run(item, bytes) --pipe--> wait -> deliver(item, bytes)
 */
#pragma once

#include "sim/base/jobs/bytes.h"

#define GSIM_JOBS_MAX 512

enum gsim_item_end { GSIM_ITEM_CRASHED, GSIM_ITEM_TIMEOUT };

struct gsim_pool_config {
    uint32_t jobs;
    double timeout_s; /* for each item; 0: no limit */
    void *data;
    /* In a worker: computes ITEM and appends its outcome. */
    void (*run)(void *data, uint64_t item, struct gsim_bytes *outcome);
    /* In the caller: appends the outcome of an item that ended its worker. MESSAGE says how. */
    void (*fail)(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *outcome);
};

struct gsim_pool;

/* Starts the workers by fork. They must not touch open files or other state of the caller. */
enum gsim_status gsim_pool_create(const struct gsim_pool_config *config, struct gsim_pool **pool,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* Kills the workers at once; accepts NULL. */
void gsim_pool_destroy(struct gsim_pool *pool);

/* Returns how many items to put now to keep the workers busy, of REMAINING. */
size_t gsim_pool_room(const struct gsim_pool *pool, uint64_t remaining);
enum gsim_status gsim_pool_put(struct gsim_pool *pool, uint64_t item, struct gsim_error *error) GSIM_NODISCARD;

typedef enum gsim_status gsim_pool_deliver(void *data, uint64_t item, const char *outcome, size_t length,
                                           struct gsim_error *error);
/* Waits up to TIMEOUT_MS for outcomes and passes all of them to DELIVER. Returns early on a signal. */
enum gsim_status gsim_pool_wait(struct gsim_pool *pool, int timeout_ms, gsim_pool_deliver *deliver, void *data,
                                struct gsim_error *error) GSIM_NODISCARD;
