/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. Parameter tables: a row for each option of a scheduler, a workload or the GPU model. Parsing, defaults,
 * range checks, --help and the report's "options" come from the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_param_type {
    GSIM_PARAM_BOOL,   /* bool; 0/1, on/off, true/false, yes/no */
    GSIM_PARAM_INT,    /* int64_t */
    GSIM_PARAM_REAL,   /* double */
    GSIM_PARAM_CHOICE, /* int, index into choices */
};

struct gsim_param {
    const char *name;
    enum gsim_param_type type;
    size_t offset;         /* of the field in the parameter struct */
    double initial;        /* default value; index for choices */
    double minimum, maximum;
    const char *unit;      /* "" for none */
    const char *choices;   /* "a|b|c" for GSIM_PARAM_CHOICE */
    const char *help;      /* one line */
};

/* Rows of parameters named as FIELD of TYPE. GSIM_CHOICE: LAST is the index of the last of CHOICES. */
#define GSIM_REAL(type, field, initial, least, most, unit, help) \
    {#field, GSIM_PARAM_REAL, offsetof(type, field), initial, least, most, unit, NULL, help}
#define GSIM_INT(type, field, initial, least, most, unit, help) \
    {#field, GSIM_PARAM_INT, offsetof(type, field), initial, least, most, unit, NULL, help}
#define GSIM_BOOL(type, field, initial, help) \
    {#field, GSIM_PARAM_BOOL, offsetof(type, field), initial, 0, 1, "", NULL, help}
#define GSIM_CHOICE(type, field, initial, last, choices, help) \
    {#field, GSIM_PARAM_CHOICE, offsetof(type, field), initial, 0, last, "", choices, help}
/* Two members of a table of functions: the struct TYPE of the parameters, and their rows. */
#define GSIM_PARAMS(type, ...) \
    .params_size = sizeof(type), .params = (const struct gsim_param[]){__VA_ARGS__, {.name = NULL}}

/* Fills OBJECT with the defaults of TABLE, which ends with a row whose name is NULL. A NULL table has no parameters. */
void gsim_params_set_defaults(const struct gsim_param *table, void *object);
/* Returns the row of parameter NAME; NULL: there is none. */
const struct gsim_param *gsim_params_find(const struct gsim_param *table, const char *name);
/* Sets parameter NAME of OBJECT. GSIM_USAGE: the message says what was found and what was expected. */
enum gsim_status gsim_params_set(const struct gsim_param *table, void *object, const char *name,
                                 const char *value, struct gsim_error *error) GSIM_NODISCARD;
/* Returns the value as a number; a choice's index. */
double gsim_params_get(const struct gsim_param *row, const void *object);
/* Writes the value to TEXT as gsim_params_set() reads it. */
void gsim_params_format(const struct gsim_param *row, const void *object, char *text, size_t size);
void gsim_params_help(const struct gsim_param *table, FILE *out);

GSIM_DECLARATIONS_END
