/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (internal: sweep/store.c and sweep/store_read.c alone include it). An open results file. */
#pragma once

#include <sqlite3.h>

#include "sim/base/database.h"
#include "sweep/lock.h"
#include "sweep/store.h"

struct gsim_store {
    sqlite3 *db;
    struct gsim_database_steps steps; /* of a reader */
    sqlite3_stmt *insert; /* NULL until the first row */
    const char *path;
    struct gsim_sweep_lock lock; /* of a writer */
    struct gsim_arena arena;
};

/* SQLite's last error as a message: "cannot DOING 'PATH': ...". Returns its status. */
enum gsim_status gsim_store_fail(const struct gsim_store *store, const char *doing, struct gsim_error *error);
