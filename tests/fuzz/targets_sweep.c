/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets of sweeps: spec files, the texts of --vary and --where, questions to a results file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep/request.h"
#include "ask/scenarios/task_words.h"
#include "sweep/query/query.h"
#include "sweep/spec.h"
#include "sweep/query/where.h"
#include "tests/fuzz/targets.h"

#define MAX_POINTS 200

static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) exit(2);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static void walk(struct gsim_spec *spec)
{
    struct gsim_error error = {0};
    struct gsim_setting *settings = malloc((spec->axis_count + 1) * sizeof *settings);
    uint32_t repeat;
    if (settings && gsim_spec_finish(spec, &error) == GSIM_OK) {
        uint64_t step = spec->total / MAX_POINTS + 1;
        for (uint64_t i = 0; i < spec->total; i += step) {
            gsim_spec_point(spec, i, settings, &repeat);
            (void)gsim_spec_holds(spec, settings, repeat);
        }
        size_t values = 0;
        for (size_t i = 0; i < spec->axis_count; i++) values += spec->axes[i].count;
        if (values < 10000) gsim_free(gsim_spec_json(spec));
    }
    free(settings);
}

void gsim_fuzz_spec(const uint8_t *data, size_t size)
{
    struct gsim_spec spec;
    struct gsim_error error = {0};
    gsim_spec_init(&spec, &gsim_request_host);
    if (gsim_spec_read(&spec, gsim_fuzz_file(data, size, ".json"), &error) == GSIM_OK) walk(&spec);
    gsim_spec_release(&spec);
}

/* A file of tasks; or the words of one --task, where it is none. */
void gsim_fuzz_tasks(const uint8_t *data, size_t size)
{
    struct gsim_arena arena = {0};
    struct gsim_task_words words = {0};
    struct gsim_error error = {0};
    const char **list = NULL;
    uint32_t count = 0;
    char *text = text_of(data, size);
    if (gsim_task_words_file(gsim_fuzz_file(data, size, ".json"), &arena, &list, &count, &error) == GSIM_OK)
        for (uint32_t i = 0; list && i < count; i++) (void)!gsim_task_words_read(list[i], &arena, &words, &error);
    (void)!gsim_task_words_read(text, &arena, &words, &error);
    gsim_arena_release(&arena);
    free(text);
}

/* Lines: each an axis, or paired axes behind a '+', or a condition behind a '?'. */
void gsim_fuzz_vary(const uint8_t *data, size_t size)
{
    struct gsim_spec spec;
    struct gsim_error error = {0};
    char *text = text_of(data, size), *next = text;
    enum gsim_status status = GSIM_OK;
    gsim_spec_init(&spec, &gsim_request_host);
    spec.samples = size % 5 == 0 ? 7 : 0;
    for (char *line; next && status == GSIM_OK;) {
        line = next;
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        status = *line == '+'   ? gsim_spec_pair(&spec, line + 1, &error)
                 : *line == '?' ? gsim_spec_add_where(&spec, line + 1, &error)
                                : gsim_spec_vary(&spec, line, &error);
    }
    if (status == GSIM_OK) walk(&spec);
    gsim_spec_release(&spec);
    free(text);
}

/* Words up to m are names: a to c texts, d to l numbers, m nothing. */
static bool value_of(void *data, const char *name, struct gsim_cell *value)
{
    int first = tolower((unsigned char)name[0]);
    (void)data;
    if (first < 'a' || first > 'm') return false;
    *value = first <= 'c' ? gsim_cell_text(name) : first < 'm' ? gsim_cell_real(first) : gsim_cell_text(NULL);
    return true;
}

void gsim_fuzz_where(const uint8_t *data, size_t size)
{
    const struct gsim_where_names names = {.value = value_of};
    struct gsim_arena arena = {0};
    struct gsim_where *where = NULL;
    struct gsim_error error = {0};
    char *text = text_of(data, size);
    if (gsim_where_compile(text, &names, &arena, &where, &error) == GSIM_OK) (void)gsim_where_holds(where, &names);
    gsim_arena_release(&arena);
    free(text);
}

