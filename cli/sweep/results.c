/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim results": rows of a results file, or groups of them, as a table, CSV or JSON; and
 * "gpusim results merge". What is asked: sweep/query/query.h.
 */
#include <unistd.h>

#include "cli/cli.h"
#include "sim/base/answer/answer.h"
#include "sim/base/text.h"
#include "sweep/merge.h"
#include "sweep/query/query.h"

#define LIMIT_TERMINAL 60 /* rows on a terminal, when not told otherwise */

struct results {
    const struct gsim_cli_arguments *arguments;
    struct gsim_query query;
    struct gsim_selected answer;
    struct gsim_arena arena;
    size_t limit;
    struct gsim_answer table; /* the answer as a table, and what of it is shown */
    struct gsim_look *look;
};

static const char *value_of(const struct results *results, enum gsim_cli_key key)
{
    return results->arguments->value[key];
}

/* --- the question ------------------------------------------------------------------------------------------------ */
static enum gsim_status split(struct results *results, enum gsim_cli_key key, struct gsim_error *error)
{
    const char *text = value_of(results, key);
    const char **items = GSIM_ARENA_ARRAY(&results->arena, const char *, gsim_text_items(text));
    char *copy = gsim_arena_strdup(&results->arena, text);
    results->query.columns = items;
    for (char *item; (item = gsim_text_cut(&copy)); items[results->query.column_count++] = item)
        if (!*item)
            return gsim_refuse(error, "--%s: expected names separated by commas, found '%s'",
                               gsim_cli_option_at(key)->name, text);
    return GSIM_OK;
}

static enum gsim_status read_base(struct results *results, struct gsim_error *error)
{
    const char *text = value_of(results, GSIM_CLI_BASE), *equals = text ? strchr(text, '=') : NULL;
    if (!text) return GSIM_OK;
    results->query.base_name =
        equals ? gsim_arena_printf(&results->arena, "%.*s", (int)(equals - text), text) : "sched";
    results->query.base_value = equals ? equals + 1 : text;
    if (results->query.is_paired && !results->query.columns) {
        results->query.columns = &results->query.base_name; /* one group for each other value */
        results->query.column_count = 1;
    }
    return *results->query.base_name && *results->query.base_value
               ? GSIM_OK
               : gsim_refuse(error, "--base: expected NAME=VALUE or a scheduler, found '%s'", text);
}

static enum gsim_status ask(struct results *results, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = results->arguments;
    const char **conditions = GSIM_ARENA_ARRAY(&results->arena, const char *, arguments->repeated_count + 1);
    double limit = isatty(STDOUT_FILENO) ? LIMIT_TERMINAL : 1e15;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < arguments->repeated_count; i++) conditions[i] = arguments->repeated[i].text;
    results->query.conditions = conditions;
    results->query.condition_count = arguments->repeated_count;
    results->query.is_paired = value_of(results, GSIM_CLI_PAIRS) != NULL;
    results->query.is_grouped = results->query.is_paired || value_of(results, GSIM_CLI_GROUP);
    results->query.with_failed = !results->query.is_grouped;
    results->query.tells_rows = !results->query.is_grouped && value_of(results, GSIM_CLI_CSV);
    results->query.value = value_of(results, GSIM_CLI_VALUE);
    if (results->query.is_grouped && value_of(results, GSIM_CLI_COLUMNS))
        return gsim_refuse(error, "--columns and --group: expected one of them");
    if (results->query.is_paired && !value_of(results, GSIM_CLI_BASE))
        return gsim_refuse(error, "--paired: expected --base NAME=VALUE with it, or a scheduler");
    if (value_of(results, GSIM_CLI_GROUP))
        status = split(results, GSIM_CLI_GROUP, error);
    else if (value_of(results, GSIM_CLI_COLUMNS))
        status = split(results, GSIM_CLI_COLUMNS, error);
    const char *text = value_of(results, GSIM_CLI_LIMIT);
    if (status == GSIM_OK && text && (!gsim_text_quantity(text, &limit) || limit < 1))
        status = gsim_refuse(error, "--limit: expected a number of rows, found '%s'", text);
    results->limit = gsim_whole_u64(limit);
    return status == GSIM_OK ? read_base(results, error) : status;
}

