/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields of an object of a program file and their values, with uniform messages. The objects: sim/program/reader.c.
 */
#include "sim/program/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

#define FOUND_SIZE 48
#define PLACE_SIZE 160

static void format_place(const struct gsim_field_place *place, char *text, size_t size)
{
    char element[16] = "";
    if (place->has_element) snprintf(element, sizeof(element), "[%u]", place->element);
    if (place->list && place->field)
        snprintf(text, size, "%s[%u].%s%s", place->list, place->index, place->field, element);
    else if (place->list)
        snprintf(text, size, "%s[%u]", place->list, place->index);
    else
        snprintf(text, size, "%s%s", place->field ? place->field : "the file", element);
}

enum gsim_status gsim_fields_error(const struct gsim_fields *fields, const char *format, ...)
{
    char place[PLACE_SIZE], message[512];
    format_place(&fields->place, place, sizeof(place));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return gsim_error_set(fields->error, GSIM_INPUT, "%s: %s", place, message);
}

enum gsim_status gsim_fields_unexpected(const struct gsim_fields *fields, const char *value, const char *expected)
{
    char found[FOUND_SIZE];
    return gsim_fields_error(fields, "expected %s, found %s", expected, gsim_scan_found(value, found, sizeof(found)));
}

static void move_to(struct gsim_fields *fields, int field)
{
    fields->place.field = fields->names[field];
    fields->place.has_element = false;
}

static enum gsim_status unknown_field(struct gsim_fields *fields, struct gsim_scan_text key)
{
    char name[FOUND_SIZE];
    gsim_scan_key(&key, name, sizeof(name));
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, name);
    for (const char *const *known = fields->names; *known; known++) gsim_nearest_offer(&nearest, *known);
    return gsim_fields_error(fields, "unknown field \"%s\"%s", name, gsim_nearest_text(&nearest));
}

enum gsim_status gsim_fields_read(struct gsim_fields *fields, const char *at, const char **rest)
{
    return gsim_fields_read_jump(fields, at, rest, &(struct gsim_scan_jump){NULL, NULL});
}

/* Which of the COUNT fields KEY means, tried from the one behind FIELD on: most files keep the order. COUNT: none. */
static size_t find_field(const struct gsim_fields *fields, size_t count, size_t field, const struct gsim_scan_text *key)
{
    for (size_t tried = 0; tried < count; tried++) {
        field = field + 1 < count ? field + 1 : 0;
        if (gsim_scan_is(key, fields->names[field])) return field;
    }
    return count;
}

enum gsim_status gsim_fields_read_jump(struct gsim_fields *fields, const char *at, const char **rest,
                                       const struct gsim_scan_jump *jump)
{
    size_t count = fields->count, field = SIZE_MAX; /* before the first */
    while (!fields->count && fields->names[count]) count++;
    memset(fields->values, 0, sizeof(*fields->values) * count);
    fields->given = 0;
    fields->place.field = NULL;
    fields->place.has_element = false;
    if (*at != '{') return gsim_fields_unexpected(fields, at, "an object");
    const char *behind = at;
    for (const char *value;; behind = value == jump->from ? jump->to : gsim_scan_skip(value)) {
        size_t before = field + 1,
               next = fields->followed && fields->followed[before] ? fields->followed[before] - 1U : before;
        if (next < count && (value = gsim_scan_next_named(behind, fields->names[next])) != NULL) {
            field = next;
        } else {
            struct gsim_scan_text key;
            if (!(value = gsim_scan_next(behind, &key, &behind))) break;
            field = find_field(fields, count, field, &key);
            if (field == count) return unknown_field(fields, key);
            if (fields->followed) fields->followed[before] = (uint8_t)(field + 1);
        }
        if (fields->values[field]) {
            move_to(fields, (int)field);
            return gsim_fields_error(fields, "the field is given twice");
        }
        fields->values[field] = value;
        fields->given |= UINT64_C(1) << field;
    }
    if (rest) *rest = behind;
    return GSIM_OK;
}

enum gsim_status gsim_fields_require(struct gsim_fields *fields, int field)
{
    fields->place.field = NULL;
    fields->place.has_element = false;
    if (!fields->values[field]) return gsim_fields_error(fields, "the field \"%s\" is missing", fields->names[field]);
    move_to(fields, field);
    return GSIM_OK;
}

static bool is_number(const char *value) { return *value == '-' || (*value >= '0' && *value <= '9'); }

