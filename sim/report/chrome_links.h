/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a trace: iterations as slices on a track of their own, and waits of one stream for another as arrows
 * (sim/report/chrome.h has the rest).
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
/* An arrow for each wait: from what the recorded stream did last before the event, to what the waiting stream does
 * first behind it, where the trace shows both. Sorts WORKS. The flows' ids follow on AFTER_ID. */
void gsim_chrome_write_waits(const struct gsim_result *result, struct gsim_trace_work *works, size_t count,
                             uint64_t after_id, struct gsim_output *output);
