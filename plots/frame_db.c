/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/frame.h: the table "points" of a database of gpusim sweep (columns: sweep/columns.def).
 * Points that failed are left out; what varied ("axes", a JSON object) becomes columns.
 */
#include <sqlite3.h>

#include "plots/frame.h"
#include "sim/scan.h"

static enum gsim_status fail(sqlite3 *db, const char *path, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, db ? sqlite3_errmsg(db) : "out of memory");
}

/* {"size": 1e6, "device.h2d_gbps": 16}: columns of these names, where the table does not have them. */
static void set_axes(struct gsim_frame *frame, const unsigned char *json)
{
    struct gsim_scan_text key;
    char *rest, name[96];
    size_t length = json ? strlen((const char *)json) : 0;
    char *copy = gsim_arena_alloc(&frame->arena, length + 1);
    if (!copy) frame->failed = true;
    if (!copy || !length) return;
    memcpy(copy, json, length);
    if (gsim_scan_check(copy, length, NULL) != GSIM_OK || *gsim_scan_start(copy) != '{') return;
    for (char *value = gsim_scan_next(gsim_scan_start(copy), &key, &rest); value;) {
        char *behind = gsim_scan_skip(value), after = *behind;
        snprintf(name, sizeof name, "%.*s", (int)(key.length < 90 ? key.length : 90), key.text);
        const struct gsim_frame_column *known = gsim_frame_find(frame, name);
        if (!*gsim_frame_text(known, frame->row_count - 1)) {
            if (*value == '"') {
                size_t size = (size_t)(behind - value);
                char *text = gsim_arena_alloc(&frame->arena, size + 1);
                if (text) gsim_frame_set(frame, name, gsim_scan_string(memcpy(text, value, size), NULL));
            } else {
                *behind = '\0';
                gsim_frame_set(frame, name, value);
                *behind = after;
            }
        }
        value = gsim_scan_next(behind, &key, &rest);
    }
}

static void read_row(struct gsim_frame *frame, sqlite3_stmt *statement)
{
    const unsigned char *axes = NULL;
    gsim_frame_begin_row(frame);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *name = sqlite3_column_name(statement, i);
        if (strcmp(name, "axes") == 0) {
            axes = sqlite3_column_text(statement, i);
            continue;
        }
        /* Long texts that no figure shows. */
        if (strcmp(name, "options") == 0 || strcmp(name, "key") == 0) continue;
        if (sqlite3_column_type(statement, i) == SQLITE_FLOAT)
            gsim_frame_set_number(frame, name, sqlite3_column_double(statement, i));
        else
            gsim_frame_set(frame, name, (const char *)sqlite3_column_text(statement, i));
    }
    set_axes(frame, axes);
}

enum gsim_status gsim_frame_read_db(struct gsim_frame *frame, const char *path, struct gsim_error *error)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    enum gsim_status status = GSIM_OK;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, "SELECT * FROM points WHERE status = 'ok' ORDER BY sweep, position", -1,
                                  &statement, NULL);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW && !frame->failed) read_row(frame, statement);
    if (frame->failed)
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    else if (code != SQLITE_DONE)
        status = fail(db, path, error);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return status;
}
