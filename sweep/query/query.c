/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/query/query.h. Rows are read once and only what is asked for is kept; base rows are found by a sorted
 * list. */
#include "sweep/query/query.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpusim/generator.h"
#include "gpusim/source.h"
#include "gpusim/order.h"
#include "sim/base/slots.h"
#include "sim/base/text.h"
#include "sweep/query/match.h"
#include "sweep/query/where.h"

/* --- view --- */

struct gsim_view {
    const struct gsim_row *row;
    void *axes, *options, *tasks; /* cJSON; NULL until needed */
};

/* The column that NAME stands for; GSIM_COLUMN_COUNT: none. */
static enum gsim_column view_column(const char *name)
{
    return gsim_column_find(strcmp(name, "sched") == 0 ? "scheduler" : name);
}

static const cJSON *parsed(const struct gsim_view *view, enum gsim_column column, void **json)
{
    const struct gsim_cell *cell = &view->row->cells[column];
    if (!*json && cell->type == GSIM_CELL_TEXT) *json = cJSON_Parse(cell->text);
    return *json;
}

static struct gsim_cell cell_of(const cJSON *item)
{
    if (cJSON_IsNumber(item)) return gsim_cell_real(item->valuedouble);
    return gsim_cell_text(cJSON_IsString(item) ? item->valuestring : NULL);
}

/* Of a task, whose name may have dots. */
static const cJSON *task_figure(const cJSON *tasks, const char *name)
{
    const char *dot = strrchr(name, '.');
    const cJSON *task;
    cJSON_ArrayForEach(task, tasks) if (dot && strlen(task->string) == (size_t)(dot - name) &&
                                        strncmp(task->string, name, (size_t)(dot - name)) ==
                                            0) return cJSON_GetObjectItemCaseSensitive(task, dot + 1);
    return NULL;
}

/* Null where this row has no such thing. Texts live as long as row and view. */
static struct gsim_cell view_value(struct gsim_view *view, const char *name)
{
    enum gsim_column column = view_column(name);
    if (column < GSIM_COLUMN_COUNT && view->row->cells[column].type != GSIM_CELL_NULL) return view->row->cells[column];
    /* A point that failed early has no resolved size, but the one that was asked for. */
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(parsed(view, GSIM_COLUMN_axes, &view->axes), name);
    if (!item) item = cJSON_GetObjectItemCaseSensitive(parsed(view, GSIM_COLUMN_options, &view->options), name);
    if (!item) item = task_figure(parsed(view, GSIM_COLUMN_tasks, &view->tasks), name);
    return cell_of(item);
}

/* Calls EACH for every axis of the row, in the order of the spec. */
static void view_axes(struct gsim_view *view, void (*each)(void *data, const char *name, const struct gsim_cell *value),
                      void *data)
{
    const cJSON *item, *axes = parsed(view, GSIM_COLUMN_axes, &view->axes);
    cJSON_ArrayForEach(item, axes)
    {
        struct gsim_cell cell = cell_of(item);
        each(data, item->string, &cell);
    }
}

/* --- query --- */

struct reading {
    struct gsim_store *store;
    const struct gsim_query *query;
    struct gsim_selected *answer;
    struct gsim_where **where;
    struct gsim_matches matches;
    struct gsim_match_setting *settings; /* of the row at hand */
    size_t setting_count, setting_capacity;
    const char **known;
    size_t known_count;
    const char *ratio_of; /* the value that speed-ups divide, and groups and lists show where there is no base */
};

/* --- names ------------------------------------------------------------------------------------------------------ */
static bool is_known(const struct reading *reading, const char *name)
{
    if (view_column(name) < GSIM_COLUMN_COUNT) return true;
    for (size_t i = 0; i < reading->known_count; i++)
        if (strcmp(reading->known[i], name) == 0) return true;
    return false;
}

