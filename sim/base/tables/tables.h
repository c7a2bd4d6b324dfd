/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Tables in memory (SQLite), and texts that queries make of them: for the program, which ends where
 * memory is out. A script of SQL has sections, each behind a line "-- @NAME". Beside SQLite's functions: median(), and
 * line(FORMAT, ...), which is printf() but that \n ends a line, a number that is not there is "-", and %P is a ratio in
 * percent, %r a number of JSON (%.9r: of nine digits), %R one of CSV, %q a text of JSON, %c one of CSV, %T
 * microseconds with the unit that fits, %N a count by thousands.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#include "sim/base/output.h"

/* An aggregate of one column, sorted, or of two; rows that lack a number are left out. */
struct gsim_statistic {
    const char *name;
    int columns;
    double (*of)(const double *x, const double *y, size_t count);
};
/* STATISTICS end with a NULL name; NULL: none. */
sqlite3 *gsim_tables_open(const struct gsim_statistic *statistics);
void gsim_tables_close(sqlite3 *tables); /* accepts NULL */

/* Adds a row to TABLE, by letter of KINDS: a text (s), an unsigned (u), a uint64_t or size_t (z), a double of which NAN
 * is nothing (f). */
void gsim_tables_row(sqlite3 *tables, const char *table, const char *kinds, ...);
/* Runs the queries of a section. Their first columns are the text; a second one stands between two rows. */
void gsim_tables_put(sqlite3 *tables, const char *script, const char *section, struct gsim_output *output);
/* The first COUNT columns of SQL's first row; NAN: there is none. */
void gsim_tables_numbers(sqlite3 *tables, const char *sql, double *numbers, int count);
