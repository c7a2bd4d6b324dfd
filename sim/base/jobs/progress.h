/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. How far a long command is, on stderr: a bar that is redrawn on a terminal, a plain line now and then
 * elsewhere. Of a sweep only what is committed to the results file counts as done. Wall-clock time stays here: no
 * result sees it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gsim_progress {
    FILE *out; /* NULL: silent */
    bool is_terminal;
    const char *unit;  /* "points", unless the caller says otherwise */
    char detail[64];   /* what is under way; "": not told */
    bool is_estimate;  /* nobody knows the total before the end */
    uint64_t total, done, failed; /* of this call; total 0: not known; failed: among done, those without figures */
    double started_s, shown_s, recent_s;
    uint64_t recent_done;
    double rate; /* per second, over the last seconds */
    unsigned columns;
    char first_error[200]; /* of those that failed; "": none did */
};

void gsim_progress_start(struct gsim_progress *progress, uint64_t total, FILE *out);
/* Call it often: it shows something only when it is time. */
void gsim_progress_show(struct gsim_progress *progress);
/* Clears the bar, which shows itself again at the next call of gsim_progress_show(). */
void gsim_progress_clear(struct gsim_progress *progress);
/* Clears the bar and says what came out. IS_STOPPED: before all were done. */
void gsim_progress_end(struct gsim_progress *progress, bool is_stopped);
