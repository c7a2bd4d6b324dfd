/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/table.h. */
#include "sim/base/first.h"
#include "traces/import/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "gpusim/limits.h"
#include "gpusim/order.h"

#define TIME_LIMIT_NS 4000000000000000000 /* 64 bits also hold sums with durations */
#define PROGRESS_ROWS 65536

static enum gsim_status sql_error(struct gsim_table *t, int code)
{
    t->failed = true;
    if (code == SQLITE_NOMEM) return gsim_no_memory(t->error);
    return gsim_error_set(t->error, GSIM_INPUT, "table %s: %s", t->name, gsim_database_reason(t->database));
}

/* --- the database --------------------------------------------------------------------------------------------- */
static enum gsim_status open_database(struct gsim_tables *tables, const char *path)
{
    struct stat info;
    struct gsim_error *error = tables->error;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return gsim_error_set(error, GSIM_INPUT, "expected an SQLite database, found %s",
                              stat(path, &info) != 0 ? "no such file" : "no regular file");
    if (gsim_database_open(path, false, &tables->database, &tables->steps) != SQLITE_OK)
        return gsim_error_set(error, GSIM_INPUT, "%s", gsim_database_reason(tables->database));
    if (sqlite3_exec(tables->database, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) == SQLITE_NOTADB)
        return gsim_error_set(error, GSIM_INPUT, "expected an SQLite database, found another kind of file");
    return GSIM_OK;
}

