/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a results file. See sweep/store.h. */
#include "sweep/store_state.h"

static enum gsim_status prepare(struct gsim_store *store, const char *sql, sqlite3_stmt **statement,
                                struct gsim_error *error)
{
    return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK ? GSIM_OK
                                                                               : gsim_store_fail(store, "read", error);
}

/* Whether there is another row; STATUS tells why not. */
static bool step(struct gsim_store *store, sqlite3_stmt *statement, enum gsim_status *status, struct gsim_error *error)
{
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) *status = gsim_store_fail(store, "read", error);
    return code == SQLITE_ROW;
}

static const char *text_at(sqlite3_stmt *statement, int index)
{
    return (const char *)sqlite3_column_text(statement, index);
}

static struct gsim_cell cell_at(sqlite3_stmt *statement, int index)
{
    switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
        return gsim_cell_integer(sqlite3_column_int64(statement, index));
    case SQLITE_FLOAT:
        return gsim_cell_real(sqlite3_column_double(statement, index));
    case SQLITE_NULL:
        return (struct gsim_cell){.type = GSIM_CELL_NULL};
    default:
        return gsim_cell_text(text_at(statement, index));
    }
}

enum gsim_status gsim_store_each(struct gsim_store *store, gsim_row_visit *visit, void *data, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    struct gsim_row row;
    enum gsim_status status = prepare(store,
                                      "SELECT "
#define X(name, type, unit, help) #name ","
#include "sweep/columns.def"
#undef X
                                      "id FROM points ORDER BY sweep, position, id",
                                      &statement, error);
    if (status != GSIM_OK) return status;
    while (status == GSIM_OK && step(store, statement, &status, error)) {
        for (int i = 0; i < GSIM_COLUMN_COUNT; i++) row.cells[i] = cell_at(statement, i);
        row.id = sqlite3_column_int64(statement, GSIM_COLUMN_COUNT);
        status = visit(data, &row, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum gsim_status gsim_store_each_key(struct gsim_store *store,
                                     enum gsim_status (*visit)(void *data, const char *key, const char *status),
                                     void *data, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    enum gsim_status status = prepare(store, "SELECT key, status FROM points", &statement, error);
    if (status != GSIM_OK) return status;
    while (status == GSIM_OK && step(store, statement, &status, error))
        status = visit(data, text_at(statement, 0), text_at(statement, 1));
    sqlite3_finalize(statement);
    return status;
}

enum gsim_status gsim_store_each_sweep(struct gsim_store *store,
                                       enum gsim_status (*each)(void *data, const struct gsim_sweep_record *record,
                                                                struct gsim_error *error),
                                       void *data, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    enum gsim_status status =
        prepare(store, "SELECT id, name, command, spec, version, model, shard, points FROM sweeps ORDER BY id", &statement,
                error);
    if (status != GSIM_OK) return status;
    while (status == GSIM_OK && step(store, statement, &status, error)) {
        struct gsim_sweep_record record = {.id = sqlite3_column_int64(statement, 0),
                                           .name = text_at(statement, 1),
                                           .command = text_at(statement, 2),
                                           .spec = text_at(statement, 3),
                                           .version = text_at(statement, 4),
                                           .model = text_at(statement, 5),
                                           .shard = text_at(statement, 6),
                                           .points = sqlite3_column_int64(statement, 7)};
        status = each(data, &record, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum gsim_status gsim_store_models(struct gsim_store *store, struct gsim_arena *arena, const char ***models,
                                   size_t *count, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    *models = NULL;
    *count = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t found = 0;
        enum gsim_status status =
            prepare(store, "SELECT DISTINCT version || ' ' || model FROM points ORDER BY 1", &statement, error);
        if (status != GSIM_OK) return status;
        while (status == GSIM_OK && step(store, statement, &status, error)) {
            if (pass && found < *count) (*models)[found] = gsim_arena_strdup(arena, text_at(statement, 0));
            found++;
        }
        sqlite3_finalize(statement);
        if (status != GSIM_OK) return status;
        if (!pass) *models = GSIM_ARENA_ARRAY(arena, const char *, found + 1);
        if (arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        *count = found;
    }
    return GSIM_OK;
}
