/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust/published. See trust/published/paper.h. From a spec to points, tables and text. */
#include "trust/published/state.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/tables/tables.h"
#include "trust/published/cells.h"

#define MAX_KEYS    32
#define MAX_POINTS 1000000
#define FOLDER_WORD "{folder}"

const cJSON *gsim_paper_member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* A text, or a list of lines that make one. NULL where there is none. */
static char *text_of(const cJSON *item, struct gsim_arena *arena)
{
    const cJSON *line;
    char *text = NULL;
    if (cJSON_IsString(item)) return gsim_arena_strdup(arena, item->valuestring);
    cJSON_ArrayForEach(line, item)
    {
        if (!cJSON_IsString(line)) return NULL;
        text = text ? gsim_arena_printf(arena, "%s\n%s", text, line->valuestring)
                    : gsim_arena_strdup(arena, line->valuestring);
    }
    return text;
}

enum gsim_status gsim_paper_prepare(struct gsim_paper *p, const cJSON *item, sqlite3_stmt **statement,
                                struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *sql = text_of(item, &arena), *rest = "";
    enum gsim_status status = sql ? GSIM_OK : gsim_error_set(error, GSIM_INPUT, "expected a query");
    if (sql && sqlite3_prepare_v2(p->db, sql, -1, statement, &rest) != SQLITE_OK)
        status = gsim_cells_fail(p->db, error);
    else if (sql && (rest[strspn(rest, " \n;")] || !*statement))
        status = gsim_error_set(error, GSIM_INPUT, "expected one query, found '%.60s'", rest);
    gsim_arena_release(&arena);
    return status;
}

/* The next row of a query; false: there is none, or STATUS says what is wrong. */
bool gsim_paper_step(struct gsim_paper *p, sqlite3_stmt *statement, enum gsim_status *status, struct gsim_error *error)
{
    int code = *status == GSIM_OK ? sqlite3_step(statement) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) *status = gsim_cells_fail(p->db, error);
    return code == SQLITE_ROW;
}

const char *gsim_paper_text(sqlite3_stmt *rows, int column)
{
    const char *text = (const char *)sqlite3_column_text(rows, column);
    return text ? text : "";
}

/* --- from axes to points --- */

struct expansion {
    struct gsim_arena *arena;
    const char *folder;
    const cJSON *options, *vary;
    sqlite3_stmt *rows; /* NULL: one row of no columns */
    const char *names[MAX_KEYS];
    size_t row_columns, name_count;
    size_t setting_most;
    struct gsim_paper_batch batch;
    const char *(*keys)[MAX_KEYS]; /* by point */
    size_t point_capacity, key_capacity;
};

static const char *value_of(const cJSON *item, struct gsim_arena *arena)
{
    double number = item->valuedouble;
    if (cJSON_IsString(item)) return item->valuestring;
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "on" : "off";
    if (!cJSON_IsNumber(item)) return NULL;
    return gsim_arena_printf(arena, number == floor(number) && fabs(number) < 1e15 ? "%.0f" : "%.17g", number);
}

/* Later ones replace those of the same name; NULL takes it away. {folder} is where the spec is. */
static void set(struct expansion *e, struct gsim_paper_point *point, const char *name, const char *value)
{
    size_t i = 0;
    const char *folder = value ? strstr(value, FOLDER_WORD) : NULL;
    if (!name || name[0] == '_') return;
    if (folder)
        value = gsim_arena_printf(e->arena, "%.*s%s%s", (int)(folder - value), value, e->folder,
                                  folder + strlen(FOLDER_WORD));
    while (i < point->count && strcmp(point->settings[i].name, name) != 0) i++;
    if (value) point->settings[i] = (struct gsim_paper_setting){name, value};
    else if (i < point->count) point->settings[i] = point->settings[--point->count];
    if (value && i == point->count) point->count++;
}

static void set_all(struct expansion *e, struct gsim_paper_point *point, const cJSON *options)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, options) {
        set(e, point, item->string, value_of(item, e->arena));
    }
}

static size_t settings_in(const cJSON *options)
{
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, options) count += cJSON_IsObject(item) ? settings_in(item) : 1;
    return count;
}

