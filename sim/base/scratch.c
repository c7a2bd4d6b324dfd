/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/scratch.h. */
#include "sim/base/scratch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/ends.h"

static enum gsim_status make(struct gsim_arena *arena, bool is_folder, const char **path, struct gsim_error *error)
{
    const char *place = getenv("TMPDIR");
    if (!place || !*place) place = "/tmp";
    char *name = gsim_arena_printf(arena, "%s/gpusim-XXXXXX", place);
    if (!name) return gsim_no_memory(error);
    sigset_t old;
    gsim_ends_hold(&old);
    int file = is_folder ? -1 : mkstemp(name), reason;
    bool is_made = is_folder ? mkdtemp(name) != NULL : file >= 0;
    reason = errno;
    if (is_made) (void)gsim_ends_add(name);
    gsim_ends_restore(&old);
    if (!is_made)
        return gsim_error_set(error, GSIM_IO, "cannot make a temporary %s in '%s': %s", is_folder ? "folder" : "file",
                              place, strerror(reason));
    if (!is_folder) close(file);
    *path = name;
    return GSIM_OK;
}

enum gsim_status gsim_scratch_file(struct gsim_arena *arena, const char **path, struct gsim_error *error)
{
    return make(arena, false, path, error);
}

enum gsim_status gsim_scratch_folder(struct gsim_arena *arena, const char **path, struct gsim_error *error)
{
    return make(arena, true, path, error);
}

void gsim_scratch_remove(const char *path)
{
    if (!path) return;
    gsim_ends_remove(path);
    gsim_ends_forget(path);
}