/* --- the answer -------------------------------------------------------------------------------------------------- */
static const char *const grouped_heads[] = {"n", "mean", "ci95", "geomean", "min", "max"};
#define GROUPED_COUNT  (sizeof(grouped_heads) / sizeof(grouped_heads[0]))
#define GROUPED_SPREAD 2
static const char *const paired_heads[] = {"cells", "wins",  "ties",      "losses",     "difference",
                                           "ci95",  "ratio", "ratio_low", "ratio_high", "sign_p"};
#define PAIRED_COUNT (sizeof(paired_heads) / sizeof(paired_heads[0]))

/* Figures of a group; 0: rows are listed. */
static size_t figure_count(const struct gsim_selected *answer)
{
    return answer->pairs ? PAIRED_COUNT : answer->stats ? GROUPED_COUNT : 0;
}

/* An interval is said of repetitions; over different workloads, devices or sizes there is a standard deviation. */
static const char *figure_head(const struct gsim_selected *answer, size_t index)
{
    if (answer->pairs) return paired_heads[index];
    return index == GROUPED_SPREAD && answer->is_mixed ? "spread" : grouped_heads[index];
}

static double figure_value(const struct gsim_selected *answer, size_t row, size_t index)
{
    if (answer->pairs) {
        const struct gsim_pairs *p = &answer->pairs[row];
        const double values[PAIRED_COUNT] = {(double)p->cells, (double)p->wins,    (double)p->ties, (double)p->losses,
                                             p->difference,    p->difference_ci95, p->ratio,        p->ratio_low,
                                             p->ratio_high,    p->sign_p};
        return values[index];
    }
    const struct gsim_stats *stats = &answer->stats[row];
    const double values[GROUPED_COUNT] = {(double)stats->count,      gsim_stats_mean(stats),
                                          answer->is_mixed ? gsim_stats_deviation(stats) : gsim_stats_ci95(stats),
                                          gsim_stats_geomean(stats), stats->minimum,         stats->maximum};
    return values[index];
}

static bool has_failed(const struct gsim_selected *answer)
{
    for (size_t i = 0; i < answer->name_count; i++)
        if (strcmp(answer->names[i], "status") == 0) return false; /* it has a column */
    for (size_t i = 0; i < answer->row_count && !figure_count(answer); i++)
        if (answer->rows[i].status) return true;
    return false;
}

/* Of column J: texts, where one row has one. */
static bool is_text(const struct gsim_selected *s, size_t j)
{
    for (size_t i = 0; i < s->row_count && j < s->name_count; i++)
        if (s->rows[i].cells[j].type == GSIM_CELL_TEXT) return true;
    return j >= s->name_count + (figure_count(s) ? figure_count(s) : 1); /* the status */
}

static union gsim_value value_at(struct results *r, size_t i, size_t j, bool is_text)
{
    const struct gsim_selected *s = &r->answer;
    const struct gsim_cell *cell = j < s->name_count ? &s->rows[i].cells[j] : NULL;
    size_t figure = j - s->name_count;
    if (!cell && is_text) return (union gsim_value){.text = s->rows[i].status ? s->rows[i].status : "ok"};
    if (!cell) return (union gsim_value){.real = figure_count(s) ? figure_value(s, i, figure) : s->rows[i].value};
    bool is_none = cell->type == GSIM_CELL_NULL;
    if (!is_text) return (union gsim_value){.real = is_none ? NAN : cell->real};
    if (cell->type == GSIM_CELL_TEXT || is_none) return (union gsim_value){.text = is_none ? NULL : cell->text};
    return (union gsim_value){.text = gsim_arena_printf(&r->arena, "%.15g", cell->real)};
}

