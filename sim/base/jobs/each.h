/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. Items whose results are of one size, on worker processes (sim/base/jobs/run.h), or all here. */
#pragma once

#include "sim/base/jobs/run.h"

struct gsim_each {
    uint32_t jobs;        /* 0: all here, one after the other */
    uint64_t first, count; /* TAKE may set COUNT to STARTED to end the run early */
    size_t size;          /* of a result, which is zeroed before */
    enum gsim_status (*run)(void *data, uint64_t item, void *result, struct gsim_error *error);
    /* FAILURE: what run() said, or how its worker ended; GSIM_OK: it ran. */
    enum gsim_status (*deliver)(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
                             struct gsim_error *error);
    void *data;
    struct gsim_progress *progress; /* counts what is taken; NULL: none */
    bool heeds_signals;
    uint64_t started;
    int stopped_by; /* signal that stopped it; 0: none */
};
enum gsim_status gsim_each_run(struct gsim_each *each, struct gsim_error *error) GSIM_NODISCARD;
