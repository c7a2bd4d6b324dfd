/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/tables/tables.h. */
#include "sim/base/tables/tables.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/memory.h"
#include "gpusim/order.h"
#include "sim/base/text.h"

/* --- aggregates ----------------------------------------------------------------------------------------------- */

struct values {
    double *x, *y;
    size_t count, room, room_of_y;
};

GSIM_ORDER_OF(by_value, double)

static double median(const double *x, const double *y, size_t count)
{
    (void)y;
    return (x[(count - 1) / 2] + x[count / 2]) / 2; /* without GSL, which gpusim-runner may not have */
}

static const struct gsim_statistic own[] = {{"median", 1, median}, {0}};

static void add_value(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct values *v = sqlite3_aggregate_context(context, sizeof *v);
    for (int i = 0; i < count; i++)
        if (!v || sqlite3_value_type(arguments[i]) == SQLITE_NULL) return;
    size_t at = v->count;
    (void)GSIM_APPEND(v->x, v->count, v->room, sqlite3_value_double(arguments[0]));
    (void)GSIM_APPEND(v->y, at, v->room_of_y, sqlite3_value_double(arguments[count - 1]));
}

static void give_statistic(sqlite3_context *context)
{
    const struct gsim_statistic *s = sqlite3_user_data(context);
    struct values *v = sqlite3_aggregate_context(context, 0);
    if (!v || !v->count) return;
    if (s->columns == 1) qsort(v->x, v->count, sizeof *v->x, by_value);
    sqlite3_result_double(context, s->of(v->x, v->y, v->count)); /* SQLite takes NAN for NULL */
    gsim_free(v->x);
    gsim_free(v->y);
}

/* --- lines ---------------------------------------------------------------------------------------------------- */

/* What the conversion FORM, with its letter, makes of VALUE (see line()). */
static void append(sqlite3_str *to, const char *form, char letter, sqlite3_value *value)
{
    bool is_null = sqlite3_value_type(value) == SQLITE_NULL;
    const char *text = is_null ? "" : (const char *)sqlite3_value_text(value);
    double number = is_null ? (double)NAN : sqlite3_value_double(value);
    char *written = NULL, local[400], scaled[GSIM_TEXT_SIZE] = "-";
    size_t length = 0;
    struct gsim_output output;
    struct gsim_error error = {0};
    if (letter == 's') {
        sqlite3_str_appendf(to, form, text);
    } else if (letter == 'd') {
        sqlite3_str_appendf(to, "%*lld", atoi(form + 1), sqlite3_value_int64(value));
    } else if (strchr("fgrR", letter)) {
        const char *nothing = letter == 'r' ? "null" : letter == 'R' ? "" : "-";
        int width = *nothing == '-' ? atoi(form + 1) : 0;
        if (*nothing != '-') form = form[1] == '.' ? "%.9g" : "%.6f";
        if (isfinite(number)) snprintf(local, sizeof local, form, number);
        else snprintf(local, sizeof local, "%*s", width, nothing);
        sqlite3_str_appendall(to, local);
    } else if (letter == 'T' || letter == 'N') {
        if (letter == 'N') gsim_text_count(scaled, is_null ? 0 : (uint64_t)sqlite3_value_int64(value));
        else if (!is_null) gsim_text_us(scaled, number);
        sqlite3_str_appendf(to, "%*s", atoi(form + 1), scaled);
    } else {
        if (gsim_output_open_memory(&output, &written, &length, &error)) GSIM_BUG("%s", error.message);
        if (letter == 'P') gsim_output_percent(&output, abs(atoi(form + 1)), number, form[1] == '+');
        else if (letter == 'q') gsim_output_json_string(&output, text);
        else gsim_output_csv_string(&output, text);
        if (gsim_output_commit(&output, &error)) GSIM_BUG("%s", error.message);
        sqlite3_str_append(to, written, (int)length);
        free(written);
    }
}

static void line(sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_str *to = sqlite3_str_new(NULL);
    int next = 1;
    for (const char *at = (const char *)sqlite3_value_text(values[0]); *at; at++) {
        char form[16] = "";
        size_t length = *at == '%' ? strcspn(at + 1, "sdfgPrRqcTN%") + 2 : 1;
        bool is_end = *at == '\\' && at[1] == 'n', is_plain = length == 1 || at[length - 1] == '%';
        GSIM_INVARIANT(length < sizeof form && (is_plain || next < count));
        if (is_plain) sqlite3_str_appendchar(to, 1, is_end ? '\n' : *at);
        else append(to, memcpy(form, at, length), at[length - 1], values[next++]);
        at += is_end ? 1 : length - 1;
    }
    sqlite3_result_text(context, sqlite3_str_finish(to), -1, sqlite3_free);
}