/* A column's, a device's number's or, of a task's figure, as its name ends; "" for speed-ups and counts. */
static const char *unit_of(const char *name)
{
    enum gsim_column column = gsim_column_find(name);
    if (column < GSIM_COLUMN_COUNT) return gsim_column_unit(column);
    if (strncmp(name, "device.", 7) == 0) {
        enum gsim_device_number number = gsim_device_number_find(name + 7);
        return number < GSIM_DEVICE_NUMBER_COUNT ? gsim_device_number_unit(number) : "";
    }
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, "_us") == 0 ? "us" : "";
}

/* Names, then the value or the figures of a group, then the status, which is shown where one is not ok. */
static void tabulate(struct results *r)
{
    const struct gsim_selected *s = &r->answer;
    size_t figures = figure_count(s), count = s->name_count + (figures ? figures : 2), shown = 0;
    struct gsim_answer_column *columns = GSIM_ARENA_ARRAY(&r->arena, struct gsim_answer_column, count + 1);
    r->look = GSIM_ARENA_ARRAY(&r->arena, struct gsim_look, count + 1);
    for (size_t j = 0; j < count; j++) {
        bool is_name = j < s->name_count, is_status = !figures && j + 1 == count;
        const char *name = is_name     ? s->names[j]
                           : figures   ? figure_head(s, j - s->name_count)
                           : is_status ? "status"
                                       : s->value_name;
        size_t figure = j - s->name_count;
        bool is_value = !is_name && !is_status && (s->pairs ? figure == 4 || figure == 5 : !figures || figure);
        const char *unit = is_name ? unit_of(name) : is_value ? unit_of(s->value_name) : "";
        columns[j] = (struct gsim_answer_column){name, unit, is_text(s, j) ? GSIM_VALUE_TEXT : GSIM_VALUE_NUMBER,
                                                 is_status && !has_failed(s)};
        if (!columns[j].is_detail) r->look[shown++] = (struct gsim_look){name, name, is_name ? "%.10g" : NULL};
    }
    gsim_answer_begin(&r->table, columns);
    for (size_t i = 0; i < s->row_count; i++) {
        union gsim_value *row = gsim_answer_row(&r->table);
        for (size_t j = 0; j < count && row; j++) row[j] = value_at(r, i, j, columns[j].type == GSIM_VALUE_TEXT);
    }
}

static void put_table(const void *what, struct gsim_output *output)
{
    const struct results *results = what;
    const struct gsim_selected *answer = &results->answer;
    size_t shown = answer->row_count < results->limit ? answer->row_count : results->limit;
    if (answer->pairs)
        gsim_output_printf(
            output,
            "%s against that of the base, cell by cell: a win is less; mean difference, half of its 95 %% interval;\n"
            "base over own, geometric mean, with its 95 %% interval; two-sided sign test\n\n",
            answer->value_name);
    if (answer->stats)
        gsim_output_printf(output,
                           answer->is_mixed
                               ? "%s of groups, mean and spread (standard deviation) over different cells\n\n"
                               : "%s of groups, mean with 95 %% confidence interval\n\n",
                           answer->value_name);
    gsim_answer_look(&results->table, results->look, shown, output);
    if (shown < answer->row_count)
        gsim_output_printf(output, "... %zu more (--limit N shows more, --csv FILE writes all)\n",
                           answer->row_count - shown);
}

static void put_csv(const void *what, struct gsim_output *output)
{
    gsim_answer_csv(&((const struct results *)what)->table, output);
}

static void put_json(const void *what, struct gsim_output *output)
{
    gsim_answer_json(&((const struct results *)what)->table, output);
}

