/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). Reading a JSON file with errors that name line and column, and saying what was
 * found at a place. What the file means is the caller's business (sim/device/device.c).
 */
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

/* For a program, once: where cJSON has no memory left elsewhere, the process ends by gsim_ends_out_of_memory(). */
void gsim_json_install(void);
/* The parsed file, or NULL with ERROR set: GSIM_INPUT (missing, not JSON) or GSIM_NOMEM. The message does not
 * name the file: callers prefix it. Memory comes from gsim_alloc(). Names and texts are without control characters
 * (sim/base/text.h). */
cJSON *gsim_json_read(const char *path, struct gsim_error *error);
void gsim_json_release(cJSON *json); /* accepts NULL */

/* What stands at ITEM, for error messages: "8" (with quotes), 3.5, true, a list, an object, nothing. */
const char *gsim_json_found(const cJSON *item, char *text, size_t size);

/* GSIM_INPUT: "PLACE: expected EXPECTED, found ITEM". */
enum gsim_status gsim_json_fail(const char *place, const char *expected, const cJSON *item, struct gsim_error *error);
/* OBJECT, at PLACE ("": the file itself), is one; its fields are KNOWN (ends with NULL), and none is given twice. */
enum gsim_status gsim_json_check_keys(const cJSON *object, const char *place, const char *const *known,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* The file is an object of that schema. */
enum gsim_status gsim_json_check_schema(const cJSON *json, const char *schema, struct gsim_error *error) GSIM_NODISCARD;
/* *NUMBER is field KEY of the object at PLACE, LEAST to MOST; FALLBACK where it is absent (NAN: it must be there). */
enum gsim_status gsim_json_read_number(const cJSON *object, const char *place, const char *key, double least,
                                       double most, double fallback, double *number,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* The same of whole numbers. */
enum gsim_status gsim_json_read_count(const cJSON *object, const char *place, const char *key, double least,
                                      double most, double fallback, uint32_t *count,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* The same of a text that is not empty, copied to ARENA. FALLBACK is NULL: it must be there. */
enum gsim_status gsim_json_read_text(const cJSON *object, const char *place, const char *key, const char *fallback,
                                     struct gsim_arena *arena, const char **text,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* The number KEY of OBJECT; NAN: there is none. */
double gsim_json_number(const cJSON *object, const char *key);

/* The first key of OBJECT that stands there a second time, or NULL. */
const char *gsim_json_repeated(const cJSON *object);