static enum gsim_status add_point(struct expansion *e, const size_t *at, struct gsim_error *error)
{
    size_t index = e->batch.count, name = e->row_columns;
    const cJSON *axis;
    if (index == MAX_POINTS) return gsim_error_set(error, GSIM_INPUT, "expected at most %d points", MAX_POINTS);
    gsim_array_grow(&e->batch.points, sizeof *e->batch.points, index, &e->point_capacity);
    gsim_array_grow(&e->keys, sizeof *e->keys, index, &e->key_capacity);
    struct gsim_paper_point *point = &e->batch.points[e->batch.count++];
    *point = (struct gsim_paper_point){
        .settings = GSIM_ARENA_ARRAY(e->arena, struct gsim_paper_setting, e->setting_most + 1),
        .values = GSIM_ARENA_ARRAY(e->arena, double, e->batch.figure_count + 1)};
    set_all(e, point, e->options);
    for (size_t i = 0; i < e->row_columns; i++) {
        const char *text = (const char *)sqlite3_column_text(e->rows, (int)i);
        if (sqlite3_column_type(e->rows, (int)i) == SQLITE_FLOAT)
            text = gsim_arena_printf(e->arena, "%.17g", sqlite3_column_double(e->rows, (int)i));
        e->keys[index][i] = text ? gsim_arena_strdup(e->arena, text) : NULL;
        set(e, point, e->names[i], e->keys[index][i]);
    }
    cJSON_ArrayForEach(axis, e->vary)
    {
        const cJSON *value = cJSON_GetArrayItem(axis, (int)at[name - e->row_columns]);
        bool is_bundle = cJSON_IsObject(axis);
        e->keys[index][name] = is_bundle ? value->string : value_of(value, e->arena);
        if (is_bundle) set_all(e, point, value);
        else set(e, point, axis->string, e->keys[index][name]);
        name++;
    }
    return GSIM_OK;
}

/* All values of all axes, the last axis first. */
static enum gsim_status add_product(struct expansion *e, struct gsim_error *error)
{
    size_t at[MAX_KEYS] = {0}, axes = (size_t)cJSON_GetArraySize(e->vary);
    for (;;) {
        enum gsim_status status = add_point(e, at, error);
        size_t axis = axes;
        while (axis > 0 && ++at[axis - 1] == (size_t)cJSON_GetArraySize(cJSON_GetArrayItem(e->vary, (int)axis - 1)))
            at[--axis] = 0;
        if (status != GSIM_OK || !axis) return status;
    }
}

static enum gsim_status expand(struct gsim_paper *p, struct expansion *e, struct gsim_error *error)
{
    const cJSON *axis;
    enum gsim_status status = GSIM_OK;
    size_t columns = e->rows ? (size_t)sqlite3_column_count(e->rows) : 0;
    if (columns + (size_t)cJSON_GetArraySize(e->vary) > MAX_KEYS)
        return gsim_error_set(error, GSIM_INPUT, "expected at most %d columns and axes", MAX_KEYS);
    for (; e->row_columns < columns; e->row_columns++)
        e->names[e->name_count++] = gsim_arena_strdup(e->arena, sqlite3_column_name(e->rows, (int)e->row_columns));
    cJSON_ArrayForEach(axis, e->vary)
    {
        e->names[e->name_count++] = axis->string;
        if (!cJSON_GetArraySize(axis))
            return gsim_error_set(error, GSIM_INPUT, "vary.%s: expected a list of values, or named options",
                                  axis->string);
    }
    e->setting_most = settings_in(e->options) + settings_in(e->vary) + columns + (size_t)cJSON_GetArraySize(e->vary);
    if (!e->rows) return add_product(e, error);
    while (gsim_paper_step(p, e->rows, &status, error)) status = add_product(e, error);
    return status;
}

/* --- a group of runs --- */

/* A row for each point: its keys, its figures, and what went wrong. */
static enum gsim_status keep(struct gsim_paper *p, const char *name, struct expansion *e, struct gsim_error *error)
{
    sqlite3_stmt *insert = NULL;
    size_t figures = e->batch.figure_count, count = e->name_count + figures + 1;
    const char **columns = GSIM_ARENA_ARRAY(e->arena, const char *, count);
    memcpy(columns, e->names, sizeof *columns * e->name_count);
    memcpy(columns + e->name_count, e->batch.figures, sizeof *columns * figures);
    columns[count - 1] = "error";
    enum gsim_status status = gsim_cells_make(p->db, name, columns, count, &insert, error);
    for (size_t i = 0; i < e->batch.count && status == GSIM_OK; i++) {
        const struct gsim_paper_point *point = &e->batch.points[i];
        int column = 1;
        for (size_t k = 0; k < e->name_count; k++) gsim_cells_bind(insert, column++, e->keys[i][k]);
        for (size_t f = 0; f < figures; f++) /* SQLite takes NAN for NULL */
            sqlite3_bind_double(insert, column++, point->error ? NAN : point->values[f]);
        sqlite3_bind_text(insert, column, point->error, -1, SQLITE_TRANSIENT);
        status = gsim_cells_add(p->db, insert, error);
    }
    sqlite3_finalize(insert);
    return status;
}

