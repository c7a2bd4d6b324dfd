/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. A validation's results as text: the table in the terminal, one line per case, CSV, JSON. What
 * the numbers are: trust/validate/validate.h. No wall-clock time: equal input gives equal bytes.
 */
#pragma once

#include "trust/validate/validate.h"
#include "trust/validate/runs.h"
#include "trust/validate/traces.h"

/* Rows, rankings and what the columns mean. */
void gsim_validation_print(const struct gsim_validation *validation, struct gsim_output *output);
/* Rows alone: of cases recorded once more, or predicted from less. TITLE begins the sentence above them. */
void gsim_validation_print_rows(const struct gsim_validation *other, const char *title, const char *path,
                                struct gsim_output *output);
/* One line per sample. */
void gsim_validation_print_cases(const struct gsim_validation *validation, struct gsim_output *output);
/* One line per sample, with a header; plots/validate_*.gp read it. */
void gsim_validation_csv(const struct gsim_validation *validation, struct gsim_output *output);
/* Schema gpusim-validation/1. The other validations: its members runs, again, traces, again_rows, times_alone_rows and
 * without_pipes_rows; NULL: without. */
struct gsim_validation_members {
    const struct gsim_run_validation *runs, *again;
    const struct gsim_validation *cases_again, *times_alone, *without_pipes;
    const struct gsim_trace_validation *traces;
    bool has_trace_ops; /* each kernel and copy of a trace */
};
void gsim_validation_json(const struct gsim_validation *validation, const struct gsim_validation_members *members,
                          struct gsim_output *output);
