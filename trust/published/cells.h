/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust/published (internal). The database of a paper (sim/base/tables/tables.h): tables from CSV files and from
 * queries. */
#pragma once

#include <sqlite3.h>

#include "gpusim/memory.h"

/* Fails with GSIM_INPUT and the database's message. */
enum gsim_status gsim_cells_fail(sqlite3 *db, struct gsim_error *error);
/* Makes table NAME of COUNT columns, and a statement that adds a row. */
enum gsim_status gsim_cells_make(sqlite3 *db, const char *name, const char *const *columns, size_t count,
                                 sqlite3_stmt **insert, struct gsim_error *error) GSIM_NODISCARD;
/* A number where TEXT is one, nothing where it is empty or NULL. */
void gsim_cells_bind(sqlite3_stmt *insert, int column, const char *text);
/* Adds the row that is bound. */
enum gsim_status gsim_cells_add(sqlite3 *db, sqlite3_stmt *insert, struct gsim_error *error) GSIM_NODISCARD;
/* Of a file, compressed by gzip or not. COLUMNS: their names; NULL: the first line that does not begin with # has them.
 * Fields in double quotes may hold commas. */
enum gsim_status gsim_cells_read(sqlite3 *db, const char *name, const char *path, const char *const *columns,
                                 size_t column_count, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cells_view(sqlite3 *db, const char *name, const char *sql,
                                 struct gsim_error *error) GSIM_NODISCARD;
