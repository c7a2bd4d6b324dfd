/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a results file as a table, and cells. See sweep/columns.def. */
#include <math.h>

#include "sweep/store.h"

static const struct {
    const char *name, *unit, *help;
    enum gsim_cell_type type;
} columns[GSIM_COLUMN_COUNT] = {
#define X(column_name, column_type, column_unit, column_help)                                                          \
    {.name = #column_name, .type = GSIM_CELL_##column_type, .unit = column_unit, .help = column_help},
#include "sweep/columns.def"
#undef X
};

const char *gsim_column_name(enum gsim_column column) { return columns[column].name; }

const char *gsim_column_unit(enum gsim_column column) { return columns[column].unit; }

const char *gsim_column_help(enum gsim_column column) { return columns[column].help; }

enum gsim_cell_type gsim_column_type(enum gsim_column column) { return columns[column].type; }

enum gsim_column gsim_column_find(const char *name)
{
    int i = 0;
    while (i < GSIM_COLUMN_COUNT && strcmp(columns[i].name, name) != 0) i++;
    return (enum gsim_column)i;
}

struct gsim_cell gsim_cell_integer(int64_t value)
{
    return (struct gsim_cell){.type = GSIM_CELL_INTEGER, .integer = value, .real = (double)value};
}

struct gsim_cell gsim_cell_real(double value)
{
    if (!isfinite(value)) return (struct gsim_cell){.type = GSIM_CELL_NULL};
    return (struct gsim_cell){.type = GSIM_CELL_REAL, .real = value};
}

struct gsim_cell gsim_cell_text(const char *text)
{
    if (!text) return (struct gsim_cell){.type = GSIM_CELL_NULL};
    return (struct gsim_cell){.type = GSIM_CELL_TEXT, .text = text};
}

bool gsim_cell_is_same(const struct gsim_cell *left, const struct gsim_cell *right)
{
    bool is_text = left->type == GSIM_CELL_TEXT, is_null = left->type == GSIM_CELL_NULL;
    if (is_text != (right->type == GSIM_CELL_TEXT) || is_null != (right->type == GSIM_CELL_NULL)) return false;
    return is_text ? strcmp(left->text, right->text) == 0 : is_null || left->real == right->real;
}
