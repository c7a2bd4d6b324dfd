/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. An answer in each form. WHAT is a struct gsim_answer (gsim_output_form). */
#pragma once

#include "gpusim/answer.h"
#include "sim/base/output.h"

void gsim_answer_csv(const void *what, struct gsim_output *out);  /* a line of names; a value that is none is empty */
/* JSON of the rows from FIRST on: [{"name": value, ...}, ...] */
void gsim_answer_rows(const struct gsim_answer *answer, size_t first, struct gsim_output *out);
void gsim_answer_json(const void *what, struct gsim_output *out); /* the columns with their units, too */
void gsim_answer_text(const void *what, struct gsim_output *out); /* columns of equal width */
