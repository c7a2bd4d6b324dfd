/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers). Tables of a profiler's SQLite database, row by row. Versions differ and tables are made only
 * when there is something in them: columns are looked up by name, and what is missing reads as NULL.
 */
#ifndef GSIM_TRACES_TABLE_H
#define GSIM_TRACES_TABLE_H

#include <sqlite3.h>

#include "traces/import/records.h"

#define GSIM_TABLE_COLUMNS          24
#define GSIM_TABLE_TIME_LIMIT_NS     4000000000000000000 /* 64 bits also hold sums with durations */
#define GSIM_TABLE_DURATION_LIMIT_NS 1000000000000000    /* GSIM_LIMIT_US */

struct gsim_table_rows {
    uint64_t done, total; /* of all tables */
    int64_t shift_ns;     /* added to every time */
};

struct gsim_table {
    struct gsim_records *records;
    struct gsim_error *error;
    sqlite3 *database;
    sqlite3_stmt *rows;
    const char *name;
    const char *const *columns; /* ends with NULL */
    bool has[GSIM_TABLE_COLUMNS];
    bool is_there, failed;
    uint64_t row; /* counted from 1 */
    struct gsim_table_rows *rows_of_all;
};

/* Opens PATH, whose views and triggers do nothing. NULL and an error where it is no database. */
sqlite3 *gsim_table_database(const char *path, struct gsim_error *error);

/* Opens the table; columns that it lacks give NULL. IS_THERE is false when there is no such table. */
enum gsim_status gsim_table_open(struct gsim_table *table) GSIM_NODISCARD;
bool gsim_table_next(struct gsim_table *table);
enum gsim_status gsim_table_close(struct gsim_table *table) GSIM_NODISCARD;

/* The first failure of the table: COLUMN holds something else than EXPECTED. */
void gsim_table_wrong(struct gsim_table *table, int column, const char *expected);
/* A whole number from 0 to MOST; NULL counts as 0. */
uint64_t gsim_table_whole(struct gsim_table *table, int column, uint64_t most);
uint32_t gsim_table_whole32(struct gsim_table *table, int column, uint32_t most);
uint32_t gsim_table_size(struct gsim_table *table, int column, uint32_t most);
/* Nanoseconds. They count from the start of the recording, which calls may precede: all are moved on so that none is below 1. */
int64_t gsim_table_time(struct gsim_table *table, int column);

#endif
