/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpusim/answer.h and sim/base/answer.h. */
#include "sim/base/answer.h"

#include <math.h>

#include "sim/base/text.h"

#define TEXT_WIDTH   26
#define NUMBER_WIDTH 14

void gsim_answer_begin(struct gsim_answer *a, const struct gsim_answer_column *columns)
{
    *a = (struct gsim_answer){.columns = columns};
    while (columns[a->column_count].name) a->column_count++;
}

void gsim_answer_add(struct gsim_answer *a, ...)
{
    va_list list;
    size_t columns = a->column_count;
    if (gsim_array_grow(&a->values, sizeof *a->values * columns, a->row_count, &a->room)) a->arena.failed = 1;
    if (a->arena.failed) return;
    union gsim_value *row = &a->values[a->row_count * columns];
    va_start(list, a);
    for (size_t i = 0; i < columns; i++)
        switch (a->columns[i].type) {
        case GSIM_VALUE_TEXT: row[i].text = gsim_arena_strdup(&a->arena, va_arg(list, const char *)); break;
        case GSIM_VALUE_COUNT: row[i].count = va_arg(list, uint64_t); break;
        case GSIM_VALUE_BOOL: row[i].truth = va_arg(list, int); break;
        case GSIM_VALUE_REAL: row[i].real = va_arg(list, double); break;
        case GSIM_VALUE_TIME: row[i].time = va_arg(list, gsim_time); break;
        }
    va_end(list);
    a->row_count += !a->arena.failed;
}

void gsim_answer_release(struct gsim_answer *a)
{
    gsim_free(a->values);
    gsim_arena_release(&a->arena);
    *a = (struct gsim_answer){0};
}

static void put_value(struct gsim_output *out, enum gsim_value_type type, union gsim_value value, bool is_csv)
{
    switch (type) {
    case GSIM_VALUE_TEXT: gsim_output_put(out, is_csv ? "%c" : "%q", value.text); break;
    case GSIM_VALUE_COUNT: gsim_output_put(out, "%z", value.count); break;
    case GSIM_VALUE_BOOL: gsim_output_put(out, is_csv ? "%d" : "%b", value.truth); break;
    case GSIM_VALUE_REAL:
        if (!is_csv || isfinite(value.real)) gsim_output_real(out, value.real);
        break;
    case GSIM_VALUE_TIME: gsim_output_time_us(out, value.time); break;
    }
}

void gsim_answer_csv(const void *what, struct gsim_output *out)
{
    const struct gsim_answer *a = what;
    for (uint32_t i = 0; i < a->column_count; i++)
        if (!a->columns[i].is_detail) gsim_output_put(out, "%s%s", i ? "," : "", a->columns[i].name);
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
        gsim_output_put(out, "%s'%s': ", i ? ", " : is_first ? "\n    {" : ",\n    {", a->columns[i].name);
        put_value(out, a->columns[i].type, a->values[at], false);
        if (i + 1 == a->column_count) gsim_output_text(out, "}");
    }
    gsim_output_text(out, "\n  ]");
}

void gsim_answer_json(const void *what, struct gsim_output *out)
{
    const struct gsim_answer *a = what;
    gsim_output_put(out, "{\n  'schema': 'gpusim-answer/1',\n  'columns': [");
    for (uint32_t i = 0; i < a->column_count; i++)
        gsim_output_put(out, "%s{'name': '%s', 'unit': '%s'}", i ? ", " : "", a->columns[i].name, a->columns[i].unit);
    gsim_output_put(out, "],\n  'rows': ");
    gsim_answer_rows(a, 0, out);
    gsim_output_text(out, "\n}\n");
}

void gsim_answer_text(const void *what, struct gsim_output *out)
{
    const struct gsim_answer *a = what;
    for (uint32_t i = 0; i < a->column_count; i++)
        gsim_output_printf(out, a->columns[i].type == GSIM_VALUE_TEXT ? "%-*s " : "%*s ",
                           a->columns[i].type == GSIM_VALUE_TEXT ? TEXT_WIDTH : NUMBER_WIDTH, a->columns[i].name);
    gsim_output_text(out, "\n");
    for (size_t at = 0; at < a->row_count * a->column_count; at++) {
        uint32_t i = (uint32_t)(at % a->column_count);
        char text[TEXT_WIDTH + 8];
        union gsim_value value = a->values[at];
        switch (a->columns[i].type) {
        case GSIM_VALUE_TEXT:
            gsim_output_printf(out, "%-*s ", TEXT_WIDTH, gsim_text_fit(text, sizeof text, value.text, TEXT_WIDTH));
            break;
        case GSIM_VALUE_COUNT: gsim_output_printf(out, "%*llu ", NUMBER_WIDTH, (unsigned long long)value.count); break;
        case GSIM_VALUE_BOOL: gsim_output_printf(out, "%*s ", NUMBER_WIDTH, value.truth ? "yes" : "no"); break;
        case GSIM_VALUE_REAL:
            if (isfinite(value.real)) gsim_output_printf(out, "%*.3f ", NUMBER_WIDTH, value.real);
            else gsim_output_printf(out, "%*s ", NUMBER_WIDTH, "-");
            break;
        case GSIM_VALUE_TIME: gsim_output_printf(out, "%*.3f ", NUMBER_WIDTH, gsim_time_us(value.time)); break;
        }
        if (i + 1 == a->column_count) gsim_output_text(out, "\n");
    }
}
