/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Validations as text, CSV and JSON: tables in memory and the queries of
 * trust/validate/report.sql. No wall-clock time: equal input gives equal bytes. plots/validate_*.gp read the CSV lines
 * by position.
 */
#pragma once

#include "sim/base/tables/tables.h"
#include "trust/validate/runs.h"
#include "trust/validate/traces.h"
#include "trust/validate/validate.h"

/* The tables and views of report.sql, for gsim_tables_close(). */
sqlite3 *gsim_validation_tables(const struct gsim_validation *validation);
sqlite3 *gsim_run_validation_tables(const struct gsim_run_validation *validation);

/* --- cases --- */
/* Rows, rankings and what the columns mean. */
void gsim_validation_print(const struct gsim_validation *validation, struct gsim_output *output);
/* Rows alone: of cases recorded once more, or predicted from less. TITLE begins the sentence above them. */
void gsim_validation_print_rows(const struct gsim_validation *other, const char *title, const char *path,
                                struct gsim_output *output);
/* One line per sample. */
void gsim_validation_print_cases(const struct gsim_validation *validation, struct gsim_output *output);
/* One line per sample, with a header. */
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

/* --- runs --- */
/* Lines by split, scheduler and workload, speed-ups, rankings, and what the columns mean. */
void gsim_run_validation_print(const struct gsim_run_validation *validation, struct gsim_output *output);
/* The same of gsim_run_validation_add_again's samples, from recordings in PATH, without what the columns mean. */
void gsim_run_validation_print_again(const struct gsim_run_validation *again, const char *path,
                                     struct gsim_output *output);
/* One line per run. */
void gsim_run_validation_print_runs(const struct gsim_run_validation *validation, struct gsim_output *output);
/* Lines in the columns of gsim_validation_csv(), without a header: kind is the scheduler, half the split. */
void gsim_run_validation_csv(const struct gsim_run_validation *validation, struct gsim_output *output);
/* One JSON object: the members "runs" and "again" of schema gpusim-validation/1. */
void gsim_run_validation_json(const struct gsim_run_validation *validation, struct gsim_output *output);

/* --- traces --- */
void gsim_trace_validation_print(const struct gsim_trace_validation *validation, struct gsim_output *output);
void gsim_trace_validation_print_ops(const struct gsim_trace_validation *validation, struct gsim_output *output);
/* Lines below the head that gsim_validation_csv() writes. HAS_OPS: kernels and copies too. */
void gsim_trace_validation_csv(const struct gsim_trace_validation *validation, bool has_ops,
                               struct gsim_output *output);
/* An object. */
void gsim_trace_validation_json(const struct gsim_trace_validation *validation, bool has_ops,
                                struct gsim_output *output);

/* --- services that share a GPU, kernels on another --- */
/* The tables of report.sql, empty, for gsim_tables_row(). */
sqlite3 *gsim_tables_of_report(void);
/* Writes a section, NULL: nothing, and closes the tables. */
void gsim_tables_print(sqlite3 *tables, const char *section, struct gsim_output *output);
