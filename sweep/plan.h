/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Which points are to be computed: all of a spec, less those that its conditions leave out, that are the
 * same as an earlier one, that belong to another shard, or that a results file has already.
 */
#pragma once

#include "sweep/key.h"
#include "sweep/spec.h"
#include "sweep/store.h"

struct gsim_plan_config {
    const struct gsim_spec *spec;
    uint32_t shard_index, shard_count; /* from 0; count 0 or 1: everything */
    void *data;
    void (*key)(void *data, uint64_t item, char key[GSIM_KEY_SIZE]);
};

struct gsim_sweep_plan {
    uint64_t *items; /* to be computed, ascending */
    uint64_t count, capacity;
    uint64_t left_out, repeated, other_shards, done; /* all others, by reason */
    uint64_t wanted;                                 /* count + done: what the sweep, or the shard, asks for */
};

/* STORE: what it has is done (NULL: nothing); with RETRY only what is ok. */
enum gsim_status gsim_plan_make(struct gsim_sweep_plan *plan, const struct gsim_plan_config *config,
                                struct gsim_store *store, bool retry, struct gsim_error *error) GSIM_NODISCARD;
void gsim_plan_release(struct gsim_sweep_plan *plan); /* accepts a zeroed one */