/* All runs failed, or, where all are needed, one did. */
static enum gsim_status check_failures(const struct gsim_paper_batch *batch, bool is_required, struct gsim_error *error)
{
    const char *message = NULL;
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (!batch->points[i].error) continue;
        if (!count++) message = batch->points[i].error;
    }
    return count && (is_required || count == batch->count) ? gsim_error_set(error, GSIM_INPUT, "%s", message) : GSIM_OK;
}

static enum gsim_status run_group(struct gsim_paper *p, const cJSON *group, const struct gsim_paper_host *host,
                                  struct gsim_error *error)
{
    const cJSON *figures = gsim_paper_member(group, "figures"), *rows = gsim_paper_member(group, "rows"), *figure;
    struct gsim_arena arena = {0};
    struct expansion e = {.arena = &arena,
                          .folder = p->folder,
                          .options = gsim_paper_member(group, "options"),
                          .vary = gsim_paper_member(group, "vary")};
    e.batch.arena = &arena;
    e.batch.figures = GSIM_ARENA_ARRAY(&arena, const char *, cJSON_GetArraySize(figures) + 1);
    enum gsim_status status = GSIM_OK;
    cJSON_ArrayForEach(figure, figures)
        if (e.batch.figures && cJSON_IsString(figure)) e.batch.figures[e.batch.figure_count++] = figure->valuestring;
    if (status == GSIM_OK && !e.batch.figure_count)
        status = gsim_error_set(error, GSIM_INPUT, "figures: expected a list of names");
    if (status == GSIM_OK && rows) status = gsim_paper_prepare(p, rows, &e.rows, error);
    if (status == GSIM_OK) status = expand(p, &e, error);
    if (status == GSIM_OK) status = host->run(host->data, &e.batch, error);
    if (status == GSIM_OK) status = check_failures(&e.batch, cJSON_IsTrue(gsim_paper_member(group, "required")), error);
    if (status == GSIM_OK) status = keep(p, gsim_paper_member(group, "runs")->valuestring, &e, error);
    sqlite3_finalize(e.rows);
    gsim_free(e.batch.points);
    gsim_free(e.keys);
    gsim_arena_release(&arena);
    return status;
}

/* --- programs --- */

/* A column of a row is a field of an op (gpusim-program/1). A field that is a list has its numbers between blanks;
 * "pipes.NAME" is one of its pipes; the text true is the value. */
static void add_field(cJSON *op, const char *name, sqlite3_stmt *row, int column)
{
    static const char *const lists[] = {"grid", "block", "after", "group"};
    int type = sqlite3_column_type(row, column);
    const char *text = (const char *)sqlite3_column_text(row, column);
    cJSON *list = NULL;
    for (size_t i = 0; text && i < sizeof lists / sizeof lists[0] && !list; i++)
        if (strcmp(name, lists[i]) == 0) list = cJSON_AddArrayToObject(op, name);
    char *end = NULL;
    for (double number; list && (number = strtod(text, &end), end != text); text = end)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(number));
    if (list || !text) return;
    if (strncmp(name, "pipes.", 6) == 0) {
        cJSON *pipes = cJSON_GetObjectItem(op, "pipes");
        op = pipes ? pipes : cJSON_AddObjectToObject(op, "pipes");
        name += 6;
    }
    if (strcmp(text, "true") == 0) cJSON_AddTrueToObject(op, name);
    else if (type == SQLITE_TEXT) cJSON_AddStringToObject(op, name, text);
    else cJSON_AddNumberToObject(op, name, sqlite3_column_double(row, column));
}

/* Keeps a program's text, and adds its name and file to the table. */
static enum gsim_status keep_program(struct gsim_paper *p, cJSON *program, sqlite3_stmt *insert,
                                     const struct gsim_paper_host *host, struct gsim_error *error)
{
    char *text = cJSON_PrintUnformatted(program);
    const char *path = NULL;
    enum gsim_status status = host->keep(host->data, text, &path, error);
    cJSON_free(text);
    if (status != GSIM_OK) return status;
    gsim_cells_bind(insert, 1, gsim_paper_member(program, "name")->valuestring);
    gsim_cells_bind(insert, 2, path);
    return gsim_cells_add(p->db, insert, error);
}

