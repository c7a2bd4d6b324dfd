/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (internal). Where outcomes go: into the results file, in one transaction per round. */
#pragma once

#include "sweep/run.h"

struct gsim_sink {
    struct gsim_store *store;
    struct gsim_progress *progress;
    uint64_t received;     /* outcomes, committed or not */
    uint64_t done, failed; /* of the open transaction */
    bool is_open;
};

/* A gsim_pool_deliver: DATA is the sink. */
enum gsim_status gsim_sink_take(void *data, uint64_t item, const char *outcome, size_t length,
                                struct gsim_error *error) GSIM_NODISCARD;
/* After a round; without an open transaction it does nothing. */
enum gsim_status gsim_sink_commit(struct gsim_sink *sink, struct gsim_error *error) GSIM_NODISCARD;
