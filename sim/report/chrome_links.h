/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report (internal). Parts of a trace (sim/report/chrome.h): iterations as slices on a track of their own,
 * and waits of one stream for another as arrows.
 */
#pragma once

#include "sim/report/report.h"

#define GSIM_TRACE_ITERATIONS_PID 999u

/* A kernel or copy that the trace shows, and on which track. */
struct gsim_trace_work {
    uint32_t device, stream, correlation;
    uint64_t tid;
    gsim_time start, end;
};

void gsim_chrome_write_iterations(const struct gsim_result *result, struct gsim_output *output);
/* Writes an arrow for each wait whose two ends the trace shows: from the last work of the recorded stream before the
 * event to the first of the waiting stream behind it. Sorts WORKS. Flow ids start at AFTER_ID + 1. */
void gsim_chrome_write_waits(const struct gsim_result *result, struct gsim_trace_work *works, size_t count,
                             uint64_t after_id, struct gsim_output *output);