static enum gsim_status show(struct results *results, struct gsim_error *error)
{
    struct gsim_store *store = NULL;
    enum gsim_status status = ask(results, error);
    if (status == GSIM_OK) status = gsim_store_open(results->arguments->operands[0], GSIM_STORE_READ, &store, error);
    if (status == GSIM_OK) status = gsim_query_run(store, &results->query, &results->answer, error);
    gsim_store_close(store);
    if (status != GSIM_OK) return status;
    /* What the numbers alone would hide. */
    const struct gsim_selected *answer = &results->answer;
    if (answer->model_count > 1)
        fprintf(stderr, "gpusim: this file mixes results of %zu versions or models (see --group version,model)\n",
                answer->model_count);
    if (results->query.is_grouped && answer->failed_count)
        fprintf(stderr, "gpusim: %zu points without figures are left out (--where 'status != ok' --columns error)\n",
                answer->failed_count);
    if (strcmp(answer->value_name, "makespan_us") == 0 && answer->iterations_most > answer->iterations_least)
        fprintf(stderr,
                "gpusim: note: makespan_us covers %.0f to %.0f iterations: compare iteration_us, or say --iterations\n",
                answer->iterations_least, answer->iterations_most);
    if (answer->no_base_count) fprintf(stderr, "gpusim: %zu points have no base row\n", answer->no_base_count);
    if (!answer->row_count && !answer->failed_count && !answer->no_base_count)
        fprintf(stderr,
                results->arguments->repeated_count ? "gpusim: note: no rows are left: see --where\n"
                                                   : "gpusim: note: no row has a number in '%s'\n",
                answer->value_name);
    tabulate(results);
    return gsim_cli_write(value_of(results, GSIM_CLI_CSV), value_of(results, GSIM_CLI_JSON),
                          &(struct gsim_cli_forms){put_csv, put_json, put_table}, results, error);
}

static enum gsim_status merge(const struct gsim_cli_arguments *arguments, int *stopped_by, struct gsim_error *error)
{
    const char *out = arguments->value[GSIM_CLI_OUT];
    struct gsim_merge_outcome outcome = {0};
    if (!out) return gsim_refuse(error, "no output: expected gpusim results merge -o FILE FILE...");
    if (arguments->operand_count < 2)
        return gsim_refuse(error, "nothing to merge: expected gpusim results merge -o FILE FILE...");
    if (gsim_cli_check_used(arguments, GSIM_CLI_OF_MERGE, error)) return error->status;
    enum gsim_status status =
        gsim_merge(out, arguments->operands + 1, arguments->operand_count - 1,
                   arguments->value[GSIM_CLI_RESUME] != NULL, arguments->value[GSIM_CLI_MIX] != NULL, &outcome, error);
    *stopped_by = outcome.stopped_by;
    if (status == GSIM_OK)
        fprintf(stderr, "gpusim: %zu points added, %zu were there already\n", outcome.added, outcome.present);
    return status;
}

int gsim_cli_results(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct results results = {.arguments = arguments};
    enum gsim_status status;
    int stopped_by = 0;
    if (!arguments->operand_count) status = gsim_refuse(error, "no results file: expected gpusim results FILE");
    else if (strcmp(arguments->operands[0], "merge") == 0)
        status = merge(arguments, &stopped_by, error);
    else if (arguments->operand_count > 1)
        status = gsim_refuse(error,
                             "unexpected argument '%s': one results file at a time (gpusim results "
                             "merge joins several)",
                             arguments->operands[1]);
    else if (!(status = gsim_cli_check_used(arguments, GSIM_CLI_OF_ROWS, error)))
        status = show(&results, error);
    gsim_answer_release(&results.table);
    gsim_selected_release(&results.answer);
    gsim_arena_release(&results.arena);
    if (stopped_by) fprintf(stderr, "gpusim: stopped; no file was changed; the same command starts afresh\n");
    if (stopped_by) return gsim_cli_exit(error, 128 + stopped_by);
    return status;
}
