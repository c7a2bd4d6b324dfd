/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (internal). Where outcomes go: into the results file, in one transaction per round; and how a sweep
 * learns that it shall stop: the signals of sim/base/ends.h are held back while it runs and looked for between rounds.
 */
#pragma once

#include <signal.h>

#include "sim/base/jobs/progress.h"
#include "sweep/store.h"

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

struct gsim_stop {
    sigset_t old_mask, signals;
};
void gsim_stop_begin(struct gsim_stop *stop);
int gsim_stop_asked(const struct gsim_stop *stop); /* the signal, 0: none */
void gsim_stop_end(struct gsim_stop *stop); /* a signal that was seen is gone */
