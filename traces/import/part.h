/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Which part of a trace becomes a program: whose works, and from when to when.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zero: the GPU that works longest, from the beginning to the end. */
struct gsim_import_part {
    bool has_gpu, has_step, has_time;
    bool takes_typical; /* where steps are found and no part is asked for: one step, the median of all but the first */
    uint32_t gpu;         /* the device's number */
    uint32_t step, last_step; /* as ProfilerStep#N counts them, else from 0 */
    const char *rank;     /* NULL: any; its label in the trace ("[TP00]") or the number in that */
    const char *between;  /* NULL: none; name of an annotation: what was launched within its first one */
    double from_us, to_us; /* launched then, counted from the first launch call */
};
