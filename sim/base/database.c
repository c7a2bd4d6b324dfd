/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/database.h. Risks: an endless view, a trigger that writes, a computed column that fills memory. */
#include "sim/base/database.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/ends.h"

#define VALUE_BYTES    (64 << 20)
#define STEPS_PER_BYTE 20 /* exports of nsys take two, results files less than one */
#define STEPS_FREE     1000000
#define STEPS_A_LOOK   1000

/* SQLite's own allocator, but that the process ends where it has none left: a table that was not read, a text that is
 * NULL would else look like what the file holds. */
static sqlite3_mem_methods usual;

static void *or_end(void *memory, int size)
{
    if (!memory && size > 0) gsim_ends_out_of_memory();
    return memory;
}

static void *allocate(int size) { return or_end(usual.xMalloc(size), size); }
static void *reallocate(void *memory, int size) { return or_end(usual.xRealloc(memory, size), size); }

void gsim_database_install(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) return;
    sqlite3_mem_methods ours = usual;
    ours.xMalloc = allocate;
    ours.xRealloc = reallocate;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

void gsim_database_distrust(sqlite3 *database)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) sqlite3_db_config(database, off[i], 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    sqlite3_exec(database, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* The size of PATH and ENDING; 0: there is none. */
static uint64_t bytes_of(const char *path, const char *ending)
{
    struct stat info;
    size_t size = strlen(path) + strlen(ending) + 1;
    char *name = gsim_alloc(size);
    if (!name) return 0;
    snprintf(name, size, "%s%s", path, ending);
    uint64_t bytes = stat(name, &info) == 0 ? (uint64_t)info.st_size : 0;
    gsim_free(name);
    return bytes;
}

static int count_down(void *context)
{
    struct gsim_database_steps *steps = context;
    if (steps->left) steps->left--;
    return steps->left == 0;
}

static void limit(sqlite3 *database, const char *path, struct gsim_database_steps *steps)
{
    gsim_database_distrust(database);
    uint64_t bytes = bytes_of(path, "") + bytes_of(path, "-wal");
    steps->left = (bytes * STEPS_PER_BYTE + STEPS_FREE) / STEPS_A_LOOK;
    sqlite3_progress_handler(database, STEPS_A_LOOK, count_down, steps);
}

/* --- opening --- */
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
        if (strchr(plain, *path)) uri[used++] = *path;
        else used += (size_t)snprintf(uri + used, size - used, "%%%02X", (unsigned)(unsigned char)*path);
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

/* The first access makes the log's index beside PATH, which takes a folder and a disk that can be written, and which
 * one who only reads leaves there: where there is no log, the file is read without one. */
int gsim_database_open(const char *path, bool may_recover, sqlite3 **database, struct gsim_database_steps *steps)
{
    *database = NULL;
    /* Beside it SQLite keeps what is not in it yet. */
    bool is_alone = !bytes_of(path, "-wal") && !bytes_of(path, "-journal"),
         is_plain = !is_alone || (may_recover && folder_is_writable(path));
    int flags = may_recover ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY; /* reads alone what is protected */
    int code = is_plain ? sqlite3_open_v2(path, database, flags, NULL) : open_immutable(path, database);
    if (code == SQLITE_OK) limit(*database, path, steps);
    if (code == SQLITE_OK && is_plain && is_alone &&
        is_about_log(sqlite3_exec(*database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL))) {
        sqlite3_close(*database);
        code = open_immutable(path, database);
        if (code == SQLITE_OK) limit(*database, path, steps);
    }
    return code;
}

/* --- what it holds --- */
static bool is_true(sqlite3 *database, const char *sql, const char *table)
{
    sqlite3_stmt *statement = NULL;
    bool answer = sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
                  sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
                  sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
    sqlite3_finalize(statement);
    return answer;
}

bool gsim_database_holds(sqlite3 *database, const char *table)
{
    return is_true(database,
                   "SELECT type = 'table' AND rootpage > 0 FROM sqlite_master WHERE name = ?1 COLLATE NOCASE AND type "
                   "IN ('table', 'view')",
                   table) &&
           is_true(database, "SELECT sum(hidden <> 0) = 0 FROM pragma_table_xinfo(?1)", table);
}

const char *gsim_database_reason(sqlite3 *database)
{
    if (!database) return "out of memory";
    if (sqlite3_errcode(database) == SQLITE_INTERRUPT) return "more rows than the file can hold: it is damaged";
    return sqlite3_errmsg(database);
}
