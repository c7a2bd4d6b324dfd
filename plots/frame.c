/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/frame.h: the table itself, and CSV.
 */
#include "plots/frame.h"
#include "gpusim/order.h"

#include <math.h>

#include "sim/base/scan.h"
#include "sim/base/text.h"
#include "sim/base/gz.h"

#define MAX_LOSSES 8 /* values told of which nothing is left */
#define COLUMNS_MAX 4096 /* they are looked up one after the other */

/* --- cells ------------------------------------------------------------------------------------------------------- */
static struct gsim_frame_column *column_of(struct gsim_frame *frame, const char *name)
{
    if (strcmp(name, "sched") == 0) name = "scheduler";
    for (size_t i = 0; i < frame->column_count; i++)
        if (strcmp(frame->columns[i].name, name) == 0) return &frame->columns[i];
    if (frame->column_count == COLUMNS_MAX) {
        frame->is_too_wide = true;
        return NULL;
    }
    gsim_array_grow(&frame->columns, sizeof *frame->columns, frame->column_count, &frame->column_capacity);
    char *copy = gsim_arena_strdup(&frame->arena, name);
    if (gsim_text_has_control(copy, strlen(copy))) return column_of(frame, gsim_text_clean(copy));
    frame->columns[frame->column_count] = (struct gsim_frame_column){.name = copy};
    return &frame->columns[frame->column_count++];
}

void gsim_frame_begin_row(struct gsim_frame *frame) { frame->row_count++; }

void gsim_frame_set(struct gsim_frame *frame, const char *name, const char *text)
{
    char *end;
    if (!text || !*text) return;
    struct gsim_frame_column *column = column_of(frame, name);
    if (!column) return;
    char *copy = gsim_text_clean(gsim_arena_strdup(&frame->arena, text));
    /* Empty cells up to the last row. */
    size_t rows = frame->row_count;
    while (column->length < rows) {
        gsim_array_grow(&column->texts, sizeof *column->texts, column->length, &column->capacity);
        gsim_array_grow(&column->numbers, sizeof *column->numbers, column->length, &column->number_capacity);
        column->texts[column->length] = NULL;
        column->numbers[column->length++] = NAN;
    }
    double number = strtod(copy, &end);
    column->texts[frame->row_count - 1] = copy;
    column->numbers[frame->row_count - 1] = end != copy && !*end ? number : NAN;
}

void gsim_frame_set_number(struct gsim_frame *frame, const char *column, double value)
{
    char text[40];
    if (!isfinite(value)) return;
    snprintf(text, sizeof text, "%.12g", value);
    gsim_frame_set(frame, column, text);
}

const struct gsim_frame_column *gsim_frame_find(const struct gsim_frame *frame, const char *name)
{
    if (strcmp(name, "sched") == 0) name = "scheduler";
    for (size_t i = 0; i < frame->column_count; i++)
        if (strcmp(frame->columns[i].name, name) == 0) return &frame->columns[i];
    return NULL;
}

const char *gsim_frame_text(const struct gsim_frame_column *column, size_t row)
{
    return column && row < column->length && column->texts[row] ? column->texts[row] : "";
}

double gsim_frame_number(const struct gsim_frame_column *column, size_t row)
{
    return column && row < column->length ? column->numbers[row] : NAN;
}

void gsim_frame_release(struct gsim_frame *frame)
{
    for (size_t i = 0; i < frame->column_count; i++) {
        gsim_free(frame->columns[i].texts);
        gsim_free(frame->columns[i].numbers);
    }
    gsim_free(frame->columns);
    if (frame->failures) gsim_frame_release(frame->failures);
    gsim_free(frame->failures);
    gsim_arena_release(&frame->arena);
    memset(frame, 0, sizeof *frame);
}

enum gsim_status gsim_frame_check(const struct gsim_frame *frame, struct gsim_error *error)
{
    if (frame->is_too_wide)
        return gsim_error_set(error, GSIM_INPUT, "expected at most %d different columns", COLUMNS_MAX);
    return GSIM_OK;
}

/* --- what columns are --- */
bool gsim_frame_is_setting(const char *column)
{
    static const char *const others[] = {
        /* where a row comes from; repetitions differ in seed and repeat alone */
        "id", "key", "sweep", "position", "seed", "repeat", "status", "error", "version", "model", "inputs", "file",
        "done", "run", "split", "checked",
        /* what came out, in the database, the CSV and the JSON of compare, and in reports */
        "kernels", "iterations_run", "repetitions", "speedup_ci95", "streams_used", "events_recorded", "stream_waits",
        "speedup", "speedup_spread", "sm_busy_ratio", "achieved_occupancy", "overlap_ct", "overlap_tc", "overlap_cc",
        "overlap_total", "h2d_bytes", "d2h_bytes", "d2d_bytes", "lower_bound_reason", "limited_by", "limited_by_detail",
        "fairness", "compute_transfer", "transfer_compute", "compute_compute", "total"};
    size_t length = strlen(column);
    if (strchr(column, ',')) return false; /* joined of others */
    static const char *const of_tasks[] = {"mean_us",   "p50_us",     "p90_us", "p99_us", "alone_us",
                                           "slow_down", "per_second", "late",   "served"};
    const char *dot = strrchr(column, '.');
    if (strncmp(column, "requests.", 9) == 0) return false; /* a server's */
    for (size_t i = 0; dot && i < sizeof of_tasks / sizeof of_tasks[0]; i++)
        if (strcmp(dot + 1, of_tasks[i]) == 0) return false;
    if (length > 3 && strcmp(column + length - 3, "_us") == 0 && !strchr(column, '.')) return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(column, others[i]) == 0) return false;
    return true;
}

