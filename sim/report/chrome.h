/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. A finished timeline as Chrome trace event JSON with the fields of PyTorch's Kineto
 * (libkineto output_json.cpp), for ui.perfetto.dev and for our own readers. Compressed when the output's
 * name ends in ".gz" (sim/base/output.h). Reading traces is another module.
 */
#pragma once

#include "sim/report/report.h"

#define GSIM_TRACE_HOST_PID  1000u
#define GSIM_TRACE_SPANS_PID 3000u

/* Kernels, copies and waits as slices of process 0 (the device), one track per stream and more where slices
 * overlap; API calls as slices of process GSIM_TRACE_HOST_PID, one track per host thread; flow events from
 * call to device work by correlation, and from one stream's work to another's that waited for its event; iterations
 * and occupancy; within the result's window; with a block log a track per SM (sim/report/chrome_sms.h). Streams: memory
 * for one slice per record only. */
enum gsim_status gsim_chrome_write(const struct gsim_result *result, struct gsim_output *output,
                                   struct gsim_error *error) GSIM_NODISCARD;
