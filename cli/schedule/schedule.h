/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule": what it does of a CUDA source, and of a trace or a program. */
#pragma once

#include "cli/cli.h"

/* The one operand is a CUDA source. */
enum gsim_status gsim_cli_schedule_source(const struct gsim_cli_arguments *arguments,
                                          struct gsim_error *error) GSIM_NODISCARD;
/* It is a trace, a program or a workload: what streams are worth to it as one CUDA graph. */
enum gsim_status gsim_cli_schedule_trace(const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error) GSIM_NODISCARD;
