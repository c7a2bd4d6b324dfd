/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SQLite behind sweep/store.h: the schema, opening and its refusals, transactions. Reading: sweep/store_read.c. */
#include "sweep/store.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/store_state.h"

/* SQLite waits so long for a reader that is in its way. */
#define BUSY_MS 10000

enum gsim_status gsim_store_fail(const struct gsim_store *store, const char *doing, struct gsim_error *error)
{
    int code = sqlite3_errcode(store->db), system_code = sqlite3_system_errno(store->db);
    bool is_full = (code & 0xff) == SQLITE_FULL ||
                   ((code & 0xff) == SQLITE_IOERR && (system_code == ENOSPC || system_code == EDQUOT));
    /* Whatever it was doing: only writing needs room, and opening and reading write the log and its index. */
    if (is_full)
        return gsim_error_set(error, GSIM_IO, "cannot write '%s': the disk is full; what was reported done is safe",
                              store->path);
    switch (code & 0xff) {
    case SQLITE_NOMEM: return gsim_no_memory(error);
    case SQLITE_CORRUPT:
        return gsim_error_set(error, GSIM_IO,
                              "cannot %s '%s': the file is damaged (%s); keep a copy and try: sqlite3 '%s' .recover",
                              doing, store->path, sqlite3_errmsg(store->db), store->path);
    case SQLITE_NOTADB:
        return gsim_error_set(error, GSIM_INPUT,
                              "cannot %s '%s': expected a results file of gpusim sweep, found "
                              "something that is no SQLite database",
                              doing, store->path);
    case SQLITE_INTERRUPT:
    case SQLITE_TOOBIG:
        return gsim_error_set(error, GSIM_INPUT, "cannot %s '%s': %s", doing, store->path,
                              gsim_database_reason(store->db));
    case SQLITE_CANTOPEN:
        return gsim_error_set(
            error, GSIM_IO,
            "cannot %s '%s': %s%s%s; where its folder cannot be written, copy it with its '-wal' to one that can",
            doing, store->path, sqlite3_errmsg(store->db), system_code ? ": " : "",
            system_code ? strerror(system_code) : "");
    default:
        return gsim_error_set(error, GSIM_IO, "cannot %s '%s': %s%s%s; what was reported done is safe", doing,
                              store->path, sqlite3_errmsg(store->db), system_code ? ": " : "",
                              system_code ? strerror(system_code) : "");
    }
}

static enum gsim_status execute(struct gsim_store *store, const char *sql, const char *doing, struct gsim_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? GSIM_OK : gsim_store_fail(store, doing, error);
}

