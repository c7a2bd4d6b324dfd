/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Recordings of gpusim-runner (schema gpusim-runs/1, described in traces/runner/README.md), plain or
 * gzip. One run is in memory at a time, so that a file may be as long as it likes; profiles are kept.
 */
#pragma once

#include "traces/recording.h"

#define GSIM_RUNS_SCHEMA "gpusim-runs/1"

struct gsim_runs_handler {
    /* The run is valid until the function returns. The profiles before it in the file, and the head, are in
     * RECORDINGS. */
    enum gsim_status (*run)(void *context, const struct gsim_recordings *recordings, const struct gsim_recording *run,
                            struct gsim_error *error);
    void *context;
};

/* Whether the file says within its first bytes that it has this schema; false also where it cannot be read. DEVICE
 * (NULL allowed) gets the member "device" where that stands there too, "" otherwise. */
#define GSIM_RUNS_DEVICE 64
bool gsim_runs_is(const char *path, char device[GSIM_RUNS_DEVICE]);

/* Fills RECORDINGS (zeroed before; the caller's to release in any case) and hands over each run. GSIM_INPUT names the
 * place ("runs[3]: traced.ops[2].end_us: ..."), what was found and expected; the path is the caller's to prefix.
 * Members that are not known are passed over. */
enum gsim_status gsim_runs_read(const char *path, const struct gsim_runs_handler *handler,
                                struct gsim_recordings *recordings, struct gsim_error *error) GSIM_NODISCARD;
