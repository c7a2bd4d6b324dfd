/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. What an SQLite file from others may do when it is read: hold tables, nothing else. */
#ifndef GSIM_BASE_DATABASE_H
#define GSIM_BASE_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

/* Turns off the views and triggers of the file's schema and its trust: reading runs no code that the file brings. */
void gsim_database_distrust(sqlite3 *database);

/* Pages of a damaged file may lead back to each other, so that a table has no end: after more work than BYTES of rows can be,
 * statements fail with SQLITE_INTERRUPT. STEPS must outlive the database's use. */
struct gsim_database_steps {
    uint64_t left; /* thousands of SQLite's instructions */
};
void gsim_database_bound(sqlite3 *database, struct gsim_database_steps *steps, uint64_t bytes);

#endif
