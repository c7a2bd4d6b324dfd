/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tests/contract/schema.h. */
#include "tests/contract/schema.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

static bool breach(struct schema_check *check, const char *keyword, const char *text)
{
    snprintf(check->message, sizeof check->message, "%s: %s", keyword, text ? text : "");
    return false;
}

/* One step down: the place grows while STEP's value is looked at, and stays so where it fails. */
static bool holds_below(struct schema_check *check, const cJSON *schema, const cJSON *value, const char *step,
                        int index)
{
    size_t length = strlen(check->place);
    if (step) snprintf(check->place + length, sizeof check->place - length, "/%s", step);
    else snprintf(check->place + length, sizeof check->place - length, "/%d", index);
    if (!schema_holds(check, schema, value)) return false;
    check->place[length] = '\0';
    return true;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* --- keywords ---------------------------------------------------------------------------------------------- */
static bool is_type(const cJSON *value, const char *type)
{
    if (strcmp(type, "object") == 0) return cJSON_IsObject(value);
    if (strcmp(type, "array") == 0) return cJSON_IsArray(value);
    if (strcmp(type, "string") == 0) return cJSON_IsString(value);
    if (strcmp(type, "boolean") == 0) return cJSON_IsBool(value);
    if (strcmp(type, "null") == 0) return cJSON_IsNull(value);
    if (strcmp(type, "number") == 0) return cJSON_IsNumber(value);
    return strcmp(type, "integer") == 0 && cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
}

static bool keeps_type(struct schema_check *check, const cJSON *keyword, const cJSON *value)
{
    const cJSON *one;
    if (cJSON_IsString(keyword))
        return is_type(value, keyword->valuestring) || breach(check, "type", keyword->valuestring);
    cJSON_ArrayForEach(one, keyword) if (is_type(value, one->valuestring)) return true;
    return breach(check, "type", "none of the list");
}

static bool keeps_enum(struct schema_check *check, const cJSON *keyword, const cJSON *value)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, keyword) if (cJSON_Compare(one, value, true)) return true;
    return breach(check, "enum", cJSON_IsString(value) ? value->valuestring : "no text");
}

static bool keeps_pattern(struct schema_check *check, const cJSON *keyword, const cJSON *value)
{
    regex_t pattern;
    if (!cJSON_IsString(value)) return true;
    if (regcomp(&pattern, keyword->valuestring, REG_EXTENDED | REG_NOSUB))
        return breach(check, "pattern", "cannot be compiled");
    bool is_match = regexec(&pattern, value->valuestring, 0, NULL, 0) == 0;
    regfree(&pattern);
    return is_match || breach(check, "pattern", value->valuestring);
}

static bool keeps_required(struct schema_check *check, const cJSON *keyword, const cJSON *value)
{
    const cJSON *one;
    if (!cJSON_IsObject(value)) return true;
    cJSON_ArrayForEach(one, keyword) if (!member(value, one->valuestring)) return breach(check, "required",
                                                                                         one->valuestring);
    return true;
}

static bool keeps_members(struct schema_check *check, const cJSON *schema, const cJSON *value)
{
    const cJSON *properties = member(schema, "properties"), *others = member(schema, "additionalProperties");
    const cJSON *names = member(schema, "propertyNames"), *one;
    if (!cJSON_IsObject(value)) return true;
    cJSON_ArrayForEach(one, value)
    {
        const cJSON *its = member(properties, one->string);
        if (!its && cJSON_IsFalse(others)) return breach(check, "additionalProperties", one->string);
        if (!its && cJSON_IsObject(others)) its = others;
        if (its && !holds_below(check, its, one, one->string, 0)) return false;
        if (!names) continue;
        cJSON *name = cJSON_CreateString(one->string);
        bool is_good = name && holds_below(check, names, name, one->string, 0);
        cJSON_Delete(name);
        if (!is_good) return false;
    }
    return true;
}

static bool keeps_items(struct schema_check *check, const cJSON *keyword, const cJSON *value)
{
    const cJSON *one;
    int index = 0;
    if (!cJSON_IsArray(value)) return true;
    cJSON_ArrayForEach(one, value) if (!holds_below(check, keyword, one, NULL, index++)) return false;
    return true;
}

/* At least one of the schemas holds, or exactly one. What is told is the breach deepest in the value, rather of a
 * schema whose constants hold: that is the one that was meant. */
