/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spec from its file, and back: the schema gpusim-sweep/1. Its meaning: sweep/spec.h. */
#include <cjson/cJSON.h>
#include <math.h>

#include "sim/base/json.h"
#include "sim/base/text.h"
#include "sweep/spec.h"

/* A number or a string as the command line would take it; NULL for anything else. */
static const char *scalar_text(struct gsim_spec *spec, const cJSON *item)
{
    if (cJSON_IsString(item)) return item->valuestring;
    if (cJSON_IsNumber(item)) return gsim_arena_printf(&spec->arena, "%.15g", item->valuedouble);
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "on" : "off";
    return NULL;
}

/* The elements of a list with commas between them. */
static enum gsim_status join(struct gsim_spec *spec, const cJSON *list, const char **joined, struct gsim_error *error)
{
    const cJSON *item;
    size_t length = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *value = scalar_text(spec, item);
        if (!value) return gsim_json_fail(list->string, "a number or a string", item, error);
        if (strchr(value, ',') || !*value)
            return gsim_error_set(error, GSIM_INPUT, "%s: expected values without commas, found \"%s\"", list->string,
                                  value);
        length += strlen(value) + 1;
    }
    char *text = gsim_arena_alloc(&spec->arena, length + 1), *at = text;
    cJSON_ArrayForEach(item, list)
    {
        const char *value = scalar_text(spec, item);
        size_t bytes = value ? strlen(value) : 0;
        if (at > text) *at++ = ',';
        if (value) memcpy(at, value, bytes);
        at += bytes;
    }
    *joined = text;
    return GSIM_OK;
}

/* "NAME=A,B,C" of a member: a scalar, or a list of them. */
static enum gsim_status member_text(struct gsim_spec *spec, const cJSON *member, const char **text,
                                    struct gsim_error *error)
{
    const char *joined = NULL;
    if (cJSON_IsArray(member) && member->child) {
        enum gsim_status status = join(spec, member, &joined, error);
        if (status != GSIM_OK) return status;
    } else {
        joined = scalar_text(spec, member);
        if (!joined) return gsim_json_fail(member->string, "values: a list, a string or a number", member, error);
    }
    *text = gsim_arena_printf(&spec->arena, "%s=%s", member->string, joined);
    return GSIM_OK;
}

/* Each member of a field that is an object. */
static enum gsim_status read_members(struct gsim_spec *spec, const cJSON *object, const char *expected,
                                     enum gsim_status (*read)(struct gsim_spec *, const cJSON *, struct gsim_error *),
                                     struct gsim_error *error)
{
    const cJSON *item;
    if (!cJSON_IsObject(object)) return gsim_json_fail(object->string, expected, object, error);
    cJSON_ArrayForEach(item, object)
    {
        if (read(spec, item, error) != GSIM_OK) return gsim_error_prefix(error, "%s", object->string);
    }
    return GSIM_OK;
}

static enum gsim_status read_option(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    const char *text = scalar_text(spec, item);
    return text ? gsim_spec_fix(spec, item->string, text, error)
                : gsim_json_fail(item->string, "a number, a string, true or false", item, error);
}

static enum gsim_status read_options(struct gsim_spec *spec, const cJSON *options, struct gsim_error *error)
{
    return read_members(spec, options, "an object", read_option, error);
}

static enum gsim_status read_axis(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    const char *text;
    enum gsim_status status = member_text(spec, item, &text, error);
    return status == GSIM_OK ? gsim_spec_vary(spec, text, error) : status;
}

static enum gsim_status read_vary(struct gsim_spec *spec, const cJSON *vary, struct gsim_error *error)
{
    return read_members(spec, vary, "an object of names and values", read_axis, error);
}

static enum gsim_status read_paired(struct gsim_spec *spec, const cJSON *paired, struct gsim_error *error)
{
    const cJSON *group, *item;
    enum gsim_status status = GSIM_OK;
    if (!cJSON_IsArray(paired)) return gsim_json_fail("paired", "a list of objects", paired, error);
    cJSON_ArrayForEach(group, paired)
    {
        const char *all = "";
        if (!cJSON_IsObject(group)) return gsim_json_fail("paired", "objects of names and lists", group, error);
        cJSON_ArrayForEach(item, group)
        {
            const char *text;
            status = member_text(spec, item, &text, error);
            if (status != GSIM_OK) return gsim_error_prefix(error, "paired");
            if (strpbrk(text, " \t\n"))
                return gsim_error_set(error, GSIM_INPUT, "paired: %s: expected values without spaces", item->string);
            all = gsim_arena_printf(&spec->arena, "%s %s", all, text);
        }
        status = gsim_spec_pair(spec, all, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "paired");
    }
    return status;
}

static enum gsim_status read_where(struct gsim_spec *spec, const cJSON *where, struct gsim_error *error)
{
    const cJSON *item;
    enum gsim_status status = GSIM_OK;
    if (cJSON_IsString(where)) return gsim_spec_add_where(spec, where->valuestring, error);
    if (!cJSON_IsArray(where)) return gsim_json_fail("where", "a condition or a list of conditions", where, error);
    cJSON_ArrayForEach(item, where)
    {
        if (!cJSON_IsString(item)) return gsim_json_fail("where", "a condition", item, error);
        status = gsim_spec_add_where(spec, item->valuestring, error);
        if (status != GSIM_OK) return status;
    }
    return status;
}

