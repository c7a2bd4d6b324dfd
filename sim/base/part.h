/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. A file while it is written: one without a name, which even a kill leaves nowhere, or where the file
 * system has none such, a temporary file beside it with an unpredictable name; renamed when it is complete. All
 * outputs use it: sim/base/output.h, and pictures (plots/gnuplot.h).
 */
#pragma once

#include <stdbool.h>

#include "gpusim/status.h"

struct gsim_part {
    char *path;     /* the file to replace; links are followed, so a link stays one */
    char *name;     /* temporary file; NULL: PATH is a pipe, a device or a descriptor, written in place */
    char held[40];  /* where it is until it has NAME: the descriptor in /proc; empty: it has it */
    int descriptor; /* open for writing until the end: who closes it takes a duplicate */
};

/* Whether PATH is a link of another user than this one and root, which is a risk in a shared folder. */
bool gsim_part_is_foreign(const char *path);
/* Opens the temporary file, with the mode of the file that it replaces. GSIM_IO, naming PATH: also if PATH is a foreign
 * link. */
enum gsim_status gsim_part_open(struct gsim_part *part, const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Renames the file and releases PART. False, with errno: failed, and the file is removed. */
int gsim_part_commit(struct gsim_part *part) GSIM_NODISCARD;
/* Removes the temporary file unless committed; accepts zeroed. */
void gsim_part_release(struct gsim_part *part);
