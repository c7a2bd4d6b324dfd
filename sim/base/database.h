/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. What an SQLite file from others may do when it is read: hold tables, nothing else. Its views and
 * triggers are off, its schema is not trusted, and reading ends after as much work as honest files of its size need.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpusim/status.h"

/* Pages of a damaged file may lead back to each other, so that a table has no end: after more work than the file's
 * bytes of rows can be, statements fail with SQLITE_INTERRUPT. */
struct gsim_database_steps {
    uint64_t left; /* thousands of SQLite's instructions */
};

/* For a program, once, before all else: where SQLite has no memory left the process ends, by gsim_ends_out_of_memory().
 */
void gsim_database_install(void);
/* Opens PATH for reading, also where its folder cannot be written. MAY_RECOVER: brings the log of a killed writer into
 * order where PATH can be written. *DATABASE is to be closed, also after a failure, and STEPS must outlive its use.
 * Returns SQLite's code. */
int gsim_database_open(const char *path, bool may_recover, sqlite3 **database, struct gsim_database_steps *steps);
/* Distrusts, as open does, a DATABASE that is open for writing; it has no bound. */
void gsim_database_distrust(sqlite3 *database);
/* Whether TABLE is one that the file itself holds: neither a view nor made up by a module, no column computed. */
bool gsim_database_holds(sqlite3 *database, const char *table);
/* Why the last call failed. */
const char *gsim_database_reason(sqlite3 *database);
