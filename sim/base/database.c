/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/database.h. A view may never end, a trigger may write, a computed column may fill the memory. */
#include "sim/base/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpusim/memory.h"

#define VALUE_BYTES  (64 << 20)
#define STEPS_LEAST  50000000 /* half a second's */
#define STEPS_A_BYTE 100      /* honest files need less than 10: a value has 2 bytes or more */
#define LOOK_STEPS   100000

void gsim_database_distrust(sqlite3 *database)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) sqlite3_db_config(database, off[i], 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    sqlite3_exec(database, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* --- steps --------------------------------------------------------------------------------------------------------- */
static int count_steps(void *data)
{
    uint64_t *left = data;
    if (*left < LOOK_STEPS) return 1;
    *left -= LOOK_STEPS;
    return 0;
}

static void nothing(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

/* The count belongs to a function that nobody calls: SQLite frees it when the database is closed. */
static int limit_steps(sqlite3 *database, const char *path)
{
    struct stat info;
    uint64_t bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0, *left = gsim_alloc(sizeof *left);
    if (!left) return SQLITE_NOMEM;
    *left = STEPS_LEAST + STEPS_A_BYTE * bytes;
    int code = sqlite3_create_function_v2(database, "gpusim_steps", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, left, nothing, NULL,
                                          NULL, gsim_free); /* frees it as well where it fails */
    if (code == SQLITE_OK) sqlite3_progress_handler(database, LOOK_STEPS, count_steps, left);
    return code;
}

/* --- opening ------------------------------------------------------------------------------------------------------- */
/* Whether there is something beside PATH in which SQLite keeps what is not in PATH yet. */
static bool has_beside(const char *path, const char *ending)
{
    struct stat info;
    bool has = true;
    size_t size = strlen(path) + strlen(ending) + 1;
    char *name = gsim_alloc(size);
    if (name) {
        snprintf(name, size, "%s%s", path, ending);
        has = stat(name, &info) == 0 && info.st_size > 0;
    }
    gsim_free(name);
    return has;
}

static bool folder_is_writable(const char *path)
{
    size_t length = strlen(path);
    char *folder = gsim_alloc(length + 1);
    if (!folder) return true;
    memcpy(folder, path, length + 1);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder ? 1 : 0] = '\0';
    bool is_writable = access(slash ? folder : ".", W_OK) == 0;
    gsim_free(folder);
    return is_writable;
}

/* As a URI: "file:PATH?immutable=1", whatever PATH is called. */
static int open_immutable(const char *path, sqlite3 **database)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./";
    static const char head[] = "file:", tail[] = "?immutable=1";
    size_t size = sizeof head + sizeof tail + 3 * strlen(path) + 2, used = sizeof head - 1;
    char *uri = gsim_alloc(size);
    if (!uri) return SQLITE_NOMEM;
    memcpy(uri, head, used);
    if (path[0] == '/' && path[1] == '/') /* else the next word were a host */
        while (path[1] == '/') path++;
    for (; *path; path++) {
        if (strchr(plain, *path))
            uri[used++] = *path;
        else
            used += (size_t)snprintf(uri + used, size - used, "%%%02X", (unsigned)(unsigned char)*path);
    }
    memcpy(uri + used, tail, sizeof tail);
    int code = sqlite3_open_v2(uri, database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    gsim_free(uri);
    return code;
}

/* Whether CODE, of the first access, tells of a log that could not be made or read. */
static bool is_about_log(int code)
{
    code &= 0xff;
    return code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_READONLY;
}

/* The first access makes the log's index beside PATH, which takes a folder and a disk that can be written: where there is
 * no log, the file is read without one. */
int gsim_database_open(const char *path, bool may_recover, sqlite3 **database)
{
    *database = NULL;
    bool is_alone = !has_beside(path, "-wal") && !has_beside(path, "-journal"), is_plain = !is_alone || folder_is_writable(path);
    int flags = may_recover && access(path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code = is_plain ? sqlite3_open_v2(path, database, flags, NULL) : open_immutable(path, database);
    if (code == SQLITE_OK) gsim_database_distrust(*database);
    if (code == SQLITE_OK && is_plain && is_alone &&
        is_about_log(sqlite3_exec(*database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL))) {
        sqlite3_close(*database);
        code = open_immutable(path, database);
        if (code == SQLITE_OK) gsim_database_distrust(*database);
    }
    return code == SQLITE_OK ? limit_steps(*database, path) : code;
}

/* --- what it holds -------------------------------------------------------------------------------------------------- */
bool gsim_database_holds(sqlite3 *database, const char *table)
{
    static const char sql[] = "SELECT type = 'table' AND rootpage > 0 AND"
                              " NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(sqlite_master.name) WHERE hidden <> 0)"
                              " FROM sqlite_master WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    sqlite3_stmt *statement = NULL;
    bool holds = false;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        holds = sqlite3_column_int(statement, 0) == 1;
    sqlite3_finalize(statement);
    return holds;
}

const char *gsim_database_reason(sqlite3 *database)
{
    if (!database) return "out of memory";
    if (sqlite3_errcode(database) == SQLITE_INTERRUPT) return "reading it takes far more steps than a file of its size can need";
    return sqlite3_errmsg(database);
}
