/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: base. The answer to a question: a table of typed columns. CSV, JSON and text are written from it. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include "gpusim/memory.h"
#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_value_type {
    GSIM_VALUE_TEXT,  /* const char * */
    GSIM_VALUE_COUNT, /* uint64_t */
    GSIM_VALUE_BOOL,  /* int */
    GSIM_VALUE_REAL,  /* double; NAN: none */
    GSIM_VALUE_TIME,  /* gsim_time, written in us */
    GSIM_VALUE_NUMBER, /* double in 12 digits, of whole numbers 15; NAN: none */
};

struct gsim_answer_column {
    const char *name, *unit; /* UNIT "": none */
    enum gsim_value_type type;
    bool is_detail; /* not in CSV */
};

union gsim_value {
    const char *text; /* NULL: none */
    uint64_t count;
    int truth;
    double real;
    gsim_time time;
};

struct gsim_answer {
    const struct gsim_answer_column *columns; /* ends with a NULL name */
    uint32_t column_count;
    size_t row_count, room;
    union gsim_value *values; /* by row, then by column */
    struct gsim_arena arena;  /* failed: memory was out, and rows are missing */
};

/* COLUMNS must outlive the answer, which the caller releases. */
void gsim_answer_begin(struct gsim_answer *answer, const struct gsim_answer_column *columns);
/* Adds a row: a value of each column's type, in their order. Texts are copied. */
void gsim_answer_add(struct gsim_answer *answer, ...);
void gsim_answer_release(struct gsim_answer *answer); /* accepts zeroed */

GSIM_DECLARATIONS_END
