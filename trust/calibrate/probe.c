/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/calibrate/probe.h. Probe files are small, so they are read as one JSON tree.
 */
#include "trust/calibrate/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/base/gz.h"

#define MAX_VALUE 1e18

void gsim_probe_init(struct gsim_probe *probe)
{
    *probe = (struct gsim_probe){.gpu = "", .driver = "", .date = ""};
#define X(name) probe->name = NAN;
    GSIM_PROBE_ATTRIBUTE_MAP(X)
#undef X
}

void gsim_probe_release(struct gsim_probe *probe)
{
    gsim_free(probe->series);
    gsim_arena_release(&probe->arena);
    memset(probe, 0, sizeof *probe);
}

struct gsim_probe_series *gsim_probe_add(struct gsim_probe *probe, const char *name, const char *unit, size_t room)
{
    if (gsim_array_grow(&probe->series, sizeof *probe->series, probe->series_count, &probe->series_capacity))
        return NULL;
    struct gsim_probe_series *s = &probe->series[probe->series_count];
    *s = (struct gsim_probe_series){.name = gsim_arena_strdup(&probe->arena, name),
                                    .unit = gsim_arena_strdup(&probe->arena, unit),
                                    .points = GSIM_ARENA_ARRAY(&probe->arena, struct gsim_probe_point, room)};
    if (!s->name || !s->unit || !s->points) return NULL;
    probe->series_count++;
    return s;
}

const struct gsim_probe_series *gsim_probe_find(const struct gsim_probe *probe, const char *name)
{
    for (size_t i = 0; i < probe->series_count; i++)
        if (strcmp(probe->series[i].name, name) == 0) return &probe->series[i];
    return NULL;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */
static enum gsim_status read_point(const cJSON *item, const char *place, struct gsim_probe_point *point,
                                   struct gsim_error *error)
{
    double values[5];
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 5)
        return gsim_json_fail(place, "[x, median, 5 %, 95 %, count]", item, error);
    for (int i = 0; i < 5; i++) {
        const cJSON *value = cJSON_GetArrayItem(item, i);
        bool signed_value = i >= 1 && i <= 3; /* differences of clocks may come out below zero */
        if (!cJSON_IsNumber(value) || !(fabs(value->valuedouble) <= MAX_VALUE) ||
            (!signed_value && value->valuedouble < 0))
            return gsim_json_fail(place, "five finite numbers, x and count not negative", value, error);
        values[i] = value->valuedouble;
    }
    if (values[2] > values[1] || values[1] > values[3]) return gsim_json_fail(place, "quantiles in order", item, error);
    *point = (struct gsim_probe_point){values[0], values[1], values[2], values[3], values[4]};
    return GSIM_OK;
}

static enum gsim_status read_series(struct gsim_probe *probe, const cJSON *item, size_t index, struct gsim_error *error)
{
    char place[128];
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name"),
                *unit = cJSON_GetObjectItemCaseSensitive(item, "unit");
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(item, "points"), *point;
    snprintf(place, sizeof place, "series[%zu]", index);
    if (!cJSON_IsObject(item)) return gsim_json_fail(place, "an object", item, error);
    snprintf(place, sizeof place, "series[%zu].name", index);
    if (!cJSON_IsString(name)) return gsim_json_fail(place, "a text", name, error);
    if (gsim_probe_find(probe, name->valuestring))
        return gsim_json_fail(place, "a name that no earlier series has", name, error);
    snprintf(place, sizeof place, "series[%zu] (%.40s): points", index, name->valuestring);
    if (!cJSON_IsArray(points)) return gsim_json_fail(place, "a list", points, error);
    struct gsim_probe_series *s =
        gsim_probe_add(probe, name->valuestring, cJSON_IsString(unit) ? unit->valuestring : "",
                       (size_t)cJSON_GetArraySize(points) + 1);
    cJSON_ArrayForEach(point, points)
    {
        snprintf(place, sizeof place, "series[%zu] (%.40s): points[%zu]", index, s->name, s->point_count);
        enum gsim_status status = read_point(point, place, &s->points[s->point_count], error);
        if (status != GSIM_OK) return status;
        s->point_count++;
    }
    if (!s->point_count) probe->series_count--; /* measured, without a result */
    return GSIM_OK;
}

static enum gsim_status read_attributes(struct gsim_probe *probe, const cJSON *object, struct gsim_error *error)
{
    const struct {
        const char *name, *place;
        double *value;
    } attributes[] = {
#define X(name) {#name, "attributes." #name, &probe->name},
        GSIM_PROBE_ATTRIBUTE_MAP(X)
#undef X
    };
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, attributes[i].name);
        if (!item) continue;
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= MAX_VALUE))
            return gsim_json_fail(attributes[i].place, "a number that is not negative", item, error);
        *attributes[i].value = item->valuedouble;
    }
    return GSIM_OK;
}

static enum gsim_status read_head(struct gsim_probe *probe, const cJSON *json, struct gsim_error *error)
{
    const struct {
        const char *name, **text;
    } texts[] = {{"gpu", &probe->gpu}, {"driver", &probe->driver}, {"date", &probe->date}};
    const cJSON *capability = cJSON_GetObjectItemCaseSensitive(json, "compute_capability");
    if (gsim_json_check_schema(json, GSIM_PROBE_SCHEMA, error)) return error->status;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, texts[i].name);
        if (!cJSON_IsString(item)) continue;
        *texts[i].text = gsim_arena_strdup(&probe->arena, item->valuestring);
    }
    if (!capability) return GSIM_OK;
    if (!cJSON_IsNumber(capability) || capability->valuedouble < 10 || capability->valuedouble > 1000)
        return gsim_json_fail("compute_capability", "ten times major plus minor, as 90", capability, error);
    probe->compute_capability = gsim_whole_int(capability->valuedouble);
    return GSIM_OK;
}

enum gsim_status gsim_probe_read(const char *path, struct gsim_probe *probe, struct gsim_error *error)
{
    gsim_probe_init(probe);
    cJSON *json = gsim_json_read(path, error);
    if (!json) return error->status;
    const cJSON *series = cJSON_GetObjectItemCaseSensitive(json, "series"), *item;
    enum gsim_status status = read_head(probe, json, error);
    if (status == GSIM_OK) status = read_attributes(probe, cJSON_GetObjectItemCaseSensitive(json, "attributes"), error);
    if (status == GSIM_OK && !cJSON_IsArray(series)) status = gsim_json_fail("series", "a list", series, error);
    size_t index = 0;
    cJSON_ArrayForEach(item, series) if (status == GSIM_OK) status = read_series(probe, item, index++, error);
    gsim_json_release(json);
    return status;
}

bool gsim_probe_is(const char *path) { return gsim_gz_has(path, "\"" GSIM_PROBE_SCHEMA "\""); }
