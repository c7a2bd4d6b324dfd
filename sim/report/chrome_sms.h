/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report (internal). The SMs of a trace: a process with a track per SM ("SM 0", ...) and a slice for each
 * stay of a kernel's blocks there. Their category is "sm_blocks", which readers of kernels skip.
 */
#pragma once

#include "sim/report/report.h"

#define GSIM_TRACE_SMS_PID 2000u

/* Writes them behind other events, each led by a comma; nothing when RESULT has no block log. */
enum gsim_status gsim_chrome_write_sms(const struct gsim_result *result, struct gsim_output *output,
                                       struct gsim_error *error) GSIM_NODISCARD;
