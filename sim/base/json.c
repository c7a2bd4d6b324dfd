/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). See sim/base/json.h. The parser is cJSON.
 */
#include "sim/base/json.h"
#include "gpusim/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ends.h"
#include "sim/base/gz.h"
#include "sim/base/text.h"

#define LARGEST_FILE_BYTES (64u * 1024u * 1024u) /* keeps out /dev/zero */

#define FEW_MEMBERS 32

/* cJSON answers NULL both for bad text and for lack of memory, and its hooks take no argument. */
static _Thread_local int out_of_memory;

/* Of a program, for those who call cJSON by themselves: NULL for lack of memory would look like bad text. */
static void *alloc_or_end(size_t size)
{
    void *memory = malloc(size);
    if (!memory) gsim_ends_out_of_memory();
    return memory;
}

static bool is_program;

static void restore_hooks(void)
{
    cJSON_Hooks hooks = {.malloc_fn = alloc_or_end, .free_fn = free};
    cJSON_InitHooks(is_program ? &hooks : NULL);
}

void gsim_json_install(void)
{
    is_program = true;
    restore_hooks();
}

static void *parser_alloc(size_t size)
{
    void *memory = gsim_alloc(size);
    if (!memory) out_of_memory = 1;
    return memory;
}

static void set_syntax_error(const char *text, size_t length, const char *at, struct gsim_error *error)
{
    size_t line = 1, column = 1;
    const char *end = text + length;
    if (at < text || at > end) at = end;
    for (const char *c = text; c < at; c++) {
        column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    if (at == end)
        gsim_error_set(error, GSIM_INPUT, "line %zu, column %zu: not JSON: the file ends too early", line, column);
    else if (*at < ' ' || *at > '~')
        gsim_error_set(error, GSIM_INPUT, "line %zu, column %zu: not JSON", line, column);
    else
        gsim_error_set(error, GSIM_INPUT, "line %zu, column %zu: not JSON: unexpected '%c'", line, column, *at);
}

/* Names and texts get into messages, tables and reports. The parser holds nesting to a thousand. */
static void clean(cJSON *items)
{
    for (cJSON *item = items; item; item = item->next) {
        if (item->string) gsim_text_clean(item->string);
        if (item->valuestring) gsim_text_clean(item->valuestring);
        if (item->child) clean(item->child);
    }
}

cJSON *gsim_json_read(const char *path, struct gsim_error *error)
{
    size_t length = 0;
    char *text = gsim_file_read_most(path, LARGEST_FILE_BYTES, &length, error);
    if (!text) return NULL;
    cJSON_Hooks hooks = {.malloc_fn = parser_alloc, .free_fn = gsim_free};
    const char *at = text;
    out_of_memory = 0;
    cJSON_InitHooks(&hooks);
    cJSON *json = cJSON_ParseWithLengthOpts(text, length + 1, &at, 1);
    restore_hooks();
    if (!json && out_of_memory)
        (void)gsim_no_memory(error);
    else if (!json)
        set_syntax_error(text, length, at, error);
    gsim_free(text);
    if (json) clean(json);
    return json;
}

void gsim_json_release(cJSON *json)
{
    cJSON_Hooks hooks = {.malloc_fn = parser_alloc, .free_fn = gsim_free};
    cJSON_InitHooks(&hooks);
    cJSON_Delete(json);
    restore_hooks();
}

const char *gsim_json_found(const cJSON *item, char *text, size_t size)
{
    if (!item) return "nothing";
    if (cJSON_IsString(item))
        snprintf(text, size, strlen(item->valuestring) > 60 ? "\"%.60s...\"" : "\"%s\"", item->valuestring);
    else if (cJSON_IsNumber(item))
        snprintf(text, size, "%.15g", item->valuedouble);
    else if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? "true" : "false";
    else if (cJSON_IsArray(item))
        return "a list";
    else
        return cJSON_IsObject(item) ? "an object" : "null";
    return text;
}

GSIM_ORDER_AT(by_name, cJSON, GSIM_TEXT(string))

/* Sorted, so that a million members cost no more than their sorting; without memory for that each is looked up. */
const char *gsim_json_repeated(const cJSON *object)
{
    const cJSON *child;
    const char *repeated = NULL;
    size_t count = 0;
    if (!cJSON_IsObject(object)) return NULL;
    cJSON_ArrayForEach(child, object) count++;
    const cJSON **sorted = count > FEW_MEMBERS ? gsim_alloc(count * sizeof(*sorted)) : NULL;
    if (!sorted) {
        cJSON_ArrayForEach(child, object) if (cJSON_GetObjectItemCaseSensitive(object, child->string) !=
                                              child) return child->string;
        return NULL;
    }
    count = 0;
    cJSON_ArrayForEach(child, object) sorted[count++] = child;
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 1; i < count && !repeated; i++)
        if (strcmp(sorted[i - 1]->string, sorted[i]->string) == 0) repeated = sorted[i]->string;
    gsim_free(sorted);
    return repeated;
}

