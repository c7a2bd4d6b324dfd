/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Reads untrusted SQLite files: tables only. Views and triggers are off, the schema is not trusted,
 * and work is bounded by the file's size.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpusim/status.h"

/* Bound of work: the pages of a damaged file may form a cycle. Beyond it statements fail with SQLITE_INTERRUPT. */
struct gsim_database_steps {
    uint64_t left; /* thousands of SQLite's instructions */
};

/* Makes SQLite call gsim_ends_out_of_memory() when memory is out. For a program, once, before all else. */
void gsim_database_install(void);
/* Opens PATH for reading; its folder may be read-only. MAY_RECOVER: replays the log of a killed writer if PATH can be
 * written. The caller closes *DATABASE, also after a failure; STEPS must outlive it. Returns SQLite's code. */
int gsim_database_open(const char *path, bool may_recover, sqlite3 **database, struct gsim_database_steps *steps);
/* Applies the same limits, but no bound of work, to a DATABASE that is open for writing. */
void gsim_database_distrust(sqlite3 *database);
/* Whether TABLE is a plain table of the file: no view, no virtual table, no generated column. */
bool gsim_database_holds(sqlite3 *database, const char *table);
/* Returns why the last call failed. */
const char *gsim_database_reason(sqlite3 *database);
