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

/* Writes what is in the result's window. Kernels, copies and waits are slices of process 0 (the device), a track per
 * stream, more where slices overlap. API calls are slices of process GSIM_TRACE_HOST_PID, a track per host thread. Flow
 * events go from a call to its device work, and from a stream's work to another's that waited for its event. Iterations
 * and occupancy have tracks; with a block log each SM has (sim/report/chrome_sms.h). Memory: one slice per record. */
enum gsim_status gsim_chrome_write(const struct gsim_result *result, struct gsim_output *output,
                                   struct gsim_error *error) GSIM_NODISCARD;