static enum gsim_status check_name(const struct reading *reading, const char *name, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    if (is_known(reading, name)) return GSIM_OK;
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) gsim_nearest_offer(&nearest, gsim_column_name((enum gsim_column)i));
    for (size_t i = 0; i < reading->known_count; i++) gsim_nearest_offer(&nearest, reading->known[i]);
    return gsim_error_set(error, GSIM_USAGE,
                          "no column, axis or option '%.60s' in this file%s (see gpusim results --help)", name,
                          gsim_nearest_text(&nearest));
}

/* What conditions are asked about: the row of a view, or, while they are compiled, none. */
struct asked {
    const struct reading *reading;
    struct gsim_view *view;
};

static bool value_of(void *data, const char *name, struct gsim_cell *value)
{
    const struct asked *asked = data;
    if (!is_known(asked->reading, name)) return false;
    value->type = GSIM_CELL_NULL;
    if (asked->view) *value = view_value(asked->view, name);
    return true;
}

static enum gsim_status compile(struct reading *reading, struct gsim_error *error)
{
    struct asked asked = {.reading = reading};
    struct gsim_where_names names = {value_of, &asked};
    struct gsim_arena *arena = &reading->answer->arena;
    enum gsim_status status = GSIM_OK;
    reading->where = GSIM_ARENA_ARRAY(arena, struct gsim_where *, reading->query->condition_count);
    for (size_t i = 0; i < reading->query->condition_count && status == GSIM_OK; i++)
        status = gsim_where_compile(reading->query->conditions[i], &names, arena, &reading->where[i], error);
    return status;
}

/* Unless it is there, also by another name of a column. NAME is the answer's. */
static void add_name(struct gsim_selected *answer, const char *name)
{
    enum gsim_column column = view_column(name);
    for (size_t i = 0; i < answer->name_count; i++)
        if (strcmp(answer->names[i], name) == 0 ||
            (column < GSIM_COLUMN_COUNT && view_column(answer->names[i]) == column))
            return;
    answer->names[answer->name_count++] = name;
}

/* What is shown of each task where nobody says what. */
static bool is_task_figure(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".mean_us") == 0 || strcmp(dot, ".p99_us") == 0);
}

/* Whether rows are of several tasks, which have no iterations. */
static bool is_of_tasks(const struct reading *reading)
{
    for (size_t i = 0; i < reading->known_count; i++)
        if (is_task_figure(reading->known[i])) return true;
    return false;
}

/* Which columns the answer has: those asked for, or every axis of the file, with what tells repetitions apart where
 * that is wanted; or all: columns, but for those whose contents are columns here, axes and options. */
static enum gsim_status choose_names(struct reading *reading, size_t axis_count, struct gsim_error *error)
{
    static const char *const rows[] = {"seed", "repeat", "status"};
    const struct gsim_query *query = reading->query;
    struct gsim_selected *answer = reading->answer;
    enum gsim_status status = GSIM_OK;
    bool is_all = query->column_count == 1 && strcmp(query->columns[0], GSIM_QUERY_ALL) == 0;
    answer->names =
        GSIM_ARENA_ARRAY(&answer->arena, const char *, reading->known_count + GSIM_COLUMN_COUNT + query->column_count);
    for (size_t i = 0; i < query->column_count && status == GSIM_OK && !is_all; i++) {
        const char *name = answer->names[answer->name_count++] = gsim_arena_strdup(&answer->arena, query->columns[i]);
        status = check_name(reading, name, error);
    }
    if (query->columns && !is_all) return status;
    for (size_t i = 0; i < axis_count; i++) add_name(answer, reading->known[i]);
    for (size_t i = axis_count; i < reading->known_count && !is_all; i++)
        if (is_task_figure(reading->known[i])) add_name(answer, reading->known[i]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && query->tells_rows; i++) add_name(answer, rows[i]);
    for (int i = 0; i < GSIM_COLUMN_COUNT && is_all; i++)
        if (i != GSIM_COLUMN_axes && i != GSIM_COLUMN_options) add_name(answer, gsim_column_name((enum gsim_column)i));
    for (size_t i = axis_count; i < reading->known_count && is_all; i++) add_name(answer, reading->known[i]);
    return GSIM_OK;
}

