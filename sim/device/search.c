/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: models (helper). See sim/device/search.h.
 */
#include "sim/device/search.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".json"

/* Files found so far; the array is gsim_realloc-ed, the strings are the arena's. */
struct found {
    struct gsim_arena *arena;
    struct gsim_model_file *files;
    size_t count, capacity;
};

static int add_file(struct found *found, const char *folder, const char *file_name, size_t name_length)
{
    for (size_t i = 0; i < found->count; i++)
        if (strlen(found->files[i].name) == name_length && !memcmp(found->files[i].name, file_name, name_length))
            return 0;
    void *array = found->files;
    if (gsim_array_grow(&array, sizeof(*found->files), found->count, &found->capacity)) return -1;
    found->files = array;
    struct gsim_model_file *file = &found->files[found->count];
    file->name = gsim_arena_printf(found->arena, "%.*s", (int)name_length, file_name);
    file->path = gsim_arena_printf(found->arena, "%s/%s", folder, file_name);
    if (!file->name || !file->path) return -1;
    found->count++;
    return 0;
}

static int add_folder(struct found *found, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int failed = 0;
    for (struct dirent *entry; !failed && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
        if (length > suffix && entry->d_name[0] != '.' && strcmp(entry->d_name + length - suffix, SUFFIX) == 0)
            failed = add_file(found, folder, entry->d_name, length - suffix);
    }
    closedir(directory);
    return failed;
}

static int add_all_folders(struct found *found)
{
    char folder[PATH_MAX + 64];
    const char *data = getenv("GPUSIM_DATA");
    if (data && *data) {
        int length = snprintf(folder, sizeof(folder), "%s/models", data);
        if (length > 0 && (size_t)length < sizeof(folder) && add_folder(found, folder)) return -1;
    }
    char executable[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    if (length > 0) {
        executable[length] = '\0';
        char *slash = strrchr(executable, '/');
        if (slash) *slash = '\0';
        snprintf(folder, sizeof(folder), "%s/../share/gpusim/models", executable);
        if (add_folder(found, folder)) return -1;
    }
    return add_folder(found, GPUSIM_SOURCE_DIR "/models");
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct gsim_model_file *)left)->name, ((const struct gsim_model_file *)right)->name);
}

enum gsim_status gsim_model_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                  struct gsim_error *error)
{
    struct found found = {.arena = arena};
    struct gsim_model_file *sorted = NULL;
    if (add_all_folders(&found)) goto no_memory;
    sorted = GSIM_ARENA_ARRAY(arena, struct gsim_model_file, found.count);
    if (!sorted) goto no_memory;
    if (found.count) {
        memcpy(sorted, found.files, found.count * sizeof(*sorted));
        qsort(sorted, found.count, sizeof(*sorted), by_name);
    }
    gsim_free(found.files);
    *files = sorted;
    *count = found.count;
    return GSIM_OK;
no_memory:
    gsim_free(found.files);
    return gsim_error_set(error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
}
