/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. One server: its queue, its slots, its cache and the loop of its host. serving/server.c runs one or
 * several of them behind a router.
 */
#pragma once

#include "serving/blocks.h"
#include "serving/prefix.h"
#include "serving/server.h"
#include "serving/waiting.h"

/* Requests that no server has yet. */
struct gsim_coming {
    struct gsim_arrival_walk walk;
    struct gsim_served_arrival next;
    bool has_next;
    uint64_t taken;
};

struct gsim_entry {
    struct gsim_served s;
    uint64_t number;
    double first_us, last_us; /* tokens; 0: none yet */
    double ready_us;          /* its cache has moved to where it decodes */
    double blocks;            /* of the cache */
    uint32_t total;           /* tokens asked for, also where it was preempted */
    uint32_t block_count;     /* of its prompt */
    const uint64_t *names;    /* theirs */
    bool is_swapped, has_begun;
};

struct gsim_replica {
    const struct gsim_server *given;
    const struct gsim_serving_spec *spec;
    struct gsim_serving_machine *machine;
    struct gsim_serving_result *result;
    struct gsim_error *error;
    void *state;
    struct gsim_entry *pool;
    struct gsim_served *seen; /* the pool as the policy sees it */
    size_t pool_count, pool_room, seen_room;
    struct gsim_waiting unused, waiting; /* indices of the pool */
    uint32_t *slots;
    struct piece {
        uint32_t index, tokens;
    } *pieces; /* of prompts, in the next round */
    struct gsim_chunk *chunks; /* scratch: their sizes */
    uint32_t piece_count;
    const struct gsim_coming *feed;
    bool failed;
    uint64_t requests; /* that wait or run */
    double todo;       /* tokens of prompts that are not computed */
    /* Until LATE_US, the end of its last round, so many more requests and tokens: the loop is ahead of the others'. */
    uint64_t late_requests;
    double late_us, late_tokens;
    uint32_t flight; /* whose prefill runs on its own stream */
    double flight_start;
    uint32_t flight_bucket;
    uint32_t flight_tokens;
    uint64_t decodes_since;
    struct gsim_prefix *prefix; /* NULL: nothing is kept */
    struct gsim_cache_blocks cache;
    double link_free_us; /* between a prefill's GPU and that which decodes: no cache moves any more */
    struct gsim_stall stall;
};

/* Its queue gets ARRIVAL, request NUMBER of all. */
void gsim_replica_take(struct gsim_replica *replica, const struct gsim_served_arrival *arrival, uint64_t number);
/* Sees the end of a prefill on a stream of its own. */
void gsim_replica_poll(struct gsim_replica *replica);
/* A round, or a wait until something can happen. False: nothing will. */
bool gsim_replica_turn(struct gsim_replica *replica);
