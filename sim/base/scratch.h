/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Files and folders of our own for a while, in $TMPDIR, else in /tmp; who made one removes it, an
 * early end does as well (sim/base/ends.h).
 */
#pragma once

#include "gpusim/memory.h"

/* *PATH, in the arena: a new, empty file that nobody else has. Fails with GSIM_IO or GSIM_NOMEM. */
enum gsim_status gsim_scratch_file(struct gsim_arena *arena, const char **path,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* The same of a folder. */
enum gsim_status gsim_scratch_folder(struct gsim_arena *arena, const char **path,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Removes it, a folder with the files in it; accepts NULL. */
void gsim_scratch_remove(const char *path);