GSIM_ORDER_TEXTS(by_text)

size_t gsim_frame_distinct(const struct gsim_frame *frame, const struct gsim_frame_column *column)
{
    size_t count = 0, used = 0;
    if (!column) return 0;
    const char **texts = gsim_alloc(sizeof *texts * (frame->row_count + 1));
    for (size_t i = 0; i < frame->row_count; i++) texts[used++] = gsim_frame_text(column, i);
    if (used) qsort(texts, used, sizeof *texts, by_text);
    for (size_t i = 0; i < used; i++) count += i == 0 || strcmp(texts[i], texts[i - 1]) != 0;
    if (used && count == 1 && !*texts[0]) count = 0;
    gsim_free(texts);
    return count;
}

/* --- points that failed ------------------------------------------------------------------------------------------ */
/* TEXT is first in ROW among the column's rows. */
static bool is_first(const struct gsim_frame_column *column, size_t row, const char *text)
{
    for (size_t before = 0; before < row; before++)
        if (strcmp(gsim_frame_text(column, before), text) == 0) return false;
    return true;
}

static bool has_text(const struct gsim_frame *frame, const char *name, const char *text)
{
    const struct gsim_frame_column *column = gsim_frame_find(frame, name);
    for (size_t row = 0; row < frame->row_count; row++)
        if (strcmp(gsim_frame_text(column, row), text) == 0) return true;
    return false;
}

const char *gsim_frame_losses(const struct gsim_frame *frame, struct gsim_arena *arena)
{
    const struct gsim_frame *failures = frame->failures;
    size_t count = failures ? failures->row_count : 0, told = 0;
    if (!count) return NULL;
    const char *text = gsim_arena_printf(arena, "%zu of %zu points failed", count, count + frame->row_count);
    for (size_t c = 0; c < failures->column_count && frame->row_count; c++) {
        const struct gsim_frame_column *column = &failures->columns[c];
        if (!gsim_frame_is_setting(column->name)) continue;
        for (size_t row = 0; row < failures->row_count && text; row++) {
            const char *value = gsim_frame_text(column, row);
            if (!*value || !is_first(column, row, value) || has_text(frame, column->name, value)) continue;
            if (told++ >= MAX_LOSSES) return text;
            text = gsim_arena_printf(arena, "%s%s%s %.80s", text, told > 1 ? ", " : ": nothing is left of ",
                                     column->name, value);
        }
    }
    return text;
}

/* --- CSV (RFC 4180) ---------------------------------------------------------------------------------------------- */
/* The next field, decoded in place and ended with a NUL; *AT is behind it. False at the end of a line, which is
 * passed. */
static bool next_field(char **at, char **field, bool *more)
{
    char *read = *at, *write = *at;
    if (!*more) return false;
    *field = read;
    if (*read == '"') {
        for (read++; *read && !(read[0] == '"' && read[1] != '"'); read++) {
            if (*read == '"') read++;
            *write++ = *read;
        }
        if (*read == '"') read++;
    } else {
        while (*read && *read != ',' && *read != '\n' && *read != '\r') *write++ = *read++;
    }
    while (*read && *read != ',' && *read != '\n') read++; /* what follows a closing quote, and CR */
    *more = *read == ',';
    *at = *read ? read + 1 : read;
    *write = '\0';
    if ((*field)[0] == '\'' && (*field)[1] && strchr("=+-@", (*field)[1]))
        (*field)++; /* as gsim_output_csv_string() wrote it */
    return true;
}

static enum gsim_status read_csv(struct gsim_frame *frame, char *text, struct gsim_error *error)
{
    const char **names = NULL;
    size_t count = 0, capacity = 0, line = 1;
    char *at = text, *field;
    enum gsim_status status = GSIM_OK;
    for (bool more = true; next_field(&at, &field, &more);) {
        (void)GSIM_APPEND(names, count, capacity, field);
    }
    if (count < 2 || !*names[0] || strspn(names[0], "0123456789.-") == strlen(names[0]))
        status = gsim_error_set(error, GSIM_INPUT,
                                "expected results: a database of gpusim sweep, a report, or CSV with a head line");
    while (*at && status == GSIM_OK) {
        size_t found = 0;
        line++;
        gsim_frame_begin_row(frame);
        for (bool more = true; next_field(&at, &field, &more); found++)
            if (found < count) gsim_frame_set(frame, names[found], field);
        if (found != count)
            status = gsim_error_set(error, GSIM_INPUT, "line %zu: expected %zu fields as in the head line, found %zu",
                                    line, count, found);
    }
    gsim_free(names);
    return status;
}

enum gsim_status gsim_frame_read(struct gsim_frame *frame, const char *path, struct gsim_error *error)
{
    static const char sqlite_magic[] = "SQLite format 3";
    size_t length = 0;
    enum gsim_status status;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "cannot read '%s'", path);
    if (length >= sizeof sqlite_magic && memcmp(text, sqlite_magic, sizeof sqlite_magic) == 0) {
        gsim_free(text);
        return gsim_frame_read_db(frame, path, error); /* names the file itself */
    }
    if (*gsim_scan_start(text) == '{') {
        status = gsim_scan_check(text, length, error);
        if (status == GSIM_OK) status = gsim_frame_read_json(frame, text, error);
    } else {
        status = read_csv(frame, text, error);
    }
    gsim_free(text);
    if (status == GSIM_OK) status = gsim_frame_check(frame, error);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}