enum gsim_status gsim_fields_integer_at(const struct gsim_fields *fields, const char *value, double minimum,
                                        double maximum, double *number)
{
    double found = is_number(value) ? gsim_scan_number(value) : NAN;
    if (found >= minimum && found <= maximum && found == (double)gsim_whole(found)) {
        *number = found;
        return GSIM_OK;
    }
    char expected[80];
    bool is_only_too_small = minimum == 1 && !(found > maximum) && found == floor(found);
    if (isnan(found) && minimum == 1) is_only_too_small = true;
    if (is_only_too_small) snprintf(expected, sizeof(expected), "a positive integer");
    else snprintf(expected, sizeof(expected), "an integer from %.0f to %.0f", minimum, maximum);
    return gsim_fields_unexpected(fields, value, expected);
}

enum gsim_status gsim_fields_integer(struct gsim_fields *fields, int field, double minimum, double maximum,
                                     double *number)
{
    move_to(fields, field);
    const char *value = fields->values[field];
    return value ? gsim_fields_integer_at(fields, value, minimum, maximum, number) : GSIM_OK;
}

enum gsim_status gsim_fields_real(struct gsim_fields *fields, int field, double maximum, double *number)
{
    move_to(fields, field);
    const char *value = fields->values[field];
    if (!value) return GSIM_OK;
    double found = is_number(value) ? gsim_scan_number(value) : NAN;
    if (found >= 0 && found <= maximum) {
        *number = found;
        return GSIM_OK;
    }
    char expected[64];
    snprintf(expected, sizeof(expected), "a number from 0 to %g", maximum);
    return gsim_fields_unexpected(fields, value, expected);
}

enum gsim_status gsim_fields_bool(struct gsim_fields *fields, int field, bool *flag)
{
    move_to(fields, field);
    const char *value = fields->values[field];
    if (!value) return GSIM_OK;
    if (*value != 't' && *value != 'f') return gsim_fields_unexpected(fields, value, "true or false");
    *flag = *value == 't';
    return GSIM_OK;
}

static bool is_word(const char *value, const char *word)
{
    size_t length = strlen(word);
    return *value == '"' && strncmp(value + 1, word, length) == 0 && value[1 + length] == '"';
}

enum gsim_status gsim_fields_choice(struct gsim_fields *fields, int field, const char *const *words, int *choice)
{
    const char *value = fields->values[field];
    char expected[160] = "";
    if (!value) return *choice < 0 ? gsim_fields_require(fields, field) : GSIM_OK;
    move_to(fields, field);
    for (int i = 0; words[i]; i++) {
        if (is_word(value, words[i])) {
            *choice = i;
            return GSIM_OK;
        }
        size_t used = strlen(expected);
        const char *comma = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        snprintf(expected + used, sizeof(expected) - used, "%s\"%s\"", comma, words[i]);
    }
    return gsim_fields_unexpected(fields, value, expected);
}

static enum gsim_status not_a_name(const struct gsim_fields *fields, const char *found)
{
    return gsim_fields_error(fields, "expected text of 1 to %u bytes without control characters, found %s",
                             GSIM_LIMIT_NAME, found);
}

enum gsim_status gsim_fields_name_at(const struct gsim_fields *fields, const char *value, char room[GSIM_NAME_ROOM])
{
    char found[FOUND_SIZE];
    if (*value == '"' && gsim_scan_string(value, room, GSIM_NAME_ROOM)) return GSIM_OK;
    return not_a_name(fields, gsim_scan_found(value, found, sizeof(found)));
}

enum gsim_status gsim_fields_name(struct gsim_fields *fields, int field, char room[GSIM_NAME_ROOM])
{
    enum gsim_status status = gsim_fields_require(fields, field);
    return status == GSIM_OK ? gsim_fields_name_at(fields, fields->values[field], room) : status;
}

enum gsim_status gsim_fields_kept_name(struct gsim_fields *fields, int field, struct gsim_arena *arena,
                                       const char **text)
{
    char room[GSIM_NAME_ROOM];
    if (!fields->values[field]) return GSIM_OK;
    enum gsim_status status = gsim_fields_name(fields, field, room);
    if (status != GSIM_OK || (*text && strcmp(*text, room) == 0)) return status;
    *text = gsim_arena_strdup(arena, room);
    return *text ? GSIM_OK : gsim_no_memory(fields->error);
}

enum gsim_status gsim_fields_element(struct gsim_fields *fields, int field, const char **value)
{
    const char *at = *value, *rest;
    if (!at) {
        move_to(fields, field);
        at = fields->values[field];
        if (*at != '[') return gsim_fields_unexpected(fields, at, "a list");
        fields->place.element = 0;
        fields->place.has_element = true;
    } else {
        fields->place.element++;
    }
    *value = gsim_scan_next(at, NULL, &rest);
    return GSIM_OK;
}
