/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. What an SQLite file from others may do when it is read: hold tables, nothing else. */
#ifndef GSIM_BASE_DATABASE_H
#define GSIM_BASE_DATABASE_H

#include <sqlite3.h>

/* Turns off the views and triggers of the file's schema and its trust: reading runs no code that the file brings. */
void gsim_database_distrust(sqlite3 *database);

#endif
