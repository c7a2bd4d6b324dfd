/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust/published. See trust/published/cells.h. */
#include "trust/published/cells.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAX_COLUMNS 32
#define MAX_LINE     2048

enum gsim_status gsim_cells_fail(sqlite3 *db, struct gsim_error *error)
{
    if (sqlite3_errcode(db) == SQLITE_NOMEM) return gsim_no_memory(error);
    return gsim_error_set(error, GSIM_INPUT, "%.300s", sqlite3_errmsg(db));
}

/* --- tables --- */

static enum gsim_status execute(sqlite3 *db, char *sql, struct gsim_error *error)
{
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? GSIM_OK : gsim_cells_fail(db, error);
}

enum gsim_status gsim_cells_make(sqlite3 *db, const char *name, const char *const *columns, size_t count,
                                 sqlite3_stmt **insert, struct gsim_error *error)
{
    char *list = sqlite3_mprintf(""), *marks = sqlite3_mprintf("");
    *insert = NULL;
    for (size_t i = 0; i < count; i++) {
        list = sqlite3_mprintf("%z%s\"%w\"", list, i ? ", " : "", columns[i]);
        marks = sqlite3_mprintf("%z%s?", marks, i ? ", " : "");
    }
    enum gsim_status status = execute(db, sqlite3_mprintf("CREATE TABLE \"%w\" (%s)", name, list), error);
    char *sql = sqlite3_mprintf("INSERT INTO \"%w\" VALUES (%s)", name, marks);
    if (status == GSIM_OK && sqlite3_prepare_v2(db, sql, -1, insert, NULL) != SQLITE_OK)
        status = gsim_cells_fail(db, error);
    sqlite3_free(sql);
    sqlite3_free(list);
    sqlite3_free(marks);
    return status;
}

void gsim_cells_bind(sqlite3_stmt *insert, int column, const char *text)
{
    char *end = NULL;
    if (!text || !*text) {
        sqlite3_bind_null(insert, column);
        return;
    }
    double number = strchr("+-.0123456789", text[0]) ? strtod(text, &end) : 0;
    if (!end || *end || !isfinite(number)) sqlite3_bind_text(insert, column, text, -1, SQLITE_TRANSIENT);
    else if (strspn(text, "-0123456789") == strlen(text)) sqlite3_bind_int64(insert, column, strtoll(text, NULL, 10));
    else sqlite3_bind_double(insert, column, number);
}

enum gsim_status gsim_cells_add(sqlite3 *db, sqlite3_stmt *insert, struct gsim_error *error)
{
    int code = sqlite3_step(insert);
    sqlite3_reset(insert);
    return code == SQLITE_DONE ? GSIM_OK : gsim_cells_fail(db, error);
}

/* Cuts LINE into its fields, in place; 0: it is not CSV. */
static size_t split(char *line, const char *fields[MAX_COLUMNS])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < MAX_COLUMNS;) {
        char *to = at;
        if (*at != '"') {
            fields[count++] = at;
            at = strchr(at, ',');
            if (at) *at++ = '\0';
            continue;
        }
        for (fields[count++] = at++; *at && (*at != '"' || at[1] == '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        if (*at != '"' || (at[1] && at[1] != ',')) return 0;
        at = at[1] ? at + 2 : NULL;
        *to = '\0';
    }
    return count;
}

enum gsim_status gsim_cells_read(sqlite3 *db, const char *name, const char *path, const char *const *given,
                                 size_t given_count, struct gsim_error *error)
{
    char line[MAX_LINE];
    const char *fields[MAX_COLUMNS];
    size_t columns = given ? given_count : 0, number = 0;
    sqlite3_stmt *insert = NULL;
    gzFile file = gzopen(path, "r");
    enum gsim_status status = file && given ? gsim_cells_make(db, name, given, given_count, &insert, error) : GSIM_OK;
    if (!file) return gsim_error_set(error, GSIM_IO, "cannot read '%s': %s", path, strerror(errno));
    while (status == GSIM_OK && gzgets(file, line, sizeof line)) {
        number++;
        if (line[0] == '#' || line[0] == '\n') continue;
        bool is_whole = strlen(line) < sizeof line - 1;
        size_t count = is_whole ? split(line, fields) : 0;
        if (!columns && count) {
            columns = count;
            status = gsim_cells_make(db, name, fields, count, &insert, error);
        } else if (!count || count != columns) {
            status = gsim_error_set(error, GSIM_INPUT, "expected %zu fields, found %zu", columns, count);
        } else {
            for (size_t i = 0; i < count; i++) gsim_cells_bind(insert, (int)i + 1, fields[i]);
            status = gsim_cells_add(db, insert, error);
        }
        if (status != GSIM_OK) (void)gsim_error_prefix(error, "cannot read '%s': line %zu", path, number);
    }
    if (status == GSIM_OK && !columns) status = gsim_error_set(error, GSIM_INPUT, "'%s': expected a header", path);
    sqlite3_finalize(insert);
    gzclose(file);
    return status;
}

enum gsim_status gsim_cells_view(sqlite3 *db, const char *name, const char *sql, struct gsim_error *error)
{
    return execute(db, sqlite3_mprintf("CREATE TABLE \"%w\" AS %s", name, sql), error);
}
