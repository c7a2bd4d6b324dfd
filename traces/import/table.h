/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers of SQLite databases). One table, row by row, its columns by name: versions
 * differ, so that a column or table that is missing reads as NULL or as no rows. Messages name table, row and column.
 */
#pragma once

#include <sqlite3.h>

#include "sim/base/database.h"
#include "traces/import/records/records.h"

#define GSIM_TABLE_COLUMNS     24
#define GSIM_TABLE_DURATION_NS 1000000000000000 /* GSIM_LIMIT_US */

/* An event that was recorded in a stream by a call. */
struct gsim_table_event {
    uint64_t event, correlation;
    uint32_t process, stream;
};

/* Hands each row of the open table to the records. */
struct gsim_table;
typedef enum gsim_status gsim_table_reader(struct gsim_table *table);

/* One of a format's tables; the list ends with a NULL name. */
struct gsim_table_kind {
    const char *name;
    gsim_table_reader *read;
    bool has_start; /* its column "start" counts for the shift of all times */
    bool has_works;
};

/* What all tables of one database share. */
struct gsim_tables {
    struct gsim_records *records;
    struct gsim_error *error;
    sqlite3 *database;
    struct gsim_database_steps steps;
    const struct gsim_table_kind *kinds; /* in the order in which they are read */
    const char *string_sql;     /* "SELECT value FROM ... WHERE id = ?1" */
    sqlite3_stmt *find_string;  /* made at the first use */
    bool lacks_strings;
    bool has_cupti_numbers; /* of memory kinds, not Nsight Systems' */
    bool lacks_processes; /* works do not say theirs, so ids are taken for those of one */
    uint64_t rows_done, rows_in_all;
    int64_t shift_ns; /* added to every time */
    struct gsim_table_event *events;
    uint32_t event_count;
    size_t event_room;
};

struct gsim_table {
    struct gsim_tables *all;
    struct gsim_records *records;
    struct gsim_error *error;
    sqlite3 *database;
    sqlite3_stmt *rows;
    const char *name;
    const char *const *columns; /* ends with NULL; "syncType|type": the first of these that is there */
    struct {
        const char *name; /* within COLUMNS, not ended; NULL: the table lacks it */
        int length;
    } has[GSIM_TABLE_COLUMNS];
    bool is_there, failed;
    uint64_t row; /* counted from 1 */
};

/* The importer of a database: reads its kinds of tables, and makes the program. Kinds and string_sql of TABLES are set.
 * The file is only read, and nothing in it is trusted. */
enum gsim_status gsim_tables_import(struct gsim_tables *tables, const char *path,
                                    const struct gsim_import_options *options, struct gsim_program *program,
                                    struct gsim_import_notes *notes, struct gsim_error *error) GSIM_NODISCARD;

/* Events, all before they are sorted, which is before the first wait is added. TYPE: CUPTI's
 * CUpti_ActivitySynchronizationType; a wait is for what its event last recorded before it, by the ids of the calls. */
enum { GSIM_CUPTI_STREAM_WAIT_EVENT = 2, GSIM_CUPTI_STREAM_SYNCHRONIZE = 3 };
enum gsim_status gsim_tables_add_event(struct gsim_tables *tables, const struct gsim_table_event *event) GSIM_NODISCARD;
void gsim_tables_sort_events(struct gsim_tables *tables);
enum gsim_status gsim_tables_add_sync(struct gsim_tables *tables, struct gsim_sync *sync, uint64_t type,
                                      uint64_t event) GSIM_NODISCARD;

/* Opens the table; columns that it lacks give NULL. is_there is false where there is no such table. */
enum gsim_status gsim_table_open(struct gsim_table *table, const char *const *columns) GSIM_NODISCARD;
bool gsim_table_next(struct gsim_table *table);
/* STATUS, or where all went well what a row was refused for. */
enum gsim_status gsim_table_close(struct gsim_table *table, enum gsim_status status) GSIM_NODISCARD;

/* Values of the row; a wrong one sets failed. A whole number from 0 to MOST, NULL counts as 0. */
uint64_t gsim_table_whole(struct gsim_table *table, int column, uint64_t most);
uint32_t gsim_table_whole32(struct gsim_table *table, int column, uint32_t most);
int64_t gsim_table_time(struct gsim_table *table, int column);                 /* 0: not recorded */
/* The text that the number in COLUMN stands for; NULL where there is none. Valid until the next. */
const char *gsim_table_string(struct gsim_table *table, int column);

/* What works have in common, by their first columns. */
enum {
    GSIM_WORK_START,
    GSIM_WORK_END,
    GSIM_WORK_DEVICE,
    GSIM_WORK_CONTEXT,
    GSIM_WORK_STREAM,
    GSIM_WORK_CORRELATION,
    GSIM_WORK_FIRST
};
#define GSIM_WORK_COLUMNS "start", "end", "deviceId", "contextId", "streamId", "correlationId"
struct gsim_activity gsim_table_work(struct gsim_table *table, enum gsim_activity_kind kind, uint32_t process);
uint32_t gsim_table_stream(struct gsim_table *table, uint32_t process, int device, int context, int stream);
/* The next columns, of kernels: registers, grid, block, shared memory, cluster (newer profilers'). */
enum {
    GSIM_SHAPE_REGS,
    GSIM_SHAPE_GRID,
    GSIM_SHAPE_BLOCK = 4,
    GSIM_SHAPE_SMEM = 7,
    GSIM_SHAPE_CLUSTER = 9,
    GSIM_SHAPE_COUNT = 12
};
#define GSIM_SHAPE_COLUMNS                                                                                             \
    "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",               \
        "dynamicSharedMemory", "clusterX", "clusterY", "clusterZ"
/* WORK lacks its shape where the table does not have it. */
struct gsim_work_shape gsim_table_shape(struct gsim_table *table, int first, struct gsim_activity *work);
enum gsim_status gsim_table_add(struct gsim_table *table, struct gsim_activity *work, struct gsim_work_shape *shape,
                                const char *name) GSIM_NODISCARD;