static enum gsim_status prepare(struct reading *reading, struct gsim_error *error)
{
    const struct gsim_query *query = reading->query;
    struct gsim_selected *answer = reading->answer;
    size_t axis_count;
    enum gsim_status status =
        gsim_store_names(reading->store, &answer->arena, &reading->known, &axis_count, &reading->known_count, error);
    if (status == GSIM_OK) status = choose_names(reading, axis_count, error);
    bool is_speedup =
        query->base_name && !query->is_paired && (!query->value || strcmp(query->value, GSIM_QUERY_SPEEDUP) == 0);
    answer->value_name = is_speedup             ? GSIM_QUERY_SPEEDUP
                         : query->value         ? query->value
                         : is_of_tasks(reading) ? "fairness"
                                                : "iteration_us";
    size_t kept = 0; /* the value is a column of its own */
    for (size_t i = 0; i < answer->name_count; i++)
        if (strcmp(answer->names[i], answer->value_name) != 0) answer->names[kept++] = answer->names[i];
    answer->name_count = kept;
    reading->ratio_of = is_speedup ? (query->base_of ? query->base_of : "iteration_us") : answer->value_name;
    if (status == GSIM_OK && query->value && !query->base_name && strcmp(query->value, GSIM_QUERY_SPEEDUP) == 0)
        status = gsim_error_set(error, GSIM_USAGE, "speedup: expected --base NAME=VALUE, which it refers to");
    if (status == GSIM_OK) status = check_name(reading, reading->ratio_of, error);
    if (status == GSIM_OK && query->base_name) status = check_name(reading, query->base_name, error);
    return status == GSIM_OK ? compile(reading, error) : status;
}

/* --- rows ------------------------------------------------------------------------------------------------------- */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    return gsim_hash_bytes(gsim_hash_bytes(hash, bytes, length), "\xff", 1);
}

static uint64_t hash_cell(uint64_t hash, const struct gsim_cell *cell)
{
    if (cell->type == GSIM_CELL_TEXT) return hash_bytes(hash, cell->text, strlen(cell->text));
    return hash_bytes(hash, (const char *)&cell->real, cell->type == GSIM_CELL_NULL ? 0 : sizeof cell->real);
}

/* Repetitions differ in seed and repeat alone. */
static void add_axis(void *data, const char *name, const struct gsim_cell *value)
{
    uint64_t *hash = data;
    if (strcmp(name, "seed") == 0 || strcmp(name, "repeat") == 0) return;
    *hash = hash_cell(hash_bytes(*hash, name, strlen(name)), value);
}

/* Under pairs each draw of a generator is a program, and a cell, of its own. */
static uint64_t identify(struct gsim_view *view, bool is_paired)
{
    static const enum gsim_column always[] = {GSIM_COLUMN_workload, GSIM_COLUMN_scheduler, GSIM_COLUMN_device};
    uint64_t hash = GSIM_HASH_START;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) hash = hash_cell(hash, &view->row->cells[always[i]]);
    view_axes(view, add_axis, &hash);
    const struct gsim_cell *workload = &view->row->cells[GSIM_COLUMN_workload];
    bool is_drawn = workload->type == GSIM_CELL_TEXT &&
                    (gsim_generator_find(workload->text) || gsim_source_find(workload->text));
    return is_paired && is_drawn ? hash_cell(hash, &view->row->cells[GSIM_COLUMN_seed]) : hash;
}

