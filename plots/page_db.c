/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page.h: what a database of gpusim sweep tells beside its points - the commands that filled
 * it, their specifications, versions of program and model, and the points that failed.
 */
#include <sqlite3.h>

#include "plots/page.h"

#define MOST_FAILURES 100

static enum gsim_status query(const char *path, const char *sql, void (*row)(struct gsim_page *, sqlite3_stmt *),
                              struct gsim_page *page, size_t *count, struct gsim_error *error)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    enum gsim_status status = GSIM_OK;
    *count = 0;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            row(page, statement);
            ++*count;
        }
    if (code != SQLITE_DONE)
        status =
            gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, db ? sqlite3_errmsg(db) : "out of memory");
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return status;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

static void put_sweep(struct gsim_page *page, sqlite3_stmt *statement)
{
    gsim_page_command(page, text_at(statement, 0));
    gsim_output_text(page->output, "<p>gpusim ");
    gsim_page_text(page, text_at(statement, 2));
    gsim_output_text(page->output, ", model ");
    gsim_page_text(page, text_at(statement, 3));
    gsim_output_text(page->output, ", ");
    gsim_page_text(page, text_at(statement, 4));
    gsim_output_text(page->output, " points asked for.</p>\n<details><summary>The resolved specification</summary>\n");
    gsim_page_command(page, text_at(statement, 1));
    gsim_output_text(page->output, "</details>\n");
}

enum gsim_status gsim_page_sweeps(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    size_t count;
    gsim_page_section(page, "Run it again");
    gsim_output_text(page->output, "<p>With the same version and model, the same results come out:</p>\n");
    return query(path, "SELECT command, spec, version, model, points FROM sweeps ORDER BY id", put_sweep, page, &count,
                 error);
}

static void put_failure(struct gsim_page *page, sqlite3_stmt *statement)
{
    if (!sqlite3_column_int(statement, 4)) { /* the first one opens the section */
        static const char *const heads[] = {"Status", "Point", "Message"};
        gsim_page_section(page, "Points without a result");
        gsim_page_table(page, heads, 3);
    }
    for (int i = 0; i < 3; i++) gsim_page_cell(page, text_at(statement, i));
    gsim_page_row_end(page);
}

enum gsim_status gsim_page_failures(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    char sql[256];
    size_t count;
    snprintf(sql, sizeof sql,
             "SELECT status, axes, error, 0, row_number() OVER (ORDER BY sweep, position) - 1 FROM points "
             "WHERE status != 'ok' ORDER BY sweep, position LIMIT %d",
             MOST_FAILURES);
    enum gsim_status status = query(path, sql, put_failure, page, &count, error);
    if (status == GSIM_OK && count) gsim_page_table_end(page);
    if (status == GSIM_OK && count == MOST_FAILURES)
        gsim_output_text(page->output, "<p>The first ones; gpusim results gives all.</p>\n");
    return status;
}
