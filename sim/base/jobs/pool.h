/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Worker processes of this machine. Each runs many items one after another (one SimGrid engine each);
 * one that crashes, or is stopped for taking too long, costs the item it was at and is replaced. What an item is and
 * what comes out of it is the caller's. Single-threaded: nothing happens outside gsim_pool_wait.
 *
 *   put -> [queue per worker] --pipe--> worker: run(item, bytes) --pipe--> wait -> deliver(item, bytes)
 */
#pragma once

#include "sim/base/jobs/bytes.h"

#define GSIM_JOBS_MAX 512

enum gsim_item_end { GSIM_ITEM_CRASHED, GSIM_ITEM_TIMEOUT };

struct gsim_pool_config {
    uint32_t jobs;
    double timeout_s; /* per item; 0: none */
    void *data;
    /* In a worker: does the work and appends the outcome. */
    void (*run)(void *data, uint64_t item, struct gsim_bytes *outcome);
    /* Here: appends the outcome of an item that a worker did not survive. MESSAGE says how it ended. */
    void (*fail)(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *outcome);
};

struct gsim_pool;

/* Starts the workers by fork: open files and other state of the caller are theirs to leave alone. */
enum gsim_status gsim_pool_create(const struct gsim_pool_config *config, struct gsim_pool **pool,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* Kills the workers, whatever they are at; accepts NULL. */
void gsim_pool_destroy(struct gsim_pool *pool);

/* How many more items keep the workers busy for the next moments, when REMAINING are still to be handed out. */
size_t gsim_pool_room(const struct gsim_pool *pool, uint64_t remaining);
enum gsim_status gsim_pool_put(struct gsim_pool *pool, uint64_t item, struct gsim_error *error) GSIM_NODISCARD;

typedef enum gsim_status gsim_pool_deliver(void *data, uint64_t item, const char *outcome, size_t length,
                                           struct gsim_error *error);
/* Waits for outcomes, at most TIMEOUT_MS, and hands over all that are there. Returns early on a signal. */
enum gsim_status gsim_pool_wait(struct gsim_pool *pool, int timeout_ms, gsim_pool_deliver *deliver, void *data,
                                struct gsim_error *error) GSIM_NODISCARD;
