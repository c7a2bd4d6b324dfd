/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. An answer in each form. WHAT is a struct gsim_answer (gsim_output_form). */
#pragma once

#include "gpusim/answer.h"
#include "sim/base/output.h"

void gsim_answer_csv(const void *what, struct gsim_output *out);  /* a line of names; a value that is none is empty */
/* JSON of the rows from FIRST on: [{"name": value, ...}, ...] */
void gsim_answer_rows(const struct gsim_answer *answer, size_t first, struct gsim_output *out);
void gsim_answer_members(const struct gsim_answer *answer, struct gsim_output *out); /* 'columns': ..., 'rows': ... */
void gsim_answer_json(const void *what, struct gsim_output *out); /* the columns with their units, too */
/* Adds a row, for who fills it: texts stay the caller's. NULL: memory is out, which the answer keeps. */
union gsim_value *gsim_answer_row(struct gsim_answer *answer);

/* What of an answer a person is shown: a column, its head, and how its numbers are written: "%.2f", "us" (with the unit
 * that fits), NULL: by their type. */
struct gsim_look {
    const char *column, *head, *format;
};
/* The first ROWS rows, as LOOK has them, which ends with a NULL column: each as wide as what stands in it. */
void gsim_answer_look(const struct gsim_answer *answer, const struct gsim_look *look, size_t rows,
                      struct gsim_output *out);
