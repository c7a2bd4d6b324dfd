/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/importers.h. */
#include "traces/import/importers.h"

#include <string.h>

#include "traces/import/sniff.h"

bool gsim_sniff_cuda(const struct gsim_sniff *sniff)
{
    const char *dot = strrchr(sniff->path, '.');
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cuh") == 0) && sniff->is_there && !sniff->is_folder;
}

bool gsim_sniff_chrome(const struct gsim_sniff *sniff)
{
    return *sniff->head == '[' || strstr(sniff->head, "\"traceEvents\"") != NULL;
}

static const struct {
    struct gsim_importer importer;
    bool (*sniff)(const struct gsim_sniff *);
} importers[] = {
#define X(name, what) {{#name, what, gsim_import_##name}, gsim_sniff_##name},
#include "traces/import/importers.def"
#undef X
};
#define IMPORTER_COUNT (sizeof importers / sizeof importers[0])

const struct gsim_importer *gsim_importer_at(size_t index)
{
    return index < IMPORTER_COUNT ? &importers[index].importer : NULL;
}

const struct gsim_importer *gsim_importer_find(const char *name)
{
    for (size_t i = 0; i < IMPORTER_COUNT; i++)
        if (strcmp(importers[i].importer.name, name) == 0) return &importers[i].importer;
    return NULL;
}

static const struct gsim_importer *find_of(const struct gsim_sniff *sniff)
{
    for (size_t i = 0; i < IMPORTER_COUNT; i++)
        if (importers[i].sniff(sniff)) return &importers[i].importer;
    return NULL;
}

const char *gsim_importer_what(const char *path, char text[GSIM_IMPORTER_TEXT], bool *is_trace)
{
    struct gsim_sniff sniff;
    struct gsim_error ignored = {0};
    text[0] = '\0';
    *is_trace = false;
    if (strcmp(path, "-") == 0 || gsim_sniff_open(&sniff, path, &ignored) != GSIM_OK) return text;
    const struct gsim_importer *found = find_of(&sniff);
    *is_trace = found != NULL;
    if (sniff.is_there && sniff.length && (found || sniff.is_database || *sniff.head != '{'))
        snprintf(text, GSIM_IMPORTER_TEXT, "%s", found ? found->what : gsim_sniff_name(&sniff));
    gsim_sniff_close(&sniff);
    return text;
}

const struct gsim_importer *gsim_importer_of(const char *path, struct gsim_trace_origin *origin,
                                             struct gsim_error *error)
{
    struct gsim_sniff sniff;
    struct gsim_error ignored = {0};
    if (origin) *origin = (struct gsim_trace_origin){0};
    if (strcmp(path, "-") == 0) return gsim_importer_find("kineto");
    if (gsim_sniff_open(&sniff, path, error ? error : &ignored) != GSIM_OK) return NULL;
    const struct gsim_importer *found = find_of(&sniff);
    if (found && origin) gsim_sniff_origin(&sniff, origin);
    if (sniff.no_memory) {
        gsim_no_memory(error);
        found = NULL;
    } else if (!found && error)
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a profiler's trace, found %s", path,
                       gsim_sniff_name(&sniff));
    gsim_sniff_close(&sniff);
    return found;
}
