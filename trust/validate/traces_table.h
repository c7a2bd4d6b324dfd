/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. A validation of traces as text: the table in the terminal, one line per kernel and copy, CSV,
 * JSON. What the numbers are: trust/validate/traces.h. No wall-clock time: equal input gives equal bytes.
 */
#pragma once

#include "sim/base/output.h"
#include "trust/validate/traces.h"

void gsim_trace_validation_print(const struct gsim_trace_validation *validation, struct gsim_output *output);
void gsim_trace_validation_print_ops(const struct gsim_trace_validation *validation, struct gsim_output *output);
/* Lines below the head that gsim_validation_csv() writes. HAS_OPS: kernels and copies too. */
void gsim_trace_validation_csv(const struct gsim_trace_validation *validation, bool has_ops,
                               struct gsim_output *output);
/* An object. */
void gsim_trace_validation_json(const struct gsim_trace_validation *validation, bool has_ops,
                                struct gsim_output *output);
