/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Temporary files and folders in $TMPDIR, else /tmp. The maker removes them; so does an early end
 * (sim/base/ends.h).
 */
#pragma once

#include "gpusim/memory.h"

/* Makes a new, empty file; *PATH is in ARENA. Fails with GSIM_IO or GSIM_NOMEM. */
enum gsim_status gsim_scratch_file(struct gsim_arena *arena, const char **path,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* The same for a folder. */
enum gsim_status gsim_scratch_folder(struct gsim_arena *arena, const char **path,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Removes a file, or a folder with its files; accepts NULL. */
void gsim_scratch_remove(const char *path);
