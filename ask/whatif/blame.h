/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask (internal to ask/whatif). What a work that had not started lacked at a time: the one rule book of
 * causes.
 */
#pragma once

#include "ask/whatif/moments.h"

/* What RUNNING holds of kernels that are on the GPU at the time. */
struct gsim_running {
    const uint32_t *works;
    uint32_t count;
};

/* Until when a cause holds at least, and what the host did then, where it is known (GSIM_HOST_... in timeline.h). */
struct gsim_until {
    gsim_time time;
    const char *what;
};

/* The cause at TIME of WORK, which has not started (GSIM_NO_WORK: nothing is left to start, and the host is looked at
 * where IS_IDLE); UNTIL is at least TIME + 1. */
enum gsim_cause gsim_blame(const struct gsim_moments *moments, uint32_t work, gsim_time time, bool is_idle,
                           const struct gsim_running *running, struct gsim_until *until);

/* Whether WORK, a kernel, could have started earlier but for its hardware queue, its data or room, and since when. */
bool gsim_is_held(const struct gsim_moments *moments, const struct gsim_moment_work *work, gsim_time *since);

/* What held WORK's start back: its launch came behind the work that it waits for. */
bool gsim_blames_host(const struct gsim_moments *moments, const struct gsim_moment_work *work);
/* What the host does at TIME on THREAD. */
enum gsim_cause gsim_blame_host(const struct gsim_moments *moments, uint32_t thread, gsim_time time,
                                struct gsim_until *until);
