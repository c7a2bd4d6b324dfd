/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/table.h. */
#include "traces/import/table.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/database.h"

#define PROGRESS_ROWS 65536

sqlite3 *gsim_table_database(const char *path, struct gsim_error *error)
{
    struct stat info;
    sqlite3 *database = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected an SQLite database, found %s", path,
                       stat(path, &info) != 0 ? "no such file" : "no regular file");
        return NULL;
    }
    if (gsim_database_open(path, false, &database) != SQLITE_OK) {
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, gsim_database_reason(database));
    } else {
        if (sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_NOTADB) return database;
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected an SQLite database, found another kind of file", path);
    }
    sqlite3_close(database);
    return NULL;
}

static enum gsim_status fail(struct gsim_table *t, int code)
{
    t->failed = true;
    if (code == SQLITE_NOMEM) return gsim_error_set(t->error, GSIM_NOMEM, "out of memory");
    return gsim_error_set(t->error, GSIM_INPUT, "table %s: %s", t->name, gsim_database_reason(t->database));
}

/* --- tables and columns ------------------------------------------------------------------------------------------- */
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
        for (int i = 0; name && t->columns[i]; i++)
            if (strcmp(t->columns[i], name) == 0) t->has[i] = true;
    }
    enum gsim_status status = code == SQLITE_DONE ? GSIM_OK : fail(t, code);
    sqlite3_finalize(info);
    return status;
}

enum gsim_status gsim_table_open(struct gsim_table *t)
{
    char text[1024] = "SELECT ";
    enum gsim_status status = find_columns(t);
    if (status != GSIM_OK || !t->is_there) return status;
    if (!gsim_database_holds(t->database, t->name)) {
        t->failed = true;
        return gsim_error_set(t->error, GSIM_INPUT, "table %s: expected one that the file itself holds, found a view or what is computed", t->name);
    }
    size_t length = strlen(text);
    for (int i = 0; t->columns[i]; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%s", i ? ", " : "",
                                   t->has[i] ? "\"" : "", t->has[i] ? t->columns[i] : "NULL", t->has[i] ? "\"" : "");
    snprintf(text + length, sizeof text - length, " FROM %s", t->name);
    int code = sqlite3_prepare_v2(t->database, text, -1, &t->rows, NULL);
    return code == SQLITE_OK ? GSIM_OK : fail(t, code);
}

bool gsim_table_next(struct gsim_table *t)
{
    if (!t->rows || t->failed) return false;
    int code = sqlite3_step(t->rows);
    t->row++;
    if (++t->rows_of_all->done % PROGRESS_ROWS == 0 && t->rows_of_all->total)
        gsim_records_progress(t->records, (double)t->rows_of_all->done / (double)t->rows_of_all->total);
    if (code != SQLITE_ROW && code != SQLITE_DONE) (void)fail(t, code);
    return code == SQLITE_ROW;
}

enum gsim_status gsim_table_close(struct gsim_table *t)
{
    sqlite3_finalize(t->rows);
    t->rows = NULL;
    return t->failed ? t->error->status : GSIM_OK;
}

/* --- values ------------------------------------------------------------------------------------------------------- */
void gsim_table_wrong(struct gsim_table *t, int column, const char *expected)
{
    if (t->failed) return;
    t->failed = true;
    const char *found = (const char *)sqlite3_column_text(t->rows, column);
    gsim_error_set(t->error, GSIM_INPUT, "table %s, row %" PRIu64 ", column %s: expected %s, found %.40s", t->name,
                   t->row, t->columns[column], expected, found ? found : "nothing");
}

uint64_t gsim_table_whole(struct gsim_table *t, int column, uint64_t most)
{
    int type = sqlite3_column_type(t->rows, column);
    if (type == SQLITE_NULL) return 0;
    int64_t value = sqlite3_column_int64(t->rows, column);
    if (type == SQLITE_INTEGER && value >= 0 && (uint64_t)value <= most) return (uint64_t)value;
    gsim_table_wrong(t, column, "a whole number that is not negative");
    return 0;
}

uint32_t gsim_table_whole32(struct gsim_table *t, int column, uint32_t most)
{
    return (uint32_t)gsim_table_whole(t, column, most);
}

uint32_t gsim_table_size(struct gsim_table *t, int column, uint32_t most)
{
    uint32_t value = gsim_table_whole32(t, column, most);
    if (value == 0) gsim_table_wrong(t, column, "a positive whole number");
    return value;
}

int64_t gsim_table_time(struct gsim_table *t, int column)
{
    int64_t value = sqlite3_column_int64(t->rows, column);
    if (sqlite3_column_type(t->rows, column) == SQLITE_INTEGER && value < 0 && value >= -(int64_t)GSIM_TABLE_TIME_LIMIT_NS)
        return value + t->rows_of_all->shift_ns;
    int64_t time = (int64_t)gsim_table_whole(t, column, GSIM_TABLE_TIME_LIMIT_NS);
    return time ? time + t->rows_of_all->shift_ns : 0;
}

