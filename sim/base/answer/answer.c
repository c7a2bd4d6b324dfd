/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpusim/answer.h and sim/base/answer/answer.h. */
#include "sim/base/answer/answer.h"

#include <math.h>
#include <string.h>

#include "sim/base/text.h"

#define CELL         128
#define MAX_COLUMNS 100

void gsim_answer_begin(struct gsim_answer *a, const struct gsim_answer_column *columns)
{
    *a = (struct gsim_answer){.columns = columns};
    while (columns[a->column_count].name) a->column_count++;
}

union gsim_value *gsim_answer_row(struct gsim_answer *a)
{
    if (gsim_array_grow(&a->values, sizeof *a->values * a->column_count, a->row_count, &a->room)) a->arena.failed = 1;
    return a->arena.failed ? NULL : &a->values[a->row_count++ * a->column_count];
}

void gsim_answer_add(struct gsim_answer *a, ...)
{
    va_list list;
    union gsim_value *row = gsim_answer_row(a);
    va_start(list, a);
    for (size_t i = 0; i < a->column_count && row; i++)
        switch (a->columns[i].type) {
        case GSIM_VALUE_TEXT: row[i].text = gsim_arena_strdup(&a->arena, va_arg(list, const char *)); break;
        case GSIM_VALUE_COUNT: row[i].count = va_arg(list, uint64_t); break;
        case GSIM_VALUE_BOOL: row[i].truth = va_arg(list, int); break;
        case GSIM_VALUE_REAL: case GSIM_VALUE_NUMBER: row[i].real = va_arg(list, double); break;
        case GSIM_VALUE_TIME: row[i].time = va_arg(list, gsim_time); break;
        }
    va_end(list);
}

void gsim_answer_release(struct gsim_answer *a)
{
    gsim_free(a->values);
    gsim_arena_release(&a->arena);
    *a = (struct gsim_answer){0};
}

static void put_value(struct gsim_output *out, enum gsim_value_type type, union gsim_value value, bool is_csv)
{
    bool is_none = type == GSIM_VALUE_TEXT ? !value.text
                   : type == GSIM_VALUE_REAL || type == GSIM_VALUE_NUMBER ? !isfinite(value.real) : false;
    if (is_none) {
        gsim_output_text(out, is_csv ? "" : "null");
        return;
    }
    switch (type) {
    case GSIM_VALUE_TEXT: gsim_output_put(out, is_csv ? "%c" : "%q", value.text); break;
    case GSIM_VALUE_COUNT: gsim_output_put(out, "%z", value.count); break;
    case GSIM_VALUE_BOOL: gsim_output_put(out, is_csv ? "%d" : "%b", value.truth); break;
    case GSIM_VALUE_REAL: gsim_output_real(out, value.real); break;
    case GSIM_VALUE_NUMBER: gsim_output_put(out, "%e", value.real); break;
    case GSIM_VALUE_TIME: gsim_output_time_us(out, value.time); break;
    }
}

void gsim_answer_csv(const void *what, struct gsim_output *out)
{
    const struct gsim_answer *a = what;
    for (uint32_t i = 0; i < a->column_count; i++)
        if (!a->columns[i].is_detail) gsim_output_put(out, "%s%c", i ? "," : "", a->columns[i].name);
    for (size_t at = 0; at < a->row_count * a->column_count; at++) {
        uint32_t i = (uint32_t)(at % a->column_count);
        if (!a->columns[i].is_detail) gsim_output_text(out, i ? "," : "\n");
        if (!a->columns[i].is_detail) put_value(out, a->columns[i].type, a->values[at], true);
    }
    gsim_output_text(out, "\n");
}

void gsim_answer_rows(const struct gsim_answer *a, size_t first, struct gsim_output *out)
{
    gsim_output_text(out, "[");
    for (size_t at = first * a->column_count; at < a->row_count * a->column_count; at++) {
        uint32_t i = (uint32_t)(at % a->column_count);
        bool is_first = at == first * a->column_count;
        gsim_output_put(out, "%s%q: ", i ? ", " : is_first ? "\n    {" : ",\n    {", a->columns[i].name);
        put_value(out, a->columns[i].type, a->values[at], false);
        if (i + 1 == a->column_count) gsim_output_text(out, "}");
    }
    gsim_output_text(out, "\n  ]");
}

void gsim_answer_members(const struct gsim_answer *a, struct gsim_output *out)
{
    gsim_output_put(out, "'columns': [");
    for (uint32_t i = 0; i < a->column_count; i++)
        gsim_output_put(out, "%s{'name': %q, 'unit': '%s'}", i ? ", " : "", a->columns[i].name, a->columns[i].unit);
    gsim_output_put(out, "],\n  'rows': ");
    gsim_answer_rows(a, 0, out);
}

void gsim_answer_json(const void *what, struct gsim_output *out)
{
    gsim_output_put(out, "{\n  'schema': 'gpusim-answer/1',\n  ");
    gsim_answer_members(what, out);
    gsim_output_text(out, "\n}\n");
}

/* --- text --- */
static const char *cell_of(const struct gsim_answer *a, size_t row, size_t column, const char *format,
                           char text[CELL])
{
    const union gsim_value v = a->values[row * a->column_count + column];
    enum gsim_value_type type = a->columns[column].type;
    if (type == GSIM_VALUE_TEXT) return gsim_text_fit(text, CELL, v.text ? v.text : "-", MAX_COLUMNS);
    if (type == GSIM_VALUE_BOOL) return v.truth ? "yes" : "no";
    double real = type == GSIM_VALUE_TIME    ? gsim_time_us(v.time)
                  : type == GSIM_VALUE_COUNT ? (double)v.count
                                             : v.real;
    if (!isfinite(real)) return "-";
    if (format && strcmp(format, "us") == 0) return gsim_text_us(text, real);
    snprintf(text, CELL, format ? format : type == GSIM_VALUE_COUNT ? "%.0f" : "%.6g", real);
    return text;
}

void gsim_answer_look(const struct gsim_answer *a, const struct gsim_look *look, size_t rows, struct gsim_output *out)
{
    uint32_t count = 0;
    while (look[count].column) count++;
    size_t *widths = gsim_alloc(2 * (size_t)count * sizeof *widths), *columns = widths ? widths + count : NULL;
    char text[CELL];
    if (!widths) out->failed = true;
    for (uint32_t c = 0; c < count && widths; c++) {
        widths[c] = strlen(look[c].head);
        while (strcmp(a->columns[columns[c]].name, look[c].column) != 0) columns[c]++;
        for (size_t r = 0; r < rows; r++) {
            size_t length = strlen(cell_of(a, r, columns[c], look[c].format, text));
            if (length > widths[c]) widths[c] = length;
        }
    }
    for (size_t r = 0; r <= rows && widths; r++)
        for (uint32_t c = 0; c < count; c++) {
            const char *shown = r ? cell_of(a, r - 1, columns[c], look[c].format, text) : look[c].head;
            bool is_left = a->columns[columns[c]].type == GSIM_VALUE_TEXT, is_last = c + 1 == count;
            if (is_left) gsim_output_printf(out, "%-*s", is_last ? 0 : (int)widths[c], shown);
            else gsim_output_printf(out, "%*s", (int)widths[c], shown);
            gsim_output_text(out, is_last ? "\n" : "  ");
        }
    gsim_free(widths);
}
