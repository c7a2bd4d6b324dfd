/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep (helper). One writer per results file: a lock on a small file beside it, "FILE-writer", which holds
 * the writer's process id and host. The kernel drops the lock when the process ends, however it ends.
 */
#ifndef GSIM_SWEEP_LOCK_H
#define GSIM_SWEEP_LOCK_H

#include "gpusim/status.h"

struct gsim_sweep_lock {
    int descriptor; /* meaningful while path is set */
    char *path;
};

/* GSIM_IO, naming the holder, when another process has it. */
enum gsim_status gsim_sweep_lock_take(struct gsim_sweep_lock *lock, const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Removes the file; accepts a zeroed lock. */
void gsim_sweep_lock_release(struct gsim_sweep_lock *lock);

#endif
