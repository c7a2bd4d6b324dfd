/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Profilers' traces for "gpusim calibrate": read by traces/import/, taken apart by
 * trust/calibrate/samples.c.
 */
#pragma once

#include "trust/calibrate/profile.h"
#include "traces/import/import.h"

/* Whether it is a profiler's trace, by its beginning. DEVICE gets the device that a trace of gpusim's own names. */
bool gsim_cli_trace_is(const char *path, char device[64]);
/* Adds the samples of the trace at PATH. NOTES: what was noticed in it; the GPU, the compute capability. */
enum gsim_status gsim_cli_trace_sample(struct gsim_profile_samples *samples, const char *path,
                                       const struct gsim_device_spec *base, struct gsim_import_notes *notes,
                                       struct gsim_error *error) GSIM_NODISCARD;
