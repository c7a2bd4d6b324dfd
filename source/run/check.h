/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source. Runs a source and what was written of it in many orders: each stream is delayed as far as events and
 * waits allow. All bytes that the host sees must be those of the source, and no two commands may race.
 */
#pragma once

#include "source/run/run.h"

#define GSIM_CHECK_TEXT 8192

struct gsim_run_check {
    const char *path;
    const char *source, *written; /* texts; WRITTEN NULL: the source itself is checked */
    size_t source_length, written_length;
    const struct gsim_cuda_options *options;
    const char *const *words; /* the program's arguments, NULL last */
    uint32_t orders;          /* at most */
    double limit_s;           /* of one run; all together take eight times that at most */
};

struct gsim_run_verdict {
    bool is_right;
    uint32_t orders; /* that were tried */
    uint32_t kernels, seen, streams, races;
    char text[GSIM_CHECK_TEXT]; /* what is wrong */
};

/* GSIM_INPUT: the source cannot be run, so nothing is known. */
enum gsim_status gsim_run_check(const struct gsim_run_check *check, struct gsim_run_verdict *verdict,
                                struct gsim_error *error) GSIM_NODISCARD;