/* --- base rows ---------------------------------------------------------------------------------------------------- */
static bool is_base(const struct reading *reading, struct gsim_view *view)
{
    const struct gsim_query *query = reading->query;
    struct gsim_cell cell = view_value(view, query->base_name);
    double wanted;
    if (cell.type == GSIM_CELL_NULL) return false;
    if (cell.type == GSIM_CELL_TEXT) return strcmp(cell.text, query->base_value) == 0;
    return gsim_text_quantity(query->base_value, &wanted) && cell.real == wanted;
}

static bool is_base_name(const struct gsim_query *query, const char *name)
{
    enum gsim_column column = view_column(query->base_name);
    return strcmp(name, query->base_name) == 0 ||
           (column < GSIM_COLUMN_COUNT && strcmp(name, gsim_column_name(column)) == 0);
}

static void add_setting(void *data, const char *name, const struct gsim_cell *value)
{
    struct reading *reading = data;
    struct gsim_arena *arena = &reading->answer->arena;
    if (strcmp(name, "sched") == 0) name = "scheduler";
    if (is_base_name(reading->query, name)) return;
    if (gsim_array_grow(&reading->settings, sizeof *reading->settings, reading->setting_count,
                        &reading->setting_capacity)) {
        arena->failed = 1;
        return;
    }
    const char *text = value->type == GSIM_CELL_TEXT
                           ? value->text
                           : gsim_arena_printf(arena, "%.15g", value->type == GSIM_CELL_NULL ? 0.0 : value->real);
    if (text) reading->settings[reading->setting_count++] = (struct gsim_match_setting){name, text};
}

static void match(struct reading *reading, struct gsim_view *view, int roles, double value)
{
    static const enum gsim_column always[] = {GSIM_COLUMN_workload, GSIM_COLUMN_scheduler, GSIM_COLUMN_device,
                                              GSIM_COLUMN_repeat};
    reading->setting_count = 0;
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        add_setting(reading, gsim_column_name(always[i]), &view->row->cells[always[i]]);
    view_axes(view, add_setting, reading);
    gsim_matches_add(&reading->matches, reading->settings, reading->setting_count, roles, value);
}

static void keep_row(struct reading *reading, struct gsim_view *view, bool is_ok)
{
    struct gsim_selected *answer = reading->answer;
    const struct gsim_query *query = reading->query;
    gsim_array_grow(&answer->rows, sizeof *answer->rows, answer->row_count, &answer->row_room);
    struct gsim_selected_row *row = &answer->rows[answer->row_count++];
    struct gsim_cell value = view_value(view, reading->ratio_of);
    *row = (struct gsim_selected_row){
        .cells = GSIM_ARENA_ARRAY(&answer->arena, struct gsim_cell, answer->name_count + 1),
        .value = value.type == GSIM_CELL_INTEGER || value.type == GSIM_CELL_REAL ? value.real : NAN,
        .status = is_ok ? NULL : gsim_arena_strdup(&answer->arena, view->row->cells[GSIM_COLUMN_status].text),
        .identity = query->is_grouped ? identify(view, query->is_paired) : 0,
        .is_base = query->base_name && is_base(reading, view)};
    for (size_t i = 0; row->cells && i < answer->name_count; i++) {
        struct gsim_cell cell = view_value(view, answer->names[i]);
        if (cell.type == GSIM_CELL_TEXT) cell.text = gsim_arena_strdup(&answer->arena, cell.text);
        row->cells[i] = cell;
    }
    const struct gsim_cell *ran = &view->row->cells[GSIM_COLUMN_iterations_run];
    if (ran->type != GSIM_CELL_NULL && (!answer->iterations_most || ran->real < answer->iterations_least))
        answer->iterations_least = ran->real;
    if (ran->type != GSIM_CELL_NULL && ran->real > answer->iterations_most) answer->iterations_most = ran->real;
    if (query->base_name)
        match(reading, view, row->is_base ? GSIM_MATCH_ROW | GSIM_MATCH_BASE : GSIM_MATCH_ROW, row->value);
}

