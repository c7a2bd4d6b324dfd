/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep (helper). One writer per results file, whatever name it is reached by: a lock on the file itself. The
 * kernel drops it when the process ends, however it ends.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/status.h"

struct gsim_sweep_lock {
    int descriptor; /* meaningful while path is set */
    bool is_new; /* the file was made by this */
    char *path;
};

/* Makes the file where there is none. GSIM_IO, naming the holder, when another process has it; and where PATH is a link
 * that another user made. */
enum gsim_status gsim_sweep_lock_take(struct gsim_sweep_lock *lock, const char *path,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* The file is removed if it is new and empty. Accepts a zeroed lock. */
void gsim_sweep_lock_release(struct gsim_sweep_lock *lock);
