/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Parsing, range checks, formatting and help for parameter tables. The command line reads "--opt
 * NAME=VALUE".
 */
#include "gpusim/params.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void *field_of(const struct gsim_param *row, void *object) { return (char *)object + row->offset; }

static void field_set(const struct gsim_param *row, void *object, double value)
{
    void *field = field_of(row, object);
    switch (row->type) {
    case GSIM_PARAM_BOOL:
        *(bool *)field = value != 0;
        break;
    case GSIM_PARAM_INT:
        *(int64_t *)field = gsim_whole(value);
        break;
    case GSIM_PARAM_REAL:
        *(double *)field = value;
        break;
    case GSIM_PARAM_CHOICE:
        *(int *)field = gsim_whole_int(value);
        break;
    }
}

void gsim_params_set_defaults(const struct gsim_param *table, void *object)
{
    for (const struct gsim_param *row = table; row && row->name; row++) field_set(row, object, row->initial);
}

const struct gsim_param *gsim_params_find(const struct gsim_param *table, const char *name)
{
    for (const struct gsim_param *row = table; row && row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

double gsim_params_get(const struct gsim_param *row, const void *object)
{
    const void *field = (const char *)object + row->offset;
    switch (row->type) {
    case GSIM_PARAM_BOOL:
        return *(const bool *)field;
    case GSIM_PARAM_INT:
        return (double)*(const int64_t *)field;
    case GSIM_PARAM_REAL:
        return *(const double *)field;
    case GSIM_PARAM_CHOICE:
        return *(const int *)field;
    }
    GSIM_BUG("parameter '%s' has no type", row->name);
}

/* --- choices: "a|b|c" ------------------------------------------------------------------------------------ */
/* The text of choice INDEX and its length; NULL past the end. */
static const char *choice_at(const char *choices, int index, size_t *length)
{
    for (const char *at = choices;; at++) {
        size_t span = strcspn(at, "|");
        *length = span;
        if (index-- == 0) return at;
        at += span;
        if (!*at) return NULL;
    }
}

/* By its text or its number. */
static int choice_index(const char *choices, const char *value)
{
    size_t length;
    const char *text;
    char number[16];
    for (int i = 0; (text = choice_at(choices, i, &length)); i++) {
        snprintf(number, sizeof number, "%d", i);
        if ((strlen(value) == length && memcmp(text, value, length) == 0) || strcmp(value, number) == 0) return i;
    }
    return -1;
}

/* --- reading ---------------------------------------------------------------------------------------------- */
static int parse_bool(const char *value)
{
    static const char *const words[2][4] = {{"0", "off", "false", "no"}, {"1", "on", "true", "yes"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 4; i++)
            if (strcasecmp(value, words[truth][i]) == 0) return truth;
    return -1;
}

/* One whole number, decimal, nothing before or behind it. */
static bool parse_int(const char *value, double *out)
{
    char *end;
    if (!*value || strspn(value, "+-0123456789") != strlen(value)) return false;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno || *end || end == value) return false;
    *out = (double)number;
    return true;
}

static bool parse_real(const char *value, double *out)
{
    char *end;
    if (!*value || strspn(value, "+-0123456789.eE") != strlen(value)) return false;
    *out = strtod(value, &end);
    return !*end && end != value && isfinite(*out);
}

/* What a row accepts, in words: "an integer from 1 to 128", "one of a|b". */
static void describe(const struct gsim_param *row, char *text, size_t size)
{
    const char *space = row->unit && *row->unit ? " " : "", *unit = row->unit ? row->unit : "";
    switch (row->type) {
    case GSIM_PARAM_BOOL:
        snprintf(text, size, "on or off");
        break;
    case GSIM_PARAM_INT:
        snprintf(text, size, "an integer from %.15g to %.15g%s%s", row->minimum, row->maximum, space, unit);
        break;
    case GSIM_PARAM_REAL:
        snprintf(text, size, "a number from %.15g to %.15g%s%s", row->minimum, row->maximum, space, unit);
        break;
    case GSIM_PARAM_CHOICE:
        snprintf(text, size, "one of %s", row->choices);
        break;
    }
}

static bool parse(const struct gsim_param *row, const char *value, double *out)
{
    switch (row->type) {
    case GSIM_PARAM_BOOL:
        *out = parse_bool(value);
        return *out >= 0;
    case GSIM_PARAM_CHOICE:
        *out = choice_index(row->choices, value);
        return *out >= 0;
    case GSIM_PARAM_INT:
        return parse_int(value, out) && *out >= row->minimum && *out <= row->maximum;
    case GSIM_PARAM_REAL:
        return parse_real(value, out) && *out >= row->minimum && *out <= row->maximum;
    }
    return false;
}

static enum gsim_status unknown(const struct gsim_param *table, const char *name, struct gsim_error *error)
{
    char known[400];
    size_t length = 0;
    known[0] = '\0';
    for (const struct gsim_param *row = table; row && row->name && length < sizeof(known); row++)
        length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", length ? ", " : "", row->name);
    if (!length) return gsim_error_set(error, GSIM_USAGE, "unknown option '%s': there are no options here", name);
    return gsim_error_set(error, GSIM_USAGE, "unknown option '%s': expected one of %s", name, known);
}

enum gsim_status gsim_params_set(const struct gsim_param *table, void *object, const char *name, const char *value,
                                 struct gsim_error *error)
{
    const struct gsim_param *row = gsim_params_find(table, name);
    if (!row) return unknown(table, name, error);
    double number = 0;
    if (!parse(row, value, &number)) {
        char expected[256];
        describe(row, expected, sizeof(expected));
        return gsim_error_set(error, GSIM_USAGE, "option '%s': expected %s, found \"%s\"", name, expected, value);
    }
    field_set(row, object, number);
    return GSIM_OK;
}

/* --- writing ---------------------------------------------------------------------------------------------- */
static void format_number(const struct gsim_param *row, double value, char *text, size_t size)
{
    size_t length = 0;
    const char *choice;
    switch (row->type) {
    case GSIM_PARAM_BOOL:
        snprintf(text, size, "%s", value != 0 ? "on" : "off");
        break;
    case GSIM_PARAM_CHOICE:
        choice = choice_at(row->choices, gsim_whole_int(value), &length);
        snprintf(text, size, "%.*s", choice ? (int)length : 0, choice ? choice : "");
        break;
    case GSIM_PARAM_INT:
        snprintf(text, size, "%.0f", value);
        break;
    case GSIM_PARAM_REAL:
        snprintf(text, size, "%.15g", value);
        if (strtod(text, NULL) != value) snprintf(text, size, "%.17g", value);
        break;
    }
}

void gsim_params_format(const struct gsim_param *row, const void *object, char *text, size_t size)
{
    format_number(row, gsim_params_get(row, object), text, size);
}

void gsim_params_help(const struct gsim_param *table, FILE *out)
{
    for (const struct gsim_param *row = table; row && row->name; row++) {
        char initial[64], expected[256], head[128];
        format_number(row, row->initial, initial, sizeof(initial));
        describe(row, expected, sizeof(expected));
        snprintf(head, sizeof(head), "%s=%s", row->name, initial);
        fprintf(out, "  %-28s %s (%s)\n", head, row->help, expected);
    }
}