static enum gsim_status visit(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    struct reading *reading = data;
    struct gsim_view view;
    struct asked asked = {reading, &view};
    struct gsim_where_names names = {value_of, &asked};
    const struct gsim_cell *state = &row->cells[GSIM_COLUMN_status];
    bool is_ok = state->type == GSIM_CELL_TEXT && strcmp(state->text, "ok") == 0, holds = true;
    (void)error;
    view = (struct gsim_view){.row = row};
    for (size_t i = 0; i < reading->query->condition_count && holds; i++)
        holds = gsim_where_holds(reading->where[i], &names);
    if (holds && !is_ok) reading->answer->failed_count++;
    if (holds && (is_ok || (reading->query->with_failed && state->type == GSIM_CELL_TEXT)))
        keep_row(reading, &view, is_ok);
    /* A base row counts even where the conditions show other rows only. */
    else if (is_ok && reading->query->base_name && is_base(reading, &view)) {
        struct gsim_cell value = view_value(&view, reading->ratio_of);
        match(reading, &view, GSIM_MATCH_BASE, value.real);
    }
    cJSON_Delete(view.axes);
    cJSON_Delete(view.options);
    cJSON_Delete(view.tasks);
    view = (struct gsim_view){0};
    return GSIM_OK;
}

/* --- speed-ups and groups --------------------------------------------------------------------------------------- */
static void put_speedups(struct reading *reading)
{
    struct gsim_selected *answer = reading->answer;
    gsim_matches_prepare(&reading->matches);
    for (size_t i = 0; i < answer->row_count; i++) {
        double base = gsim_matches_find(&reading->matches, i).mean, own = answer->rows[i].value;
        answer->rows[i].value = own > 0 ? base / own : NAN;
        if (isnan(base)) answer->no_base_count++;
    }
}

static bool is_group(const void *list, uint32_t group, const void *row)
{
    const struct gsim_selected *answer = list;
    for (size_t i = 0; i < answer->name_count; i++)
        if (!gsim_cell_is_same(&answer->rows[group].cells[i], &((const struct gsim_selected_row *)row)->cells[i]))
            return false;
    return true;
}

/* Groups stay in the order in which they are met: that of the sweep. Rows move to the front, one per group. GROUPS has
 * room. */
static uint32_t group_of(struct gsim_selected *answer, struct gsim_slots *groups, size_t row)
{
    uint64_t hash = GSIM_HASH_START;
    for (size_t i = 0; i < answer->name_count; i++) hash = hash_cell(hash, &answer->rows[row].cells[i]);
    uint32_t group = gsim_slots_find(groups, hash, is_group, answer, &answer->rows[row]);
    if (group != GSIM_SLOT_NONE) return group;
    group = groups->count;
    answer->rows[group] = answer->rows[row];
    if (!gsim_slots_add(groups, hash, group)) GSIM_BUG("no room for a group");
    return group;
}

