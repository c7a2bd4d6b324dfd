/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Progress of a long command on stderr: a bar on a terminal, else a line now and then. Points of a
 * sweep are done when the results file has them. No result depends on this wall-clock time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gsim_progress {
    FILE *out; /* NULL: silent */
    bool is_terminal;
    const char *unit;  /* default "points" */
    char detail[64];   /* current work; "": none */
    bool is_estimate;  /* the total is an estimate */
    uint64_t total, done, failed; /* of this call; TOTAL 0: not known; FAILED: done without figures */
    double started_s, shown_s, recent_s;
    uint64_t recent_done;
    double rate; /* per second, over the last seconds */
    unsigned columns;
    char first_error[200]; /* of the failed; "": none */
};

void gsim_progress_start(struct gsim_progress *progress, uint64_t total, FILE *out);
/* Updates the display if it is time. Call it often. */
void gsim_progress_show(struct gsim_progress *progress);
/* Clears the bar until the next gsim_progress_show(). */
void gsim_progress_clear(struct gsim_progress *progress);
/* Clears the bar and prints the result. IS_STOPPED: not all are done. */
void gsim_progress_end(struct gsim_progress *progress, bool is_stopped);
