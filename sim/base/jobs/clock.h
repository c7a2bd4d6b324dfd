/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Wall-clock time, for progress, time limits and heartbeats only. No result depends on it.
 */
#pragma once

#include <time.h>

/* Returns monotonic seconds. */
static inline double gsim_clock_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
