/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading models/laws (sim/device/law.h, sim/device/other.h). */
#include <stdio.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/device/law.h"
#include "sim/device/other.h"
#include "sim/device/search.h"

static const struct gsim_sourced_row rows[] = {
#define X(name, unit, least, most, help) {#name, unit, offsetof(struct gsim_other_law, name), least, most},
#include "sim/device/other.def"
#undef X
};

static enum gsim_status read_names(void *base, const cJSON *json, struct gsim_error *error)
{
    struct gsim_other_law *law = base;
    static const char *const lists[] = {"streams", "mixed", "products"};
    _Static_assert(sizeof lists / sizeof lists[0] == GSIM_OTHER_KINDS, "one list a kind");
    for (int kind = 0; kind < GSIM_OTHER_KINDS; kind++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, lists[kind]), *item;
        if (!cJSON_IsArray(list)) return gsim_json_fail(lists[kind], "a list of parts of names", list, error);
        cJSON_ArrayForEach(item, list)
        {
            bool fits = law->name_count < GSIM_OTHER_NAMES && cJSON_IsString(item) && item->valuestring[0] &&
                        strlen(item->valuestring) < sizeof law->names[0].part;
            if (!fits) return gsim_json_fail(lists[kind], "at most 64 parts of names of 1 to 31 letters", item, error);
            law->names[law->name_count].kind = kind;
            snprintf(law->names[law->name_count++].part, sizeof law->names[0].part, "%s", item->valuestring);
        }
    }
    return GSIM_OK;
}

enum gsim_status gsim_law_read(const char *name, const struct gsim_sourced_row *numbers, size_t number_count,
                               gsim_law_more *more, void *base, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    cJSON *json = NULL;
    const char *file = gsim_arena_printf(&arena, "models/laws/%s.json", name),
               *path = file ? gsim_data_path(&arena, file) : NULL;
    enum gsim_status status = arena.failed ? gsim_no_memory(error) : GSIM_OK;
    if (!status && !path) status = gsim_error_set(error, GSIM_INPUT, "expected a file %s, found none", file);
    if (!status && !(json = gsim_json_read(path, error))) status = error->status;
    if (!status) status = gsim_json_check_schema(json, "gpusim-law/1", error);
    if (!status) status = gsim_sourced_read(json, numbers, number_count, base, error);
    if (!status && more) status = more(base, json, error);
    if (status && path) (void)gsim_error_prefix(error, "cannot read '%s'", path);
    gsim_json_release(json);
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_other_law_load(struct gsim_other_law *law, struct gsim_error *error)
{
    *law = (struct gsim_other_law){0};
    return gsim_law_read("other_device", rows, sizeof rows / sizeof rows[0], read_names, law, error);
}