static enum gsim_status read_name(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    if (!cJSON_IsString(item)) return gsim_json_fail("name", "a string", item, error);
    spec->name = gsim_arena_strdup(&spec->arena, item->valuestring);
    return GSIM_OK;
}

static enum gsim_status read_count(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    bool is_repeat = strcmp(item->string, "repeat") == 0, is_samples = strcmp(item->string, "samples") == 0;
    double value = item->valuedouble,
           maximum = is_repeat ? 1e6 : is_samples ? GSIM_AXIS_VALUES_MAX : 9007199254740992.0;
    char expected[64];
    snprintf(expected, sizeof(expected), "a whole number from 1 to %.0f", maximum);
    if (!cJSON_IsNumber(item) || value < 1 || value > maximum || value != floor(value))
        return gsim_json_fail(item->string, expected, item, error);
    if (is_repeat) spec->repeat = gsim_whole_u32(value);
    else if (is_samples) spec->samples = gsim_whole_u64(value);
    else spec->sample_seed = gsim_whole_u64(value);
    return GSIM_OK;
}

static enum gsim_status read_text(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    (void)spec;
    return cJSON_IsString(item) ? GSIM_OK : gsim_json_fail(item->string, "a string", item, error);
}

static const struct {
    const char *name;
    enum gsim_status (*read)(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error);
} fields[] = {
    {"schema", read_text},     {"description", read_text},        {"name", read_name},   {"options", read_options},
    {"vary", read_vary},       {"paired", read_paired},           {"where", read_where}, {"repeat", read_count},
    {"samples", read_count}, {"sample_seed", read_count},
};

static enum gsim_status read_member(struct gsim_spec *spec, const cJSON *item, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, item->string);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].name, item->string) == 0) return fields[i].read(spec, item, error);
        gsim_nearest_offer(&nearest, fields[i].name);
    }
    return gsim_error_set(
        error, GSIM_INPUT,
        "unknown field \"%.60s\"%s (what varies is a member of \"vary\", what is fixed of \"options\")", item->string,
        gsim_nearest_text(&nearest));
}

enum gsim_status gsim_spec_read(struct gsim_spec *spec, const char *path, struct gsim_error *error)
{
    struct gsim_error local = {0};
    cJSON *json = gsim_json_read(path, &local);
    enum gsim_status status = json ? GSIM_OK : local.status;
    const cJSON *item;
    const char *repeated = json ? gsim_json_repeated(json) : NULL;
    if (!status) status = gsim_json_check_schema(json, GSIM_SPEC_SCHEMA, &local);
    if (!status && repeated)
        status = gsim_error_set(&local, GSIM_INPUT, "\"%s\" stands there twice", repeated);
    spec->is_reading = true;
    if (status == GSIM_OK) cJSON_ArrayForEach(item, json)
        {
            status = read_member(spec, item, &local);
            if (status != GSIM_OK) break;
        }
    spec->is_reading = false;
    gsim_json_release(json);
    if (status == GSIM_OK) return GSIM_OK;
    gsim_error_set(error, status == GSIM_USAGE ? GSIM_INPUT : status, "%s", local.message);
    return gsim_error_prefix(error, "cannot read '%s'", path);
}

/* --- the record --------------------------------------------------------------------------------------------------- */
static cJSON *value_json(const struct gsim_axis_value *value)
{
    return value->is_number ? cJSON_CreateNumber(value->number) : cJSON_CreateString(value->text);
}

char *gsim_spec_json(const struct gsim_spec *spec)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "schema", GSIM_SPEC_SCHEMA);
    cJSON *options = cJSON_AddObjectToObject(json, "options");
    for (size_t i = 0; i < spec->fixed_count; i++)
        cJSON_AddItemToObject(options, spec->fixed[i].name, value_json(&spec->fixed[i].value));
    cJSON *axes = cJSON_AddArrayToObject(json, "axes");
    for (size_t i = 0; i < spec->axis_count; i++) {
        cJSON *axis = cJSON_CreateObject();
        cJSON_AddStringToObject(axis, "name", spec->axes[i].name);
        cJSON_AddNumberToObject(axis, "group", (double)spec->axes[i].group);
        cJSON *values = cJSON_AddArrayToObject(axis, "values");
        cJSON_AddItemToArray(axes, axis);
        for (size_t j = 0; j < spec->axes[i].count; j++)
            cJSON_AddItemToArray(values, value_json(&spec->axes[i].values[j]));
    }
    cJSON *where = cJSON_AddArrayToObject(json, "where");
    for (size_t i = 0; i < spec->condition_count; i++)
        cJSON_AddItemToArray(where, cJSON_CreateString(spec->conditions[i]));
    cJSON_AddNumberToObject(json, "repeat", spec->repeat);
    char *text = cJSON_PrintUnformatted(json); /* gsim_free() frees what cJSON allocates, too */
    cJSON_Delete(json);
    return text;
}
