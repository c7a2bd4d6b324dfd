/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report (internal to traces/chrome*.c). The SMs of a trace: a process of its own with a track per SM ("SM
 * 0", ...) and slices for the kernels whose blocks stood there. Their category is "sm_blocks", which readers of kernels
 * pass over.
 */
#pragma once

#include "sim/report/report.h"

#define GSIM_TRACE_SMS_PID 2000u

/* Behind other events, each of ours led by a comma; nothing when RESULT has no block log. */
enum gsim_status gsim_chrome_write_sms(const struct gsim_result *result, struct gsim_output *output,
                                       struct gsim_error *error) GSIM_NODISCARD;
