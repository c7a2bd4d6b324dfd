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
