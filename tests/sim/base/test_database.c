/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Databases of others: no view, no computed column, no end without limit; and those in a folder that cannot be
 * written. */
#include "sim/base/database.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/scratch.h"
#include "tests/test.h"

#define NOBODY 65534

static void make(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    char *message = NULL;
    CHECK_INT(sqlite3_open(path, &database), SQLITE_OK);
    int code = sqlite3_exec(database, sql, NULL, NULL, &message);
    CHECK_MSG(code == SQLITE_OK, "%s", message ? message : "");
    sqlite3_free(message);
    CHECK_INT(sqlite3_close(database), SQLITE_OK);
}

static int run(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL); }

static void only_tables(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    sqlite3 *database;
    struct gsim_database_steps steps;
    const char *path = NULL;
    CHECK_OK(gsim_scratch_file(&arena, &path, &error), error);
    make(path, "CREATE TABLE plain(a, b); INSERT INTO plain VALUES(1, 2);"
               "CREATE TABLE computed(a, b AS (hex(zeroblob(a))));"
               "CREATE TABLE stored(a, b AS (a + 1) STORED);"
               "CREATE VIRTUAL TABLE module USING fts5(a);"
               "CREATE VIEW seen AS WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x;"
               "CREATE TRIGGER after_plain AFTER INSERT ON plain BEGIN DELETE FROM plain; END;");
    CHECK_INT(gsim_database_open(path, true, &database, &steps), SQLITE_OK);
    CHECK(gsim_database_holds(database, "plain"));
    CHECK(gsim_database_holds(database, "PLAIN")); /* as SQLite takes names */
    static const char *const others[] = {"computed", "stored", "module", "seen", "after_plain", "absent", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK_MSG(!gsim_database_holds(database, others[i]), "'%s'", others[i]);
    CHECK_INT(run(database, "SELECT b FROM plain"), SQLITE_OK);
    CHECK_INT(run(database, "SELECT n FROM seen"), SQLITE_ERROR);
    CHECK_INT(run(database, "SELECT hex(zeroblob(40000000))"), SQLITE_TOOBIG);
    CHECK_INT(sqlite3_close(database), SQLITE_OK);
    gsim_scratch_remove(path);
    gsim_arena_release(&arena);
}

static void steps_end(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    sqlite3 *database;
    struct gsim_database_steps steps;
    const char *path = NULL;
    CHECK_OK(gsim_scratch_file(&arena, &path, &error), error);
    make(path, "CREATE TABLE t(a); WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 200000)"
               " INSERT INTO t SELECT n FROM x;");
    CHECK_INT(gsim_database_open(path, false, &database, &steps), SQLITE_OK);
    for (int i = 0; i < 5; i++) CHECK_INT(run(database, "SELECT count(*), sum(a) FROM t ORDER BY a"), SQLITE_OK);
    CHECK_INT(run(database, "SELECT count(*) FROM t, t AS u, t AS v"), SQLITE_INTERRUPT);
    CHECK_HAS(gsim_database_reason(database), "more rows than the file can hold");
    CHECK_INT(run(database, "SELECT count(*) FROM t, t AS u"), SQLITE_INTERRUPT); /* all statements together */
    CHECK_INT(sqlite3_close(database), SQLITE_OK);
    gsim_scratch_remove(path);
    gsim_arena_release(&arena);
}

/* In a child that may not write: 0 when the table there has SUM. */
static int read_as_nobody(const char *path, int sum)
{
    sqlite3 *database = NULL;
    struct gsim_database_steps steps;
    sqlite3_stmt *statement = NULL;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) return 1;
    if (gsim_database_open(path, true, &database, &steps) != SQLITE_OK) return 2;
    if (sqlite3_prepare_v2(database, "SELECT sum(a) FROM t", -1, &statement, NULL) != SQLITE_OK) return 3;
    if (sqlite3_step(statement) != SQLITE_ROW) return 4;
    return sqlite3_column_int(statement, 0) == sum ? 0 : 5;
}

static int ends_with(const char *path, int sum)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(read_as_nobody(path, sum));
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void folder_that_cannot_be_written(void)
{
    static const char *const called[] = {"results.db", "a b.db", "a?b#c%41&d.db", "'\"\xc3\xa9.db"};
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    const char *folder = NULL;
    CHECK_OK(gsim_scratch_folder(&arena, &folder, &error), error);
    for (size_t i = 0; i < sizeof called / sizeof called[0]; i++) {
        const char *path = gsim_arena_printf(&arena, "%s/%s", folder, called[i]);
        make(path, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(20), (22);");
        CHECK_INT(chmod(path, 0444), 0);
        CHECK_INT(chmod(folder, 0555), 0);
        CHECK_MSG(ends_with(path, 42) == 0, "'%s': %d", called[i], ends_with(path, 42));
        CHECK_MSG(ends_with(gsim_arena_printf(&arena, "//%s", path), 42) == 0, "'//%s'", called[i]);
        CHECK_INT(chmod(folder, 0755), 0);
    }
    gsim_scratch_remove(folder);
    CHECK(access(folder, F_OK) != 0);
    gsim_arena_release(&arena);
}

/* What a writer that was killed has left in the log counts: it is never passed over. */
static void log_is_not_passed_over(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    const char *folder = NULL;
    sqlite3 *database = NULL;
    CHECK_OK(gsim_scratch_folder(&arena, &folder, &error), error);
    const char *path = gsim_arena_printf(&arena, "%s/t.db", folder);
    make(path, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(20);");
    CHECK_INT(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_INT(run(database, "INSERT INTO t VALUES(22)"), SQLITE_OK);
    CHECK_INT(chmod(folder, 0555), 0);
    int end = ends_with(path, 42); /* with the log, or not at all */
    CHECK_MSG(end == 0 || end == 2 || end == 3 || end == 4, "%d", end);
    CHECK_INT(chmod(folder, 0755), 0);
    sqlite3_close(database);
    gsim_scratch_remove(folder);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {
    {"only tables", only_tables},
    {"steps end", steps_end},
    {"a folder that cannot be written", folder_that_cannot_be_written},
    {"a log is not passed over", log_is_not_passed_over},
};
TEST_MAIN("sim/database", cases)
