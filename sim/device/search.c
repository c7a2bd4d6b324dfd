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
    const char *below; /* each folder: "", "/arch", "/nodes" */
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

static int add_folder(struct found *found, const char *top)
{
    char folder[PATH_MAX + 160];
    int path_length = snprintf(folder, sizeof(folder), "%s%s", top, found->below);
    if (path_length < 0 || (size_t)path_length >= sizeof(folder)) return 0;
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
static int add_beside(struct found *found, char *file, const char *place)
{
    char folder[PATH_MAX + 128];
    char *slash = strrchr(file, '/');
    if (!slash) return 0;
    *slash = '\0';
    int length = snprintf(folder, sizeof(folder), "%s/%s", file, place);
    return length > 0 && (size_t)length < sizeof(folder) ? add_folder(found, folder) : 0;
}

static int add_all_folders(struct found *found)
{
    char folder[PATH_MAX + 64], executable[PATH_MAX], library[PATH_MAX];
    const char *data = getenv("GPUSIM_DATA");
    if (data && *data) {
        int length = snprintf(folder, sizeof(folder), "%s/models", data);
        if (length > 0 && (size_t)length < sizeof(folder) && add_folder(found, folder)) return -1;
    }
    ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    executable[length > 0 ? length : 0] = '\0';
    Dl_info info;
    errno = 0;
    bool is_library = dladdr(&marker, &info) && info.dli_fname && realpath(info.dli_fname, library) &&
                      strcmp(library, executable) != 0;
    if (errno == ENOMEM) return -1;
    if (add_beside(found, executable, "../share/gpusim/models")) return -1;
    if (is_library && add_beside(found, library, GPUSIM_LIBRARY_TO_DATA "/gpusim/models")) return -1;
    if (add_folder(found, GPUSIM_SOURCE_DIR "/models")) return -1;
    return found->count ? 0 : add_folder(found, GPUSIM_INSTALLED_DATA "/gpusim/models");
}

GSIM_ORDER(by_name, struct gsim_model_file, GSIM_TEXT(name))

static enum gsim_status files_below(const char *below, struct gsim_arena *arena, struct gsim_model_file **files,
                                    size_t *count, struct gsim_error *error)
{
    struct gsim_error wrong = {0};
    struct found found = {.arena = arena, .below = below, .error = &wrong};
    struct gsim_model_file *sorted = NULL;
    if (add_all_folders(&found)) goto failed;
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

enum gsim_status gsim_model_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                  struct gsim_error *error)
{
    return files_below("", arena, files, count, error);
}

enum gsim_status gsim_node_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error)
{
    return files_below("/nodes", arena, files, count, error);
}

enum gsim_status gsim_arch_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error)
{
    return files_below("/arch", arena, files, count, error);
}

enum gsim_status gsim_host_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error)
{
    return files_below("/hosts", arena, files, count, error);
}

enum gsim_status gsim_nccl_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error)
{
    return files_below("/nccl", arena, files, count, error);
}

enum gsim_status gsim_law_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                struct gsim_error *error)
{
    return files_below("/laws", arena, files, count, error);
}
