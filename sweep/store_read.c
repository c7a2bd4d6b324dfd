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

static const char select_rows[] = "SELECT "
#define X(name, type, unit, help) #name ","
#include "sweep/columns.def"
#undef X
                                  "id FROM points ";

static enum gsim_status walk(struct gsim_store *store, const char *rest, const char *key, gsim_row_visit *visit,
                             void *data, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    struct gsim_row row;
    char sql[sizeof(select_rows) + 64];
    snprintf(sql, sizeof(sql), "%s%s", select_rows, rest);
    enum gsim_status status = prepare(store, sql, &statement, error);
    if (status != GSIM_OK) return status;
    if (key) sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    while (status == GSIM_OK && step(store, statement, &status, error)) {
        for (int i = 0; i < GSIM_COLUMN_COUNT; i++) row.cells[i] = cell_at(statement, i);
        row.id = sqlite3_column_int64(statement, GSIM_COLUMN_COUNT);
        status = visit(data, &row, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum gsim_status gsim_store_each(struct gsim_store *store, gsim_row_visit *visit, void *data, struct gsim_error *error)
{
    return walk(store, "ORDER BY sweep, position, id", NULL, visit, data, error);
}

enum gsim_status gsim_store_find(struct gsim_store *store, const char *key, gsim_row_visit *visit, void *data,
                                 struct gsim_error *error)
{
    return walk(store, "WHERE key = ?1", key, visit, data, error);
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
        prepare(store, "SELECT id, name, command, spec, version, model, shard, points FROM sweeps ORDER BY id",
                &statement, error);
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

/* The texts of the first column, in memory of ARENA; NAMES has room for them behind *COUNT after the first pass. */
static enum gsim_status texts_of(struct gsim_store *store, const char *sql, struct gsim_arena *arena,
                                 const char ***names, size_t *count, struct gsim_error *error)
{
    sqlite3_stmt *statement;
    size_t capacity = 0, found = 0;
    void *array = NULL;
    enum gsim_status status = prepare(store, sql, &statement, error);
    if (status != GSIM_OK) return status;
    while (status == GSIM_OK && step(store, statement, &status, error)) {
        const char *text = text_at(statement, 0);
        gsim_array_grow(&array, sizeof(char *), found, &capacity);
        ((const char **)array)[found++] = gsim_arena_strdup(arena, text ? text : "");
    }
    sqlite3_finalize(statement);
    const char **kept = GSIM_ARENA_ARRAY(arena, const char *, *count + found + 1);
    if (kept && *count) memcpy(kept, *names, *count * sizeof(*kept));
    if (kept && found) memcpy(kept + *count, array, found * sizeof(*kept));
    gsim_free(array);
    *names = kept;
    *count += found;
    return status;
}

enum gsim_status gsim_store_models(struct gsim_store *store, struct gsim_arena *arena, const char ***models,
                                   size_t *count, struct gsim_error *error)
{
    *models = NULL;
    *count = 0;
    return texts_of(store, "SELECT DISTINCT version || ' ' || model FROM points ORDER BY 1", arena, models, count,
                    error);
}

enum gsim_status gsim_store_names(struct gsim_store *store, struct gsim_arena *arena, const char ***names,
                                  size_t *axis_count, size_t *count, struct gsim_error *error)
{
    /* Axes in the order of the first row that has them: that of the spec. */
    static const char axes[] =
        "SELECT key FROM (SELECT json_each.key AS key, min(points.id * 1000 + json_each.id) AS place"
        " FROM points, json_each(points.axes) GROUP BY json_each.key) ORDER BY place";
    static const char options[] = "SELECT DISTINCT json_each.key FROM points, json_each(points.options) ORDER BY 1";
    static const char tasks[] =
        "SELECT DISTINCT task.key || '.' || figure.key FROM points, json_each(points.tasks) AS task,"
        " json_each(task.value) AS figure ORDER BY points.id, task.id, figure.id";
    *names = NULL;
    *count = 0;
    enum gsim_status status = texts_of(store, axes, arena, names, count, error);
    *axis_count = *count;
    if (status == GSIM_OK) status = texts_of(store, options, arena, names, count, error);
    return status == GSIM_OK ? texts_of(store, tasks, arena, names, count, error) : status;
}
