/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. A validation of recorded runs as text: the table in the terminal, one line per run, CSV, JSON.
 * What the numbers are: trust/validate/runs.h. No wall-clock time: equal input gives equal bytes.
 */
#pragma once

#include "trust/validate/runs.h"

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
