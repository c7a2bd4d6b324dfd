/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device (helper). See sim/device/search.h.
 */
#include "sim/device/search.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpusim/order.h"

#define SUFFIX ".json"

static const char marker; /* lies in the object that this code is part of */

/* Files found so far; the array is gsim_realloc-ed, the strings are the arena's. */
struct found {
    struct gsim_arena *arena;
    struct gsim_error *error;
    struct gsim_model_file *files;
    size_t count, capacity;
};

static int add_file(struct found *found, const char *folder, const char *file_name, size_t name_length)
{
    for (size_t i = 0; i < found->count; i++)
        if (strlen(found->files[i].name) == name_length && !memcmp(found->files[i].name, file_name, name_length))
            return 0;
    if (gsim_array_grow(&found->files, sizeof(*found->files), found->count, &found->capacity)) return -1;
    struct gsim_model_file *file = &found->files[found->count];
    file->name = gsim_arena_printf(found->arena, "%.*s", (int)name_length, file_name);
    file->path = gsim_arena_printf(found->arena, "%s/%s", folder, file_name);
    if (!file->name || !file->path) return -1;
    found->count++;
    return 0;
}

/* A folder that is there and cannot be read may hold the file that is asked for. */
static int fail_read(struct found *found, const char *folder)
{
    if (errno != ENOMEM)
        gsim_error_set(found->error, GSIM_INPUT, "cannot read the folder '%s': %s", folder, strerror(errno));
    return -1;
}

static int add_folder(struct found *found, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) return errno == ENOENT || errno == ENOTDIR ? 0 : fail_read(found, folder);
    int failed = 0;
    for (struct dirent *entry; !failed && (errno = 0, entry = readdir(directory));) {
        size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
        if (length > suffix && entry->d_name[0] != '.' && strcmp(entry->d_name + length - suffix, SUFFIX) == 0)
            failed = add_file(found, folder, entry->d_name, length - suffix);
    }
    if (!failed && errno) failed = fail_read(found, folder);
    closedir(directory);
    return failed;
}

/* FILE/../PLACE, for a program or library that lies in the tree of an installation. */
static const char *beside(struct gsim_arena *arena, char *file, const char *place)
{
    char *slash = strrchr(file, '/');
    return slash ? gsim_arena_printf(arena, "%.*s/%s", (int)(slash - file), file, place) : NULL;
}

#define FOLDERS 5

/* The search path; NULL: that one is not there. Nonzero: memory is out. */
static int find_folders(struct gsim_arena *arena, const char *folders[FOLDERS])
{
    char executable[PATH_MAX], library[PATH_MAX];
    const char *data = getenv("GPUSIM_DATA");
    ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    executable[length > 0 ? length : 0] = '\0';
    Dl_info info;
    errno = 0;
    bool is_library = dladdr(&marker, &info) && info.dli_fname && realpath(info.dli_fname, library) &&
                      strcmp(library, executable) != 0;
    if (errno == ENOMEM) return -1;
    folders[0] = data && *data ? data : NULL;
    folders[1] = beside(arena, executable, "../share/gpusim");
    folders[2] = is_library ? beside(arena, library, GPUSIM_LIBRARY_TO_DATA "/gpusim") : NULL;
    folders[3] = GPUSIM_SOURCE_DIR;
    folders[4] = GPUSIM_INSTALLED_DATA "/gpusim";
    return arena->failed;
}

const char *gsim_data_path(struct gsim_arena *arena, const char *name)
{
    const char *folders[FOLDERS];
    if (find_folders(arena, folders)) return NULL;
    for (int i = 0; i < FOLDERS; i++) {
        const char *path = folders[i] ? gsim_arena_printf(arena, "%s/%s", folders[i], name) : NULL;
        if (path && access(path, R_OK) == 0) return path;
    }
    return NULL;
}

static int add_all_folders(struct found *found, const char *below)
{
    const char *folders[FOLDERS];
    if (find_folders(found->arena, folders)) return -1;
    for (int i = 0; i < FOLDERS; i++) {
        if (!folders[i] || (i + 1 == FOLDERS && found->count)) continue;
        const char *folder = gsim_arena_printf(found->arena, "%s/models%s%s", folders[i], *below ? "/" : "", below);
        if (!folder || add_folder(found, folder)) return -1;
    }
    return 0;
}

GSIM_ORDER(by_name, struct gsim_model_file, GSIM_TEXT(name))

enum gsim_status gsim_model_files(const char *below, struct gsim_arena *arena, struct gsim_model_file **files,
                                  size_t *count, struct gsim_error *error)
{
    struct gsim_error wrong = {0};
    struct found found = {.arena = arena, .error = &wrong};
    struct gsim_model_file *sorted = NULL;
    if (add_all_folders(&found, below)) goto failed;
    sorted = GSIM_ARENA_ARRAY(arena, struct gsim_model_file, found.count);
    if (!sorted) goto failed;
    if (found.count) {
        memcpy(sorted, found.files, found.count * sizeof(*sorted));
        qsort(sorted, found.count, sizeof(*sorted), by_name);
    }
    gsim_free(found.files);
    *files = sorted;
    *count = found.count;
    return GSIM_OK;
failed:
    gsim_free(found.files);
    if (wrong.status) return gsim_error_set(error, wrong.status, "%s", wrong.message);
    return gsim_error_set(error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
}