/* --- questions to a results file ------------------------------------------------------------------------------- */
static const struct {
    const char *axes, *workload, *scheduler, *status;
    double iteration_us;
} rows[] = {
    {"{\"workload\":\"vec\",\"sched\":\"serial\",\"size\":1}", "vec", "serial", "ok", 100},
    {"{\"workload\":\"vec\",\"sched\":\"kesco\",\"size\":1,\"kesco.streams\":2}", "vec", "kesco", "ok", 50},
    {"{\"workload\":\"img\",\"sched\":\"kesco\",\"size\":2,\"kesco.streams\":2}", "img", "kesco", "ok", 90},
    {"{\"workload\":\"img\",\"sched\":\"kesco\",\"size\":3}", "img", "kesco", "crashed", 0},
};

static void fill(const char *path)
{
    struct gsim_store *store = NULL;
    struct gsim_error error = {0};
    struct gsim_sweep_record sweep = {.spec = "{}", .version = "1", .model = "m", .command = "c", .points = 4};
    enum gsim_status status = gsim_store_open(path, GSIM_STORE_WRITE, &store, &error);
    if (status == GSIM_OK) status = gsim_store_begin(store, &error);
    if (status == GSIM_OK) status = gsim_store_add_sweep(store, &sweep, &error);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == GSIM_OK; i++) {
        struct gsim_row row = {0};
        char key[8];
        snprintf(key, sizeof key, "%zu", i);
        row.cells[GSIM_COLUMN_key] = gsim_cell_text(key);
        row.cells[GSIM_COLUMN_axes] = gsim_cell_text(rows[i].axes);
        row.cells[GSIM_COLUMN_options] = gsim_cell_text("{\"memory\":\"managed\"}");
        row.cells[GSIM_COLUMN_workload] = gsim_cell_text(rows[i].workload);
        row.cells[GSIM_COLUMN_scheduler] = gsim_cell_text(rows[i].scheduler);
        row.cells[GSIM_COLUMN_sweep] = gsim_cell_integer(sweep.id);
        row.cells[GSIM_COLUMN_position] = gsim_cell_integer((int64_t)i);
        row.cells[GSIM_COLUMN_status] = gsim_cell_text(rows[i].status);
        if (rows[i].iteration_us > 0) row.cells[GSIM_COLUMN_iteration_us] = gsim_cell_real(rows[i].iteration_us);
        status = gsim_store_insert(store, &row, NULL, &error);
    }
    if (status == GSIM_OK) status = gsim_store_commit(store, &error);
    gsim_store_close(store);
    if (status != GSIM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(2);
    }
}

/* Lines: a condition, two columns, the value, the base's name and value; empty ones are not given. */
void gsim_fuzz_query(const uint8_t *data, size_t size)
{
    static const char *path;
    const char *lines[6] = {NULL}, *columns[2];
    struct gsim_store *store = NULL;
    struct gsim_selected answer = {0};
    struct gsim_error error = {0};
    if (!path || access(path, R_OK) != 0) fill(path = gsim_fuzz_file((const uint8_t *)"", 0, ".db"));
    char *text = text_of(data, size), *next = text;
    for (size_t i = 0; i < 6 && next; i++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (*line) lines[i] = line;
    }
    struct gsim_query query = {.conditions = lines, .condition_count = lines[0] != NULL, .value = lines[3],
                               .base_name = lines[5] ? lines[4] : NULL, .base_value = lines[5],
                               .is_grouped = size % 2 == 0, .with_failed = size % 3 == 0};
    for (size_t i = 1; i <= 2; i++)
        if (lines[i]) columns[query.column_count++] = lines[i];
    if (query.column_count) query.columns = columns;
    if (gsim_store_open(path, GSIM_STORE_READ, &store, &error) == GSIM_OK)
        (void)!gsim_query_run(store, &query, &answer, &error);
    gsim_selected_release(&answer);
    gsim_store_close(store);
    free(text);
}