static bool keeps_some(struct schema_check *check, const cJSON *keyword, const cJSON *value, bool exactly_one)
{
    const struct schema_check before = *check;
    struct schema_check deepest = before;
    const cJSON *one;
    int count = 0;
    cJSON_ArrayForEach(one, keyword)
    {
        struct schema_check trial = before;
        if (schema_holds(&trial, one, value)) {
            count++;
            continue;
        }
        bool is_other = strncmp(trial.message, "const", 5) == 0, was_other = strncmp(deepest.message, "const", 5) == 0;
        if (one == keyword->child || (was_other && !is_other) ||
            (was_other == is_other && strlen(trial.place) >= strlen(deepest.place)))
            deepest = trial;
    }
    if (count > 1 && exactly_one) return breach(check, "oneOf", "more than one holds");
    if (!count) *check = deepest;
    return count > 0;
}

static bool keeps_reference(struct schema_check *check, const char *reference, const cJSON *value)
{
    const cJSON *at = check->root;
    char step[64];
    if (strncmp(reference, "#/", 2) != 0) return breach(check, "$ref", reference);
    for (reference += 2; at && *reference;) {
        size_t length = strcspn(reference, "/");
        snprintf(step, sizeof step, "%.*s", (int)length, reference);
        at = member(at, step);
        reference += length + (reference[length] == '/');
    }
    return at ? schema_holds(check, at, value) : breach(check, "$ref", "leads nowhere");
}

static bool keeps_limit(struct schema_check *check, const char *name, double limit, const cJSON *value)
{
    char found[64];
    double number = value->valuedouble, length = cJSON_IsString(value) ? (double)strlen(value->valuestring) : 0;
    bool is_number = cJSON_IsNumber(value), is_text = cJSON_IsString(value), is_list = cJSON_IsArray(value),
         is_good = true;
    if (is_list) length = cJSON_GetArraySize(value);
    if (strcmp(name, "minimum") == 0) is_good = !is_number || number >= limit;
    else if (strcmp(name, "maximum") == 0) is_good = !is_number || number <= limit;
    else if (strcmp(name, "exclusiveMinimum") == 0) is_good = !is_number || number > limit;
    else if (strcmp(name, "minLength") == 0) is_good = !is_text || length >= limit;
    else if (strcmp(name, "maxLength") == 0) is_good = !is_text || length <= limit;
    else if (strcmp(name, "minItems") == 0) is_good = !is_list || length >= limit;
    else if (strcmp(name, "maxItems") == 0) is_good = !is_list || length <= limit;
    else return breach(check, name, "this checker does not know the keyword");
    snprintf(found, sizeof found, "%.15g against %.15g", is_number ? number : length, limit);
    return is_good || breach(check, name, found);
}

static bool keeps(struct schema_check *check, const cJSON *schema, const cJSON *keyword, const cJSON *value)
{
    static const char *const notes[] = {"$schema", "$id", "$defs", "title", "description"};
    const char *name = keyword->string;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (strcmp(name, notes[i]) == 0) return true;
    if (strcmp(name, "type") == 0) return keeps_type(check, keyword, value);
    if (strcmp(name, "const") == 0)
        return cJSON_Compare(keyword, value, true) || breach(check, "const", keyword->valuestring);
    if (strcmp(name, "enum") == 0) return keeps_enum(check, keyword, value);
    if (strcmp(name, "pattern") == 0) return keeps_pattern(check, keyword, value);
    if (strcmp(name, "required") == 0) return keeps_required(check, keyword, value);
    if (strcmp(name, "items") == 0) return keeps_items(check, keyword, value);
    if (strcmp(name, "oneOf") == 0) return keeps_some(check, keyword, value, true);
    if (strcmp(name, "anyOf") == 0) return keeps_some(check, keyword, value, false);
    if (strcmp(name, "$ref") == 0) return keeps_reference(check, keyword->valuestring, value);
    if (strcmp(name, "properties") == 0 || strcmp(name, "propertyNames") == 0)
        return keeps_members(check, schema, value);
    if (strcmp(name, "additionalProperties") == 0)
        return member(schema, "properties") || keeps_members(check, schema, value);
    return keeps_limit(check, name, keyword->valuedouble, value);
}

bool schema_holds(struct schema_check *check, const cJSON *schema, const cJSON *value)
{
    const cJSON *keyword;
    cJSON_ArrayForEach(keyword, schema) if (!keeps(check, schema, keyword, value)) return false;
    return true;
}
