/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading models/nccl/NAME.json: which file, and its numbers (sim/collective/nccl.h). */
#include "sim/collective/nccl.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/device/search.h"

static const struct {
    const char *name, *unit;
    size_t offset;
} rows[] = {
#define X(name, unit, help) {#name, unit, offsetof(struct gsim_nccl, name)},
#include "sim/collective/nccl.def"
#undef X
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static enum gsim_status read_number(struct gsim_nccl *nccl, size_t row, const cJSON *numbers, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(numbers, rows[row].name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value"),
                *unit = cJSON_GetObjectItemCaseSensitive(item, "unit");
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind"),
                *source = cJSON_GetObjectItemCaseSensitive(item, "source");
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble < 0)
        return gsim_json_fail(rows[row].name, "an object with a value of 0 or more", item, error);
    if (!cJSON_IsString(unit) || strcmp(unit->valuestring, rows[row].unit) != 0)
        return gsim_error_set(error, GSIM_INPUT, "%s.unit: expected \"%s\"", rows[row].name, rows[row].unit);
    if (!cJSON_IsString(kind) || !cJSON_IsString(source))
        return gsim_json_fail(rows[row].name, "kind and source", item, error);
    *(double *)((char *)nccl + rows[row].offset) = value->valuedouble;
    return GSIM_OK;
}

static enum gsim_status check_names(const cJSON *numbers, struct gsim_error *error)
{
    const cJSON *child;
    cJSON_ArrayForEach(child, numbers)
    {
        size_t i = 0;
        while (i < ROW_COUNT && strcmp(rows[i].name, child->string) != 0) i++;
        if (i == ROW_COUNT) return gsim_error_set(error, GSIM_INPUT, "numbers.%s: unknown number", child->string);
    }
    return GSIM_OK;
}

static enum gsim_status read_file(struct gsim_nccl *nccl, const char *path, struct gsim_error *error)
{
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? GSIM_OK : error->status;
    const cJSON *numbers = cJSON_GetObjectItemCaseSensitive(json, "numbers");
    if (!status) status = gsim_json_check_schema(json, "gpusim-nccl/1", error);
    if (!status && !cJSON_IsObject(numbers)) status = gsim_json_fail("numbers", "an object", numbers, error);
    if (!status) status = check_names(numbers, error);
    for (size_t i = 0; i < ROW_COUNT && !status; i++) status = read_number(nccl, i, numbers, error);
    gsim_json_release(json);
    return status ? gsim_error_prefix(error, "cannot read '%s'", path) : GSIM_OK;
}

/* The capability that a file's name says: "sm_90" is 90. */
static int capability_of(const char *name) { return strncmp(name, "sm_", 3) == 0 ? atoi(name + 3) : 0; }

enum gsim_status gsim_nccl_load(struct gsim_nccl *nccl, const struct gsim_device_spec *device, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    const struct gsim_model_file *best = NULL;
    size_t count = 0;
    enum gsim_status status = gsim_nccl_files(&arena, &files, &count, error);
    for (size_t i = 0; i < count; i++) {
        int its = capability_of(files[i].name), known = best ? capability_of(best->name) : 0;
        bool is_over = its > device->compute_capability, was_over = known > device->compute_capability;
        if (!its) continue;
        if (!best || (was_over ? its < known : !is_over && its > known)) best = &files[i];
    }
    if (!status && !best)
        status = gsim_error_set(error, GSIM_INPUT, "expected a file models/nccl/sm_NN.json, found none");
    if (!status) status = read_file(nccl, best->path, error);
    gsim_arena_release(&arena);
    return status;
}