/* A row of the query is an op; its first column is the name of the program, whose rows follow one another. */
static enum gsim_status make_programs(struct gsim_paper *p, const cJSON *item, const struct gsim_paper_host *host,
                                      struct gsim_error *error)
{
    static const char *const columns[] = {"name", "file"};
    sqlite3_stmt *rows = NULL, *insert = NULL;
    cJSON *program = NULL;
    enum gsim_status status = gsim_paper_prepare(p, gsim_paper_member(item, "sql"), &rows, error);
    if (status == GSIM_OK)
        status = gsim_cells_make(p->db, gsim_paper_member(item, "programs")->valuestring, columns, 2, &insert, error);
    while (gsim_paper_step(p, rows, &status, error)) {
        const char *name = gsim_paper_text(rows, 0);
        if (program && strcmp(gsim_paper_member(program, "name")->valuestring, name) != 0) {
            status = keep_program(p, program, insert, host, error);
            cJSON_Delete(program);
            program = NULL;
        }
        if (!program) {
            program = cJSON_CreateObject();
            cJSON_AddStringToObject(program, "schema", "gpusim-program/1");
            cJSON_AddStringToObject(program, "name", name);
            cJSON_AddArrayToObject(program, "kernels");
            cJSON_AddArrayToObject(program, "ops");
        }
        cJSON *op = cJSON_CreateObject(), *kernels = cJSON_GetObjectItem(program, "kernels"), *known;
        for (int i = 1; i < sqlite3_column_count(rows); i++) add_field(op, sqlite3_column_name(rows, i), rows, i);
        const cJSON *kernel = gsim_paper_member(op, "kernel");
        bool is_new = cJSON_IsString(kernel);
        cJSON_ArrayForEach(known, kernels) is_new =
            is_new && strcmp(known->child->valuestring, kernel->valuestring) != 0;
        if (is_new) {
            cJSON_AddItemToArray(kernels, known = cJSON_CreateObject());
            cJSON_AddStringToObject(known, "name", kernel->valuestring);
        }
        cJSON_AddItemToArray(cJSON_GetObjectItem(program, "ops"), op);
    }
    if (status == GSIM_OK && program) status = keep_program(p, program, insert, host, error);
    cJSON_Delete(program);
    sqlite3_finalize(insert);
    sqlite3_finalize(rows);
    return status;
}

/* --- all steps --- */

static enum gsim_status make_table(struct gsim_paper *p, const char *name, const cJSON *item, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *sql = text_of(gsim_paper_member(item, "sql"), &arena);
    enum gsim_status status =
        sql ? gsim_cells_view(p->db, name, sql, error) : gsim_error_set(error, GSIM_INPUT, "expected sql");
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_paper_run(struct gsim_paper *p, const struct gsim_paper_host *host, struct gsim_error *error)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, gsim_paper_member(p->spec, "steps"))
    {
        const cJSON *runs = gsim_paper_member(item, "runs"), *programs = gsim_paper_member(item, "programs"),
                    *table = gsim_paper_member(item, "table"),
                    *name = runs       ? runs
                            : programs ? programs
                                       : table;
        if (!cJSON_IsString(name))
            return gsim_error_set(error, GSIM_INPUT, "steps: expected runs, programs or a table, by their name");
        enum gsim_status status = runs       ? run_group(p, item, host, error)
                                  : programs ? make_programs(p, item, host, error)
                                             : make_table(p, name->valuestring, item, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "%.60s", name->valuestring);
    }
    return GSIM_OK;
}

/* --- opening --- */

static enum gsim_status check_keys(const cJSON *object, const char *const *known, struct gsim_error *error)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], item->string) != 0) i++;
        if (!known[i]) return gsim_error_set(error, GSIM_INPUT, "unknown key \"%.60s\"", item->string);
    }
    return GSIM_OK;
}

static enum gsim_status check_spec(const cJSON *spec, struct gsim_error *error)
{
    static const char *const known[] = {"schema", "name", "title",  "comment", "tables", "takes", "only",
                                        "steps",  "text", "csv",    "json",    "figure", "then",  "same", NULL},
                             *const of_step[] = {"runs", "figures",  "options", "rows",     "vary", "table",
                                                 "sql",  "programs", "comment", "required", NULL};
    const cJSON *schema = gsim_paper_member(spec, "schema"), *item;
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, GSIM_PAPER_SCHEMA) != 0)
        return gsim_error_set(error, GSIM_INPUT, "schema: expected \"" GSIM_PAPER_SCHEMA "\"");
    enum gsim_status status = check_keys(spec, known, error);
    cJSON_ArrayForEach(item, gsim_paper_member(spec, "steps"))
    {
        if (status == GSIM_OK) status = check_keys(item, of_step, error);
    }
    return status;
}