enum gsim_status gsim_json_fail(const char *place, const char *expected, const cJSON *item, struct gsim_error *error)
{
    char found[96];
    return gsim_error_set(error, GSIM_INPUT, "%s: expected %s, found %s", place, expected,
                          gsim_json_found(item, found, sizeof found));
}

enum gsim_status gsim_json_check_keys(const cJSON *object, const char *place, const char *const *known,
                                      struct gsim_error *error)
{
    const char *dot = *place ? "." : "", *repeated = gsim_json_repeated(object);
    const cJSON *child;
    char expected[320] = "an object with ";
    const char *const list = expected + strlen(expected);
    for (int i = 0; known[i]; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s", i ? ", " : "", known[i]);
    if (!cJSON_IsObject(object)) return gsim_json_fail(*place ? place : "top level", expected, object, error);
    cJSON_ArrayForEach(child, object)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], child->string) != 0) i++;
        if (!known[i])
            return gsim_error_set(error, GSIM_INPUT, "%s%s%.60s: unknown field, expected one of %s", place, dot,
                                  child->string, list);
    }
    return repeated ? gsim_error_set(error, GSIM_INPUT, "%s%s%s: given twice", place, dot, repeated) : GSIM_OK;
}

enum gsim_status gsim_json_check_schema(const cJSON *json, const char *schema, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "schema");
    char quoted[64];
    if (!cJSON_IsObject(json)) return gsim_json_fail("top level", "an object", json, error);
    if (cJSON_IsString(item) && strcmp(item->valuestring, schema) == 0) return GSIM_OK;
    snprintf(quoted, sizeof quoted, "\"%s\"", schema);
    return gsim_json_fail("schema", quoted, item, error);
}

static enum gsim_status fail_field(const char *place, const char *key, const char *expected, const cJSON *item,
                                   struct gsim_error *error)
{
    char where[160];
    snprintf(where, sizeof where, "%s%s%s", place, *place ? "." : "", key);
    return gsim_json_fail(where, expected, item, error);
}

enum gsim_status gsim_json_read_number(const cJSON *object, const char *place, const char *key, double least,
                                       double most, double fallback, double *number, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    char expected[80];
    *number = fallback;
    if (!item && !isnan(fallback)) return GSIM_OK;
    snprintf(expected, sizeof expected, "a number from %g to %g", least, most);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
        return fail_field(place, key, expected, item, error);
    *number = item->valuedouble;
    return GSIM_OK;
}

enum gsim_status gsim_json_read_count(const cJSON *object, const char *place, const char *key, double least,
                                      double most, double fallback, uint32_t *count, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    double number = item ? gsim_json_number(object, key) : fallback;
    char expected[80];
    snprintf(expected, sizeof expected, "an integer from %.0f to %.0f", least, most);
    if (number != floor(number) || isnan(number) || (item && (number < least || number > most)))
        return fail_field(place, key, expected, item, error);
    *count = gsim_whole_u32(number);
    return GSIM_OK;
}

enum gsim_status gsim_json_read_text(const cJSON *object, const char *place, const char *key, const char *fallback,
                                     struct gsim_arena *arena, const char **text, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *text = fallback;
    if (!item && fallback) return GSIM_OK;
    if (!cJSON_IsString(item) || !*item->valuestring) return fail_field(place, key, "a text", item, error);
    *text = gsim_arena_strdup(arena, item->valuestring);
    return *text ? GSIM_OK : gsim_no_memory(error);
}

double gsim_json_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}