/* --- opening -------------------------------------------------------------------------------------------------- */

static void add_statistics(sqlite3 *db, const struct gsim_statistic *of)
{
    for (; of && of->name; of++)
        if (sqlite3_create_function(db, of->name, of->columns, SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)of, NULL,
                                    add_value, give_statistic) != SQLITE_OK)
            GSIM_BUG("%s", sqlite3_errmsg(db));
}

sqlite3 *gsim_tables_open(const struct gsim_statistic *statistics)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_create_function(db, "line", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, line, NULL, NULL) !=
            SQLITE_OK)
        GSIM_BUG("%s", sqlite3_errmsg(db));
    add_statistics(db, own);
    add_statistics(db, statistics);
    return db;
}

void gsim_tables_close(sqlite3 *db)
{
    for (sqlite3_stmt *kept; db && (kept = sqlite3_next_stmt(db, NULL));) sqlite3_finalize(kept); /* of added rows */
    sqlite3_close(db);
}

/* --- queries -------------------------------------------------------------------------------------------------- */

/* The statement at *SQL, which then is behind it; NULL: there is none. */
static sqlite3_stmt *prepared(sqlite3 *db, const char **sql, const char *end)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, *sql, end ? (int)(end - *sql) : -1, &statement, sql) != SQLITE_OK)
        GSIM_BUG("%s: %.60s", sqlite3_errmsg(db), *sql);
    return statement;
}

static bool step(sqlite3 *db, sqlite3_stmt *statement)
{
    int code = statement ? sqlite3_step(statement) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) GSIM_BUG("%s", sqlite3_errmsg(db));
    return code == SQLITE_ROW;
}

void gsim_tables_put(sqlite3 *db, const char *script, const char *section, struct gsim_output *output)
{
    char mark[40];
    snprintf(mark, sizeof mark, "-- @%s\n", section);
    const char *at = strstr(script, mark), *end = at ? strstr(at + 1, "\n-- @") : NULL;
    if (!at) GSIM_BUG("no section %s", section);
    if (!end) end = script + strlen(script);
    while (at < end) {
        sqlite3_stmt *statement = prepared(db, &at, end);
        for (bool is_first = true; step(db, statement); is_first = false) {
            bool is_between = !is_first && sqlite3_column_count(statement) > 1;
            if (is_between) gsim_output_text(output, (const char *)sqlite3_column_text(statement, 1));
            gsim_output_text(output, (const char *)sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
    }
}

void gsim_tables_numbers(sqlite3 *db, const char *sql, double *numbers, int count)
{
    sqlite3_stmt *statement = prepared(db, &sql, NULL);
    bool is_there = step(db, statement);
    for (int i = 0; i < count; i++)
        numbers[i] = is_there && sqlite3_column_type(statement, i) != SQLITE_NULL ? sqlite3_column_double(statement, i)
                                                                                  : (double)NAN;
    sqlite3_finalize(statement);
}

void gsim_tables_row(sqlite3 *db, const char *table, const char *kinds, ...)
{
    char text[160];
    const char *sql = text;
    va_list list;
    int used = snprintf(text, sizeof text, "INSERT INTO %s VALUES (", table);
    for (size_t i = 0; kinds[i]; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, kinds[i + 1] ? "?," : "?)");
    sqlite3_stmt *insert = sqlite3_next_stmt(db, NULL);
    while (insert && strcmp(sqlite3_sql(insert), text) != 0) insert = sqlite3_next_stmt(db, insert);
    if (!insert) insert = prepared(db, &sql, NULL);
    va_start(list, kinds);
    for (int i = 1; kinds[i - 1]; i++) {
        if (kinds[i - 1] == 's') sqlite3_bind_text(insert, i, va_arg(list, const char *), -1, SQLITE_TRANSIENT);
        else if (kinds[i - 1] == 'u') sqlite3_bind_int64(insert, i, va_arg(list, unsigned));
        else if (kinds[i - 1] == 'z') sqlite3_bind_int64(insert, i, (sqlite3_int64)va_arg(list, uint64_t));
        else sqlite3_bind_double(insert, i, va_arg(list, double));
    }
    va_end(list);
    (void)step(db, insert);
    sqlite3_reset(insert);
}