/* A table of one row or column, of COUNT texts. */
static enum gsim_status put_texts(struct gsim_paper *p, const char *name, const char *const *columns, size_t count,
                                  const char *const *texts, size_t text_count, struct gsim_error *error)
{
    sqlite3_stmt *insert = NULL;
    enum gsim_status status = gsim_cells_make(p->db, name, columns, count, &insert, error);
    for (size_t i = 0; i < text_count && status == GSIM_OK; i++) {
        gsim_cells_bind(insert, (int)(i % count) + 1, texts[i]);
        if (i % count == count - 1) status = gsim_cells_add(p->db, insert, error);
    }
    sqlite3_finalize(insert);
    return status;
}

static enum gsim_status put_asked(struct gsim_paper *p, const struct gsim_paper_asked *asked, struct gsim_error *error)
{
    static const char *const columns[] = {"name", "per_case", "scale", "factor"}, *const word[] = {"word"};
    const char *values[] = {asked->name, asked->per_case ? "1" : "0", asked->scale,
                            gsim_arena_printf(&p->arena, "%.17g", asked->factor)};
    const char **words = GSIM_ARENA_ARRAY(&p->arena, const char *, asked->only ? strlen(asked->only) + 1 : 1);
    char *text = asked->only ? gsim_arena_strdup(&p->arena, asked->only) : NULL;
    size_t count = 0;
    for (char *at = text, *next; at; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = '\0';
        words[count++] = at;
    }
    enum gsim_status status = put_texts(p, "asked", columns, 4, values, 4, error);
    return status == GSIM_OK ? put_texts(p, "words", word, 1, words, count, error) : status;
}

/* A file's name, or an object with it and with the names of columns. */
static enum gsim_status read_table(struct gsim_paper *p, const cJSON *item, struct gsim_error *error)
{
    const cJSON *columns = gsim_paper_member(item, "columns"), *file = columns ? gsim_paper_member(item, "file") : item;
    const cJSON *column;
    size_t count = 0;
    const char **names = columns ? GSIM_ARENA_ARRAY(&p->arena, const char *, cJSON_GetArraySize(columns) + 1) : NULL;
    const char *path = NULL;
    if (cJSON_IsString(file)) path = gsim_arena_printf(&p->arena, "%s/%s", p->folder, file->valuestring);
    if (!path) return gsim_error_set(error, GSIM_INPUT, "tables.%s: expected a file's name", item->string);
    cJSON_ArrayForEach(column, columns) if (cJSON_IsString(column)) names[count++] = column->valuestring;
    return gsim_cells_read(p->db, item->string, path, names, count, error);
}

enum gsim_status gsim_paper_open(struct gsim_paper **paper, const cJSON *spec, const char *folder,
                                 const struct gsim_paper_asked *asked, struct gsim_error *error)
{
    const cJSON *item;
    struct gsim_paper *p = *paper = gsim_alloc(sizeof *p);
    p->spec = spec;
    p->folder = folder;
    enum gsim_status status = check_spec(spec, error);
    if (status == GSIM_OK) p->db = gsim_tables_open(NULL);
    if (status == GSIM_OK) status = put_asked(p, asked, error);
    cJSON_ArrayForEach(item, gsim_paper_member(spec, "tables"))
    {
        if (status == GSIM_OK) status = read_table(p, item, error);
    }
    return status;
}

enum gsim_status gsim_paper_list(struct gsim_paper *p, const char *key, const char *(**rows)[2], size_t *count,
                                 struct gsim_error *error)
{
    const cJSON *sql = gsim_paper_member(p->spec, key);
    sqlite3_stmt *statement = NULL;
    size_t room = 0;
    *rows = NULL;
    *count = 0;
    enum gsim_status status = sql ? gsim_paper_prepare(p, sql, &statement, error) : GSIM_OK;
    while (statement && gsim_paper_step(p, statement, &status, error)) {
        gsim_array_grow(rows, sizeof **rows, *count, &room);
        (*rows)[*count][0] = gsim_arena_strdup(&p->arena, gsim_paper_text(statement, 0));
        (*rows)[(*count)++][1] =
            gsim_arena_strdup(&p->arena, sqlite3_column_count(statement) > 1 ? gsim_paper_text(statement, 1) : "");
    }
    sqlite3_finalize(statement);
    if (*rows) gsim_arena_adopt(&p->arena, *rows, room * sizeof **rows);
    return status;
}

void gsim_paper_close(struct gsim_paper *p)
{
    if (!p) return;
    gsim_tables_close(p->db);
    gsim_arena_release(&p->arena);
    gsim_free(p);
}
