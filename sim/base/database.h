/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. What an SQLite file from others may do when it is read: hold tables, nothing else. Its views and
 * triggers are off, its schema is not trusted, and reading ends after as many steps as honest files of its size need.
 */
#ifndef GSIM_BASE_DATABASE_H
#define GSIM_BASE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "gpusim/status.h"

/* Opens PATH for reading, also where its folder cannot be written. MAY_RECOVER: brings the log of a killed writer into
 * order where PATH can be written. *DATABASE is to be closed, also after a failure. Returns SQLite's code. */
int gsim_database_open(const char *path, bool may_recover, sqlite3 **database);
/* The same limits for a DATABASE that is open for writing, but for the steps. */
void gsim_database_distrust(sqlite3 *database);
/* Whether TABLE is one that the file itself holds: neither a view nor made up by a module, no column computed. */
bool gsim_database_holds(sqlite3 *database, const char *table);
/* Why the last call failed. */
const char *gsim_database_reason(sqlite3 *database);

#endif
