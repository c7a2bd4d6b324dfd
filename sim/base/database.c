/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/database.h. A view may never end, a trigger may write. */
#include "sim/base/database.h"

#include <stddef.h>

void gsim_database_distrust(sqlite3 *database)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) sqlite3_db_config(database, off[i], 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

#define STEPS_PER_BYTE 20 /* exports of nsys take two */
#define STEPS_FREE     10000000

static int count_down(void *context)
{
    struct gsim_database_steps *steps = context;
    if (steps->left) steps->left--;
    return steps->left == 0;
}

void gsim_database_bound(sqlite3 *database, struct gsim_database_steps *steps, uint64_t bytes)
{
    steps->left = (bytes * STEPS_PER_BYTE + STEPS_FREE) / 1000;
    sqlite3_progress_handler(database, 1000, count_down, steps);
}
