/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust/published. What a paper writes: text, CSV and JSON, by the spec's queries (trust/published/paper.h). */
#include "trust/published/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/version.h"

#define RESULT                                                                                                         \
    "SELECT e.*, c.simulated,"                                                                                         \
    " CASE WHEN c.simulated IS NULL THEN NULL"                                                                         \
    " WHEN c.simulated < e.low - abs(e.low) * e.slack THEN (c.simulated - e.low) / abs(e.low)"                         \
    " WHEN c.simulated > e.high + abs(e.high) * e.slack THEN (c.simulated - e.high) / abs(e.high) ELSE 0 END AS off "  \
    "FROM expected e LEFT JOIN cells c USING (cell) ORDER BY e.rowid"
#define SIZED "CASE WHEN low = high THEN printf('%.4g', low) WHEN high IS NULL THEN printf('%.4g or more', low) "      \
              "ELSE printf('%.4g to %.4g', low, high) END"
/* Where a spec has no text of its own. */
#define TEXT_SQL                                                                                                       \
    "SELECT printf('%-40s %18s %10s %-6s %-13s  %s', '', 'published', 'simulated', '', '', 'source') UNION ALL "       \
    "SELECT * FROM (SELECT printf('%-40s %18s %10s %-6s %-13s  %s', cell, " SIZED ","                                  \
    " iif(simulated IS NULL, '-', printf('%.4g', simulated)), unit,"                                                   \
    " CASE WHEN off IS NULL THEN 'not simulated' WHEN off = 0 THEN 'within' ELSE 'missed' END, source) FROM result)"

static void put_csv(const char *text, void (*put)(void *data, const char *text), void *data)
{
    bool is_quoted = text[strcspn(text, ",\"\n")] != '\0';
    char one[2] = "";
    if (!is_quoted) {
        put(data, text);
        return;
    }
    put(data, "\"");
    for (; *text; text++) {
        one[0] = *text;
        put(data, *text == '"' ? "\"\"" : one);
    }
    put(data, "\"");
}

static enum gsim_status write_csv(struct gsim_paper *p, sqlite3_stmt *rows,
                                  void (*put)(void *data, const char *text), void *data, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    int count = sqlite3_column_count(rows);
    for (int i = 0; i < count; i++) {
        put(data, i ? "," : "");
        put_csv(sqlite3_column_name(rows, i), put, data);
    }
    put(data, "\n");
    while (gsim_paper_step(p, rows, &status, error)) {
        for (int i = 0; i < count; i++) {
            put(data, i ? "," : "");
            put_csv(gsim_paper_text(rows, i), put, data);
        }
        put(data, "\n");
    }
    return status;
}

static void put_json(const char *text, void (*put)(void *data, const char *text), void *data)
{
    char *end, *quoted;
    bool is_number = *text && isfinite(strtod(text, &end)) && !*end;
    cJSON *item = *text && !is_number ? cJSON_CreateString(text) : NULL;
    quoted = item ? cJSON_PrintUnformatted(item) : NULL;
    put(data, is_number ? text : quoted ? quoted : "null");
    cJSON_free(quoted);
    cJSON_Delete(item);
}

static enum gsim_status write_json(struct gsim_paper *p, sqlite3_stmt *rows,
                                   void (*put)(void *data, const char *text), void *data, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const char *before = "";
    put(data, "{\"schema\": \"gpusim-reproduction/1\", \"version\": \"" GPUSIM_VERSION "\",\n \"rows\": [");
    for (; gsim_paper_step(p, rows, &status, error); before = ",") {
        put(data, before);
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            put(data, i ? ", " : "\n  {");
            put_json(sqlite3_column_name(rows, i), put, data);
            put(data, ": ");
            put_json(gsim_paper_text(rows, i), put, data);
        }
        put(data, "}");
    }
    put(data, "\n ]}\n");
    return status;
}

static enum gsim_status write_rows(struct gsim_paper *p, enum gsim_paper_form form,
                                   void (*put)(void *data, const char *text), void *data, struct gsim_error *error)
{
    const cJSON *sql =
        gsim_paper_member(p->spec, form == GSIM_PAPER_JSON && gsim_paper_member(p->spec, "json") ? "json" : "csv");
    sqlite3_stmt *rows = NULL;
    cJSON *own = sql ? NULL : cJSON_CreateString("SELECT * FROM result");
    enum gsim_status status = gsim_paper_prepare(p, sql ? sql : own, &rows, error);
    if (status == GSIM_OK) status = (form == GSIM_PAPER_CSV ? write_csv : write_json)(p, rows, put, data, error);
    sqlite3_finalize(rows);
    cJSON_Delete(own);
    return status;
}

static enum gsim_status write_lines(struct gsim_paper *p, const cJSON *sql, void (*put)(void *data, const char *text),
                                    void *data, struct gsim_error *error)
{
    sqlite3_stmt *rows = NULL;
    enum gsim_status status = gsim_paper_prepare(p, sql, &rows, error);
    while (gsim_paper_step(p, rows, &status, error)) {
        put(data, gsim_paper_text(rows, 0));
        put(data, "\n");
    }
    sqlite3_finalize(rows);
    return status;
}

static bool has_table(struct gsim_paper *p, const char *name)
{
    return sqlite3_table_column_metadata(p->db, NULL, name, NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

enum gsim_status gsim_paper_write(struct gsim_paper *p, enum gsim_paper_form form,
                                  void (*put)(void *data, const char *text), void *data, struct gsim_error *error)
{
    const cJSON *text = gsim_paper_member(p->spec, "text"), *title = gsim_paper_member(p->spec, "title"), *item;
    enum gsim_status status = GSIM_OK;
    bool has_result = has_table(p, "cells") && has_table(p, "expected") && !has_table(p, "result");
    if (has_result) status = gsim_cells_view(p->db, "result", RESULT, error);
    if (status != GSIM_OK || form != GSIM_PAPER_TEXT)
        return status == GSIM_OK ? write_rows(p, form, put, data, error) : status;
    if (!text) {
        cJSON *own = cJSON_CreateString(TEXT_SQL);
        put(data, cJSON_IsString(title) ? title->valuestring : "");
        put(data, "\n\n");
        status = write_lines(p, own, put, data, error);
        cJSON_Delete(own);
    }
    cJSON_ArrayForEach(item, text)
    {
        if (status != GSIM_OK) break;
        if (cJSON_IsObject(item)) status = write_lines(p, gsim_paper_member(item, "sql"), put, data, error);
        else if (cJSON_IsString(item)) put(data, item->valuestring), put(data, "\n");
    }
    return status == GSIM_OK ? status : gsim_error_prefix(error, "text");
}