static void group(struct gsim_selected *answer)
{
    struct gsim_slots groups = {0};
    answer->stats = GSIM_ARENA_ARRAY(&answer->arena, struct gsim_stats, answer->row_count + 1);
    gsim_slots_reserve(&groups, answer->row_count);
    for (size_t i = 0; i < answer->row_count; i++) {
        struct gsim_selected_row row = answer->rows[i];
        if (isnan(row.value)) continue;
        uint32_t before = groups.count, at = group_of(answer, &groups, i);
        if (groups.count > before) gsim_stats_init(&answer->stats[at]);
        answer->is_mixed |= answer->rows[at].identity != row.identity;
        gsim_stats_add(&answer->stats[at], row.value);
    }
    answer->row_count = groups.count;
    gsim_slots_release(&groups);
    for (size_t i = 0; i < answer->row_count; i++) answer->rows[i].value = gsim_stats_mean(&answer->stats[i]);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */
struct paired_row {
    size_t group;
    uint64_t cell;
    double own, base;
};

GSIM_ORDER(by_cell, struct paired_row, GSIM_UP(group) GSIM_UP(cell))

/* Rows that have a base row and are none, with their group. Returns how many. */
static size_t collect_pairs(struct reading *reading, struct paired_row *rows, struct gsim_slots *groups)
{
    struct gsim_selected *answer = reading->answer;
    size_t count = 0;
    for (size_t i = 0; i < answer->row_count; i++) {
        struct gsim_selected_row row = answer->rows[i];
        double base = gsim_matches_find(&reading->matches, i).mean;
        answer->no_base_count += isnan(base);
        if (row.is_base || isnan(base) || !(row.value > 0)) continue;
        rows[count++] = (struct paired_row){group_of(answer, groups, i), row.identity, row.value, base};
    }
    return count;
}

/* Repetitions of a cell are one pair, of means. */
static size_t cells_of(const struct paired_row *rows, size_t count, struct gsim_cell_pair *cells)
{
    size_t cell_count = 0;
    for (size_t first = 0, next; first < count; first = next) {
        struct gsim_cell_pair sum = {0};
        for (next = first; next < count && rows[next].cell == rows[first].cell; next++) {
            sum.own += rows[next].own;
            sum.base += rows[next].base;
        }
        cells[cell_count++] =
            (struct gsim_cell_pair){sum.own / (double)(next - first), sum.base / (double)(next - first)};
    }
    return cell_count;
}

static void pair(struct reading *reading)
{
    struct gsim_selected *answer = reading->answer;
    struct gsim_slots groups = {0};
    struct paired_row *rows = GSIM_ARENA_ARRAY(&answer->arena, struct paired_row, answer->row_count + 1);
    struct gsim_cell_pair *cells = GSIM_ARENA_ARRAY(&answer->arena, struct gsim_cell_pair, answer->row_count + 1);
    answer->pairs = GSIM_ARENA_ARRAY(&answer->arena, struct gsim_pairs, answer->row_count + 1);
    gsim_matches_prepare(&reading->matches);
    gsim_slots_reserve(&groups, answer->row_count);
    size_t count = collect_pairs(reading, rows, &groups);
    qsort(rows, count, sizeof *rows, by_cell);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && rows[next].group == rows[first].group;) next++;
        gsim_pairs_sum(cells, cells_of(rows + first, next - first, cells), &answer->pairs[rows[first].group]);
    }
    answer->row_count = groups.count;
    gsim_slots_release(&groups);
}

enum gsim_status gsim_query_run(struct gsim_store *store, const struct gsim_query *query, struct gsim_selected *answer,
                                struct gsim_error *error)
{
    struct reading reading = {.store = store, .query = query, .answer = answer};
    *answer = (struct gsim_selected){0};
    gsim_matches_init(&reading.matches, &answer->arena);
    enum gsim_status status = prepare(&reading, error);
    if (status == GSIM_OK) status = gsim_store_each(store, visit, &reading, error);
    if (status == GSIM_OK)
        status = gsim_store_models(store, &answer->arena, &answer->models, &answer->model_count, error);
    if (status == GSIM_OK && query->base_name && !reading.matches.base_count)
        status = gsim_error_set(error, GSIM_USAGE, "--base %s=%s: no row of the file has that", query->base_name,
                                query->base_value);
    if (status == GSIM_OK && strcmp(answer->value_name, GSIM_QUERY_SPEEDUP) == 0 && !query->is_paired)
        put_speedups(&reading);
    if (status == GSIM_OK && query->is_paired) pair(&reading);
    else if (status == GSIM_OK && query->is_grouped) group(answer);
    gsim_matches_release(&reading.matches);
    gsim_free(reading.settings);
    if (status != GSIM_OK) gsim_selected_release(answer);
    return status;
}

void gsim_selected_release(struct gsim_selected *answer)
{
    gsim_free(answer->rows);
    gsim_arena_release(&answer->arena);
    *answer = (struct gsim_selected){0};
}
