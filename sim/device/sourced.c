/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/device/sourced.h. */
#include "sim/device/sourced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/json.h"

static enum gsim_status read_number(void *base, const struct gsim_sourced_row *row, const cJSON *numbers,
                                    struct gsim_error *error)
{
    char expected[96];
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(numbers, row->name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value"),
                *unit = cJSON_GetObjectItemCaseSensitive(item, "unit");
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind"),
                *source = cJSON_GetObjectItemCaseSensitive(item, "source");
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble < row->least ||
        value->valuedouble > row->most) {
        if (isfinite(row->most))
            snprintf(expected, sizeof expected, "an object with a value from %g to %g", row->least, row->most);
        else snprintf(expected, sizeof expected, "an object with a value of %g or more", row->least);
        return gsim_json_fail(row->name, expected, item, error);
    }
    if (!cJSON_IsString(unit) || strcmp(unit->valuestring, row->unit) != 0)
        return gsim_error_set(error, GSIM_INPUT, "%s.unit: expected \"%s\"", row->name, row->unit);
    if (!cJSON_IsString(kind) || !cJSON_IsString(source))
        return gsim_json_fail(row->name, "kind and source", item, error);
    *(double *)((char *)base + row->offset) = value->valuedouble;
    return GSIM_OK;
}

enum gsim_status gsim_sourced_read(const cJSON *json, const struct gsim_sourced_row *rows, size_t count, void *base,
                                   struct gsim_error *error)
{
    const cJSON *numbers = cJSON_GetObjectItemCaseSensitive(json, "numbers"), *child;
    if (!cJSON_IsObject(numbers)) return gsim_json_fail("numbers", "an object", numbers, error);
    cJSON_ArrayForEach(child, numbers)
    {
        size_t i = 0;
        while (i < count && strcmp(rows[i].name, child->string) != 0) i++;
        if (i == count) return gsim_error_set(error, GSIM_INPUT, "numbers.%s: unknown number", child->string);
    }
    for (size_t i = 0; i < count; i++)
        if (read_number(base, &rows[i], numbers, error)) return error->status;
    return GSIM_OK;
}