/* The first column of the first row, as a number; -1 when there is none. */
static int64_t pragma(struct gsim_store *store, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t value = -1;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    if (sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* --- the schema ---------------------------------------------------------------------------------------------- */
static const char create_sql[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "INSERT INTO meta VALUES('schema', '" GSIM_STORE_SCHEMA "');"
    "CREATE TABLE sweeps(id INTEGER PRIMARY KEY, name TEXT, command TEXT, spec TEXT, version TEXT, model TEXT,"
    " points INTEGER, shard TEXT);"
    "CREATE TABLE points(id INTEGER PRIMARY KEY"
#define X(name, type, unit, help) ", " #name " " #type
#include "sweep/columns.def"
#undef X
    ");"
    "CREATE UNIQUE INDEX points_key ON points(key);"
    "PRAGMA application_id = 1735423347;" /* GSIM_STORE_ID; pragmas take literals only */
    "PRAGMA user_version = 2;" /* GSIM_STORE_VERSION */
    "COMMIT;";

static enum gsim_status check_schema(struct gsim_store *store, bool is_writer, struct gsim_error *error)
{
    /* The first access tells whether this is a database at all. */
    enum gsim_status status = execute(store, "SELECT count(*) FROM sqlite_master", "read", error);
    if (status != GSIM_OK) return status;
    int64_t tables = pragma(store, "SELECT count(*) FROM sqlite_master");
    if (tables == 0 && is_writer) return execute(store, create_sql, "write", error);
    if (pragma(store, "PRAGMA application_id") != GSIM_STORE_ID)
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a results file of gpusim sweep, found %s",
                              store->path, tables ? "a database of something else" : "an empty database");
    int64_t version = pragma(store, "PRAGMA user_version");
    if (version != GSIM_STORE_VERSION)
        return gsim_error_set(error, GSIM_INPUT,
                              "cannot read '%s': its schema is version %lld, expected %d: use the "
                              "gpusim that wrote it",
                              store->path, (long long)version, GSIM_STORE_VERSION);
    static const char *const held[] = {"points", "sweeps"};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        if (!gsim_database_holds(store->db, held[i]))
            return gsim_error_set(error, GSIM_INPUT,
                                  "cannot read '%s': expected a table '%s', found none that the file itself holds",
                                  store->path, held[i]);
    return GSIM_OK;
}

/* A damaged file is refused before a sweep adds hours of work to it. */
static enum gsim_status check_intact(struct gsim_store *store, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    enum gsim_status status = GSIM_OK;
    if (sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
        return gsim_store_fail(store, "read", error);
    if (sqlite3_step(statement) != SQLITE_ROW)
        status = gsim_store_fail(store, "read", error);
    else if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
        status = gsim_error_set(
            error, GSIM_IO,
            "cannot write '%s': the file is damaged (%.200s); keep a copy and try: sqlite3 '%s' .recover", store->path,
            (const char *)sqlite3_column_text(statement, 0), store->path);
    sqlite3_finalize(statement);
    return status;
}

/* --- opening --------------------------------------------------------------------------------------------------- */
static enum gsim_status check_file(const char *path, enum gsim_store_mode mode, struct gsim_error *error)
{
    struct stat about;
    bool is_there = stat(path, &about) == 0;
    if (!is_there && errno != ENOENT)
        return gsim_error_set(error, GSIM_IO, "cannot open '%s': %s", path, strerror(errno));
    if (is_there && !S_ISREG(about.st_mode))
        return gsim_error_set(error, GSIM_INPUT, "cannot open '%s': expected a results file, found %s", path,
                              S_ISDIR(about.st_mode) ? "a folder" : "no regular file");
    if (mode == GSIM_STORE_READ && !is_there)
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': no such file", path);
    /* An empty file is what an interrupted beginning leaves: nothing is in it. */
    if (mode == GSIM_STORE_CREATE && is_there && about.st_size > 0)
        return gsim_error_set(
            error, GSIM_INPUT,
            "'%s' is there already: --resume adds what it does not have yet, --out FILE names another", path);
    return GSIM_OK;
}

static enum gsim_status open_writer(struct gsim_store *store, struct gsim_error *error)
{
    enum gsim_status status = execute(store, "PRAGMA journal_mode = WAL", "write", error);
    /* In the log, NORMAL never damages the file; only a power cut can take back the last moments. */
    if (status == GSIM_OK) status = execute(store, "PRAGMA synchronous = NORMAL", "write", error);
    if (status == GSIM_OK) status = check_schema(store, true, error);
    if (status == GSIM_OK) status = check_intact(store, error);
    return status;
}

static int open_database(struct gsim_store *store, bool is_writer)
{
    if (!is_writer) return gsim_database_open(store->path, true, &store->db, &store->steps);
    int code = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) gsim_database_distrust(store->db);
    return code;
}

enum gsim_status gsim_store_open(const char *path, enum gsim_store_mode mode, struct gsim_store **store,
                                 struct gsim_error *error)
{
    bool is_writer = mode != GSIM_STORE_READ;
    *store = NULL;
    enum gsim_status status = check_file(path, mode, error);
    if (status != GSIM_OK) return status;
    struct gsim_store *made = gsim_alloc(sizeof(*made));
    made->path = gsim_arena_strdup(&made->arena, path);
    if (is_writer) status = gsim_sweep_lock_take(&made->lock, path, error);
    if (status == GSIM_OK && is_writer)
        status = check_file(path, mode, error); /* another may have filled it meanwhile */
    if (status == GSIM_OK && open_database(made, is_writer) != SQLITE_OK) status = gsim_store_fail(made, "open", error);
    if (status == GSIM_OK) sqlite3_busy_timeout(made->db, BUSY_MS);
    if (status == GSIM_OK) status = is_writer ? open_writer(made, error) : check_schema(made, false, error);
    if (status != GSIM_OK) gsim_store_close(made);
    else *store = made;
    return status;
}

void gsim_store_close(struct gsim_store *store)
{
    if (!store) return;
    sqlite3_finalize(store->insert);
    sqlite3_close(store->db);
    gsim_sweep_lock_release(&store->lock);
    gsim_arena_release(&store->arena);
    gsim_free(store);
}

/* --- rows ------------------------------------------------------------------------------------------------------ */
enum gsim_status gsim_store_begin(struct gsim_store *store, struct gsim_error *error)
{
    return execute(store, "BEGIN IMMEDIATE", "write", error);
}

enum gsim_status gsim_store_commit(struct gsim_store *store, struct gsim_error *error)
{
    return execute(store, "COMMIT", "write", error);
}

/* A row that is there and done stays; one that failed gives way. */
static const char insert_sql[] = "INSERT INTO points("
#define X(name, type, unit, help) #name ","
#include "sweep/columns.def"
#undef X
                                 "id) VALUES("
#define X(name, type, unit, help) "?,"
#include "sweep/columns.def"
#undef X
                                 "NULL) ON CONFLICT(key) DO UPDATE SET "
#define X(name, type, unit, help) #name "=excluded." #name ","
#include "sweep/columns.def"
#undef X
                                 "id=id WHERE points.status<>'ok'";

static int bind(sqlite3_stmt *statement, int index, const struct gsim_cell *cell)
{
    switch (cell->type) {
    case GSIM_CELL_NULL:
        return sqlite3_bind_null(statement, index);
    case GSIM_CELL_INTEGER:
        return sqlite3_bind_int64(statement, index, cell->integer);
    case GSIM_CELL_REAL:
        return sqlite3_bind_double(statement, index, cell->real);
    case GSIM_CELL_TEXT:
        return sqlite3_bind_text(statement, index, cell->text, -1, SQLITE_STATIC);
    }
    GSIM_BUG("cell type %d", (int)cell->type);
}

enum gsim_status gsim_store_insert(struct gsim_store *store, const struct gsim_row *row, bool *is_stored,
                                   struct gsim_error *error)
{
    int code = SQLITE_OK;
    if (!store->insert)
        code = sqlite3_prepare_v3(store->db, insert_sql, -1, SQLITE_PREPARE_PERSISTENT, &store->insert, NULL);
    for (int i = 0; code == SQLITE_OK && i < GSIM_COLUMN_COUNT; i++) code = bind(store->insert, i + 1, &row->cells[i]);
    if (code == SQLITE_OK) code = sqlite3_step(store->insert);
    if (code != SQLITE_DONE) {
        enum gsim_status status = gsim_store_fail(store, "write", error);
        sqlite3_reset(store->insert);
        return status;
    }
    if (is_stored) *is_stored = sqlite3_changes(store->db) > 0;
    sqlite3_reset(store->insert);
    return GSIM_OK;
}

enum gsim_status gsim_store_add_sweep(struct gsim_store *store, struct gsim_sweep_record *record,
                                      struct gsim_error *error)
{
    static const char find[] = "SELECT id FROM sweeps WHERE spec = ?1 AND version = ?2 AND model = ?3 AND shard IS ?4";
    static const char add[] = "INSERT INTO sweeps(spec, version, model, shard, name, command, points)"
                              " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(store->db, i ? add : find, -1, &statement, NULL) != SQLITE_OK)
            return gsim_store_fail(store, "write", error);
        const char *texts[] = {record->spec,  record->version, record->model,
                               record->shard, record->name,    record->command};
        for (int j = 0; j < (i ? 6 : 4); j++) sqlite3_bind_text(statement, j + 1, texts[j], -1, SQLITE_STATIC);
        if (i) sqlite3_bind_int64(statement, 7, record->points);
        int code = sqlite3_step(statement);
        if (code == SQLITE_ROW) record->id = sqlite3_column_int64(statement, 0);
        enum gsim_status status =
            code == SQLITE_ROW || code == SQLITE_DONE ? GSIM_OK : gsim_store_fail(store, "write", error);
        sqlite3_finalize(statement);
        if (status != GSIM_OK || code == SQLITE_ROW) return status;
    }
    record->id = sqlite3_last_insert_rowid(store->db);
    return GSIM_OK;
}

enum gsim_status gsim_store_count_points(struct gsim_store *store, struct gsim_error *error)
{
    return execute(store, "UPDATE sweeps SET points = (SELECT count(*) FROM points WHERE sweep = sweeps.id)", "write",
                   error);
}