/* One number of a query on the table; 0 where it fails. */
static int64_t ask(sqlite3 *database, const char *what, const char *name)
{
    char text[160];
    sqlite3_stmt *row = NULL;
    int64_t value = 0;
    snprintf(text, sizeof text, "SELECT %s FROM %s", what, name);
    if (sqlite3_prepare_v2(database, text, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return value;
}

/* How many rows there are, for progress: by the last row's number, which costs no pass over the tables. The shift: so
 * that the earliest start is at least 1. Whether works say their process. */
static void survey(struct gsim_tables *tables)
{
    int64_t earliest = 0;
    bool has_works = false, has_processes = false;
    for (const struct gsim_table_kind *kind = tables->kinds; kind->name; kind++) {
        int64_t last = ask(tables->database, "max(_rowid_)", kind->name);
        int64_t start = kind->has_start ? ask(tables->database, "min(start)", kind->name) : 0;
        if (last > 0) tables->rows_in_all += (uint64_t)last;
        if (start < earliest) earliest = start;
        if (!kind->has_works) continue;
        char columns[96];
        snprintf(columns, sizeof columns, "pragma_table_info('%s')", kind->name);
        has_works |= ask(tables->database, "count(*)", columns) > 0;
        has_processes |= ask(tables->database, "sum(name = 'globalPid')", columns) > 0;
    }
    tables->shift_ns = earliest < 0 && earliest >= -(int64_t)TIME_LIMIT_NS ? 1 - earliest : 0;
    tables->lacks_processes = has_works && !has_processes;
}

static enum gsim_status read_database(const char *path, struct gsim_records *records, void *context)
{
    struct gsim_tables *tables = context;
    tables->records = records;
    tables->error = records->error;
    enum gsim_status status = open_database(tables, path);
    if (status == GSIM_OK) survey(tables);
    for (const struct gsim_table_kind *kind = tables->kinds; kind->name && status == GSIM_OK; kind++) {
        struct gsim_table table = {.all = tables,
                                   .records = records,
                                   .error = tables->error,
                                   .database = tables->database,
                                   .name = kind->name};
        status = kind->read(&table);
    }
    return status;
}

enum gsim_status gsim_tables_import(struct gsim_tables *tables, const char *path,
                                    const struct gsim_import_options *options, struct gsim_program *program,
                                    struct gsim_import_notes *notes, struct gsim_error *error)
{
    enum gsim_status status = gsim_records_import(path, read_database, tables, options, program, notes, error);
    sqlite3_finalize(tables->find_string);
    sqlite3_close(tables->database);
    gsim_free(tables->events);
    return status;
}

/* --- tables and columns ----------------------------------------------------------------------------------------- */
/* The table has a column NAME: column INDEX, if that is one of its names, and no earlier one is there. */
static void note_column(struct gsim_table *t, int index, const char *name)
{
    const char *at = t->columns[index], *known = t->has[index].name;
    for (size_t length; *at && (!known || at < known); at += length + (at[length] == '|')) {
        length = strcspn(at, "|");
        if (strlen(name) != length || strncmp(at, name, length) != 0) continue;
        t->has[index].name = at;
        t->has[index].length = (int)length;
        return;
    }
}

static enum gsim_status find_columns(struct gsim_table *t)
{
    char text[128];
    sqlite3_stmt *info = NULL;
    snprintf(text, sizeof text, "PRAGMA table_info(%s)", t->name);
    int code = sqlite3_prepare_v2(t->database, text, -1, &info, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(info);
        if (code != SQLITE_ROW) break;
        t->is_there = true;
        const char *name = (const char *)sqlite3_column_text(info, 1);
        for (int i = 0; name && t->columns[i]; i++) note_column(t, i, name);
    }
    enum gsim_status status = code == SQLITE_DONE ? GSIM_OK : sql_error(t, code);
    sqlite3_finalize(info);
    return status;
}

enum gsim_status gsim_table_open(struct gsim_table *t, const char *const *columns)
{
    char text[1024] = "SELECT ";
    t->columns = columns;
    enum gsim_status status = find_columns(t);
    if (status != GSIM_OK || !t->is_there) return status;
    if (!gsim_database_holds(t->database, t->name)) {
        t->failed = true;
        return gsim_error_set(t->error, GSIM_INPUT,
                              "table %s: expected one that the file itself holds, found a view or what is computed",
                              t->name);
    }
    size_t length = strlen(text);
    for (int i = 0; t->columns[i]; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, t->has[i].name ? "%s\"%.*s\"" : "%sNULL",
                                   i ? ", " : "", t->has[i].length, t->has[i].name);
    snprintf(text + length, sizeof text - length, " FROM %s", t->name);
    int code = sqlite3_prepare_v2(t->database, text, -1, &t->rows, NULL);
    return code == SQLITE_OK ? GSIM_OK : sql_error(t, code);
}

bool gsim_table_next(struct gsim_table *t)
{
    if (!t->rows || t->failed) return false;
    int code = sqlite3_step(t->rows);
    t->row++;
    if (++t->all->rows_done % PROGRESS_ROWS == 0 && t->all->rows_in_all)
        gsim_records_progress(t->records, (double)t->all->rows_done / (double)t->all->rows_in_all);
    if (code != SQLITE_ROW && code != SQLITE_DONE) (void)sql_error(t, code);
    return code == SQLITE_ROW;
}

enum gsim_status gsim_table_close(struct gsim_table *t, enum gsim_status status)
{
    sqlite3_finalize(t->rows);
    t->rows = NULL;
    return status == GSIM_OK && t->failed ? t->error->status : status;
}

/* --- values ------------------------------------------------------------------------------------------------------ */
static void wrong(struct gsim_table *t, int column, const char *expected)
{
    if (t->failed) return;
    t->failed = true;
    const char *found = (const char *)sqlite3_column_text(t->rows, column);
    const char *name = t->has[column].name ? t->has[column].name : t->columns[column];
    gsim_error_set(t->error, GSIM_INPUT, "table %s, row %" PRIu64 ", column %.*s: expected %s, found %.40s", t->name,
                   t->row, (int)strcspn(name, "|"), name, expected, found ? found : "nothing");
}

uint64_t gsim_table_whole(struct gsim_table *t, int column, uint64_t most)
{
    int type = sqlite3_column_type(t->rows, column);
    if (type == SQLITE_NULL) return 0;
    int64_t value = sqlite3_column_int64(t->rows, column);
    if (type == SQLITE_INTEGER && value >= 0 && (uint64_t)value <= most) return (uint64_t)value;
    wrong(t, column, "a whole number that is not negative");
    return 0;
}

uint32_t gsim_table_whole32(struct gsim_table *t, int column, uint32_t most)
{
    return (uint32_t)gsim_table_whole(t, column, most);
}

/* At least 1. */
static uint32_t size_at(struct gsim_table *t, int column, uint32_t most)
{
    uint32_t value = gsim_table_whole32(t, column, most);
    if (value == 0) wrong(t, column, "a positive whole number");
    return value;
}

/* Times count from the start of the recording, which calls may precede: all are moved on so that none is below 1. */
int64_t gsim_table_time(struct gsim_table *t, int column)
{
    int64_t value = sqlite3_column_int64(t->rows, column);
    if (sqlite3_column_type(t->rows, column) == SQLITE_INTEGER && value < 0 && value >= -(int64_t)TIME_LIMIT_NS)
        return value + t->all->shift_ns;
    int64_t time = (int64_t)gsim_table_whole(t, column, TIME_LIMIT_NS);
    return time ? time + t->all->shift_ns : 0;
}

const char *gsim_table_string(struct gsim_table *t, int column)
{
    struct gsim_tables *all = t->all;
    if (all->lacks_strings || sqlite3_column_type(t->rows, column) != SQLITE_INTEGER) return NULL;
    if (!all->find_string &&
        sqlite3_prepare_v2(t->database, all->string_sql, -1, &all->find_string, NULL) != SQLITE_OK) {
        all->lacks_strings = true;
        return NULL;
    }
    sqlite3_reset(all->find_string);
    sqlite3_bind_int64(all->find_string, 1, sqlite3_column_int64(t->rows, column));
    return sqlite3_step(all->find_string) == SQLITE_ROW ? (const char *)sqlite3_column_text(all->find_string, 0) : NULL;
}

/* --- works ------------------------------------------------------------------------------------------------------- */
uint32_t gsim_table_stream(struct gsim_table *t, uint32_t process, int device, int context, int stream)
{
    uint32_t index = GSIM_NO_STREAM;
    struct gsim_stream_key key = {.process = process,
                                  .device = gsim_table_whole32(t, device, UINT32_MAX),
                                  .context = gsim_table_whole32(t, context, UINT32_MAX),
                                  .number = gsim_table_whole(t, stream, UINT32_MAX)};
    key.gpu = key.device;
    if (!t->failed && gsim_records_stream(t->records, &key, &index) != GSIM_OK) t->failed = true;
    return index;
}

struct gsim_activity gsim_table_work(struct gsim_table *t, enum gsim_activity_kind kind, uint32_t process)
{
    struct gsim_activity work = {.kind = (uint8_t)kind, .process = process};
    work.start_ns = gsim_table_time(t, GSIM_WORK_START);
    work.end_ns = gsim_table_time(t, GSIM_WORK_END);
    if (work.end_ns - work.start_ns > GSIM_TABLE_DURATION_NS)
        wrong(t, GSIM_WORK_END, "an end within 11 days of the start");
    work.correlation = gsim_table_whole(t, GSIM_WORK_CORRELATION, INT64_MAX);
    work.stream = gsim_table_stream(t, process, GSIM_WORK_DEVICE, GSIM_WORK_CONTEXT, GSIM_WORK_STREAM);
    return work;
}

struct gsim_work_shape gsim_table_shape(struct gsim_table *t, int first, struct gsim_activity *work)
{
    struct gsim_work_shape shape = {.regs_per_thread = gsim_table_whole32(t, first + GSIM_SHAPE_REGS, GSIM_LIMIT_REGS)};
    int grid = first + GSIM_SHAPE_GRID, block = first + GSIM_SHAPE_BLOCK, smem = first + GSIM_SHAPE_SMEM;
    int cluster = first + GSIM_SHAPE_CLUSTER;
    work->lacks_shape =
        sqlite3_column_type(t->rows, grid) == SQLITE_NULL || sqlite3_column_type(t->rows, block) == SQLITE_NULL;
    if (work->lacks_shape) {
        shape.grid = shape.block = (struct gsim_dim3){1, 1, 1};
        return shape;
    }
    shape.grid.x = size_at(t, grid, GSIM_LIMIT_GRID_X);
    shape.grid.y = size_at(t, grid + 1, GSIM_LIMIT_GRID_YZ);
    shape.grid.z = size_at(t, grid + 2, GSIM_LIMIT_GRID_YZ);
    shape.block.x = size_at(t, block, GSIM_LIMIT_BLOCK_XY);
    shape.block.y = size_at(t, block + 1, GSIM_LIMIT_BLOCK_XY);
    shape.block.z = size_at(t, block + 2, GSIM_LIMIT_BLOCK_Z);
    shape.smem_bytes = gsim_table_whole32(t, smem, GSIM_LIMIT_SMEM_BYTES / 2) +
                       gsim_table_whole32(t, smem + 1, GSIM_LIMIT_SMEM_BYTES / 2);
    shape.cluster.x = gsim_table_whole32(t, cluster, GSIM_LIMIT_CLUSTER);
    shape.cluster.y = gsim_table_whole32(t, cluster + 1, GSIM_LIMIT_CLUSTER);
    shape.cluster.z = gsim_table_whole32(t, cluster + 2, GSIM_LIMIT_CLUSTER);
    return shape;
}

enum gsim_status gsim_table_add(struct gsim_table *t, struct gsim_activity *work, struct gsim_work_shape *shape,
                                const char *name)
{
    enum gsim_status status = gsim_records_name(t->records, name, &shape->name);
    if (status == GSIM_OK) status = gsim_records_shape(t->records, shape, &work->shape);
    return status == GSIM_OK ? gsim_records_add_work(t->records, work) : status;
}

/* --- events ------------------------------------------------------------------------------------------------------ */
GSIM_ORDER(compare_events, struct gsim_table_event, GSIM_UP(process) GSIM_UP(event) GSIM_UP(correlation))

enum gsim_status gsim_tables_add_event(struct gsim_tables *tables, const struct gsim_table_event *event)
{
    return GSIM_ADD(tables->error, tables->events, tables->event_count, tables->event_room, *event);
}

void gsim_tables_sort_events(struct gsim_tables *tables)
{
    if (tables->event_count) qsort(tables->events, tables->event_count, sizeof *tables->events, compare_events);
}

/* The latest record of the event by a call before that with CORRELATION (ids ascend in a process). */
static const struct gsim_table_event *find_event(const struct gsim_tables *tables, uint32_t process, uint64_t event,
                                                 uint64_t correlation)
{
    struct gsim_table_event wanted = {.process = process, .event = event, .correlation = correlation};
    GSIM_FIRST (low, tables->event_count, middle, compare_events(&tables->events[middle], &wanted) <= 0)
    const struct gsim_table_event *found = low ? &tables->events[low - 1] : NULL;
    return found && found->process == process && found->event == event ? found : NULL;
}

enum gsim_status gsim_tables_add_sync(struct gsim_tables *tables, struct gsim_sync *sync, uint64_t type, uint64_t event)
{
    sync->kind = type == GSIM_CUPTI_STREAM_SYNCHRONIZE ? GSIM_SYNC_STREAM : GSIM_SYNC_WAIT;
    sync->source = GSIM_NO_STREAM;
    const struct gsim_table_event *found =
        sync->kind == GSIM_SYNC_WAIT ? find_event(tables, sync->process, event, sync->correlation) : NULL;
    if (found) {
        sync->source = found->stream;
        sync->record = found->correlation;
    }
    return gsim_records_add_sync(tables->records, sync);
}
