/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. A file that is being written: a neighbour with a name that nobody can guess, which takes the final
 * name when it is complete. Every output goes through it: sim/base/output.h, and pictures (plots/gnuplot.h).
 */
#pragma once

#include <stdbool.h>

#include "gpusim/status.h"

struct gsim_part {
    char *path;     /* what is replaced: links of PATH are followed, so that a link stays one */
    char *name;     /* of the neighbour; NULL: PATH is a pipe, a device or a descriptor, and written in place */
    int descriptor; /* open for writing; whoever takes it sets it to -1 */
};

/* Whether PATH is a link that neither this user nor root made: in a folder of many, it leads where its maker wants. */
bool gsim_part_is_foreign(const char *path);
/* Fails with GSIM_IO naming PATH, as where that is a link of another user. The file gets the mode of what it replaces.
 */
enum gsim_status gsim_part_open(struct gsim_part *part, const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Gives the file its name and releases PART. False, with errno, when that fails: the file is gone then. */
int gsim_part_commit(struct gsim_part *part) GSIM_NODISCARD;
/* Drops what was written, unless committed before; accepts a zeroed part. */
void gsim_part_release(struct gsim_part *part);
