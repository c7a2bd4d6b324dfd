/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). Reads a JSON file. Errors name line and column, or the place and what was found there.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

/* Makes cJSON call gsim_ends_out_of_memory() when memory is out. For a program, once. */
void gsim_json_install(void);
/* Parses a file, in memory of gsim_alloc(). Names and texts have no control characters (sim/base/text.h). NULL: ERROR
 * is set, GSIM_INPUT (missing, not JSON) or GSIM_NOMEM, without the path, which callers prefix. */
cJSON *gsim_json_read(const char *path, struct gsim_error *error);
void gsim_json_release(cJSON *json); /* accepts NULL */

/* Writes what ITEM is to TEXT and returns it, for messages: "8" (with quotes), 3.5, true, a list, an object,
 * nothing. */
const char *gsim_json_found(const cJSON *item, char *text, size_t size);

/* Fails with GSIM_INPUT: "PLACE: expected EXPECTED, found ITEM". */
enum gsim_status gsim_json_fail(const char *place, const char *expected, const cJSON *item, struct gsim_error *error);
/* Checks that OBJECT, at PLACE ("": the file), is an object with fields of KNOWN (ends with NULL), none repeated. */
enum gsim_status gsim_json_check_keys(const cJSON *object, const char *place, const char *const *known,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* Checks that the file is an object of SCHEMA. */
enum gsim_status gsim_json_check_schema(const cJSON *json, const char *schema, struct gsim_error *error) GSIM_NODISCARD;
/* Reads field KEY of the object at PLACE, from LEAST to MOST, into *NUMBER. Absent: FALLBACK, or an error if that is
 * NAN. */
enum gsim_status gsim_json_read_number(const cJSON *object, const char *place, const char *key, double least,
                                       double most, double fallback, double *number,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* The same for whole numbers. */
enum gsim_status gsim_json_read_count(const cJSON *object, const char *place, const char *key, double least,
                                      double most, double fallback, uint32_t *count,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* The same for a text that is not empty, copied to ARENA. Absent: FALLBACK, or an error if that is NULL. */
enum gsim_status gsim_json_read_text(const cJSON *object, const char *place, const char *key, const char *fallback,
                                     struct gsim_arena *arena, const char **text,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Returns the number KEY of OBJECT; NAN: there is none. */
double gsim_json_number(const cJSON *object, const char *key);

/* Returns the first repeated key of OBJECT; NULL: none. */
const char *gsim_json_repeated(const cJSON *object);
