/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim plot": which figure, from which files, how large. What figures show: plots/.
 */
#include "cli/figures/plot.h"

#include <math.h>

#include "plots/results.h"
#include "plots/shares.h"
#include "plots/timeline/timeline.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"
#include "sweep/spec.h"
#include "sweep/query/where.h"
#include "sim/base/gz.h"

/* As they follow each other in GSIM_CLI_OF_MAP. */
static const char *const kinds[] = {"speedup",  "lines", "heatmap", "scatter", "box",
                                    "timeline", "jct",   "clients", "load"};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

struct command {
    const struct gsim_cli_arguments *arguments;
    const char *kind;
    uint64_t subject; /* GSIM_CLI_OF_... */
    struct gsim_figure figure;
    struct gsim_arena arena;
};

/* --- words --- */
static enum gsim_status parse_cm(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, double low,
                                 double high, const char *expected, double *value, struct gsim_error *error)
{
    char *end;
    const char *text = arguments->value[key];
    if (!text) return GSIM_OK;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= low && *value <= high) return GSIM_OK;
    return gsim_refuse(error, "--%s: expected %s from %g to %g, found '%s'", gsim_cli_option_at(key)->name, expected,
                       low, high, text);
}

enum gsim_status gsim_cli_figure_size(const struct gsim_cli_arguments *arguments, double width_cm,
                                      struct gsim_figure_size *size, struct gsim_error *error)
{
    const char *width = arguments->value[GSIM_CLI_WIDTH];
    enum gsim_status status = GSIM_OK;
    *size = (struct gsim_figure_size){.width_cm = width_cm, .font_pt = GSIM_FIGURE_FONT_PT};
    if (width && strcmp(width, "column") == 0)
        size->width_cm = GSIM_FIGURE_COLUMN_CM;
    else if (width && strcmp(width, "page") == 0)
        size->width_cm = GSIM_FIGURE_PAGE_CM;
    else
        status = parse_cm(arguments, GSIM_CLI_WIDTH, 4, 100, "column, page or centimetres", &size->width_cm, error);
    if (status == GSIM_OK)
        status = parse_cm(arguments, GSIM_CLI_HEIGHT, 2, 100, "centimetres", &size->height_cm, error);
    if (status == GSIM_OK) status = parse_cm(arguments, GSIM_CLI_FONT, 4, 40, "points", &size->font_pt, error);
    return status;
}

enum gsim_status gsim_cli_draw_tornado(const struct gsim_cli_arguments *arguments, const struct gsim_tornado *tornado,
                                       struct gsim_error *error)
{
    const char *const *value = arguments->value, *title = value[GSIM_CLI_TITLE];
    struct gsim_figure figure = {.name = "tornado",
                                 .path = value[GSIM_CLI_OUTPUT],
                                 .keep = value[GSIM_CLI_KEEP],
                                 .heading = title && *title ? title : NULL};
    figure.command = gsim_cli_command_line(arguments, &figure.own.arena);
    enum gsim_status status = gsim_cli_figure_size(arguments, GSIM_FIGURE_COLUMN_CM, &figure.size, error);
    if (status == GSIM_OK) status = gsim_figure_open(&figure, error);
    if (status == GSIM_OK) {
        gsim_tornado_plot(tornado, &figure);
        status = gsim_figure_finish(&figure, error);
    }
    gsim_figure_release(&figure);
    return status;
}

const char *gsim_cli_quoted(struct gsim_arena *arena, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+-%";
    const char *text = "'";
    if (*word && !word[strspn(word, plain)]) return word;
    while (strchr(word, '\'')) {
        int length = (int)strcspn(word, "'");
        text = gsim_arena_printf(arena, "%s%.*s'\\''", text, length, word);
        word += length + 1;
    }
    return gsim_text_clean(gsim_arena_printf(arena, "%s%s'", text, word));
}

const char *gsim_cli_command_line(const struct gsim_cli_arguments *arguments, struct gsim_arena *arena)
{
    const char *text = "gpusim";
    for (int i = 1; i < arguments->argc; i++)
        text = gsim_arena_printf(arena, "%s %s", text, gsim_cli_quoted(arena, arguments->argv[i]));
    return text;
}

/* What a condition asks: the cell of a column in one row. */
struct row {
    const struct gsim_frame *frame;
    size_t index;
};

static bool value_of(void *data, const char *name, struct gsim_cell *value)
{
    const struct row *row = data;
    const struct gsim_frame_column *column = gsim_frame_find(row->frame, name);
    if (!column) return false;
    const char *text = gsim_frame_text(column, row->index);
    double number = gsim_frame_number(column, row->index);
    *value = isfinite(number) ? gsim_cell_real(number) : gsim_cell_text(*text ? text : NULL);
    return true;
}

/* Rows that meet CONDITION. */
static enum gsim_status select_by(const char *condition, struct gsim_frame *frame, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_where *where;
    struct row row = {.frame = frame};
    const struct gsim_where_names names = {value_of, &row};
    bool *keep = gsim_arena_alloc(&arena, frame->row_count + 1);
    enum gsim_status status = gsim_where_compile(condition, &names, &arena, &where, error);
    for (row.index = 0; status == GSIM_OK && row.index < frame->row_count; row.index++)
        keep[row.index] = gsim_where_holds(where, &names);
    if (status == GSIM_OK) gsim_frame_select(frame, keep);
    gsim_arena_release(&arena);
    return status;
}

/* Rows that meet every --where; of points that failed those that may: they have settings alone. */
static enum gsim_status select_rows(const struct gsim_cli_arguments *arguments, struct gsim_frame *frame,
                                    struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < arguments->repeated_count && status == GSIM_OK; i++) {
        struct gsim_error none = {0};
        if (arguments->repeated[i].key != GSIM_CLI_CONDITION) continue;
        status = select_by(arguments->repeated[i].text, frame, error);
        if (status == GSIM_OK && frame->failures && select_by(arguments->repeated[i].text, frame->failures, &none))
            continue;
    }
    return status;
}

/* --- timeline --- */
static enum gsim_status parse_view(const struct gsim_cli_arguments *arguments, struct gsim_timeline_view *view,
                                   struct gsim_error *error)
{
    char *end;
    const char *iteration = arguments->value[GSIM_CLI_ITERATION], *window = arguments->value[GSIM_CLI_WINDOW];
    *view = (struct gsim_timeline_view){.iteration = 1, .takes_next = !iteration, .from_us = NAN, .until_us = NAN};
    if (iteration && strcmp(iteration, "all") == 0) {
        view->iteration = 0;
    } else if (iteration) {
        view->iteration = strtoul(iteration, &end, 10);
        if (*end || !view->iteration || strspn(iteration, "0123456789") != strlen(iteration))
            return gsim_refuse(error, "--iteration: expected a number from 1 on or all, found '%s'", iteration);
    }
    if (!window) return GSIM_OK;
    if (!iteration) view->iteration = 0;
    return gsim_cli_window(GSIM_CLI_WINDOW, window, &view->from_us, &view->until_us, error);
}

/* Of recorded runs the first that meets every --where. */
static enum gsim_status read_track(struct command *c, const char *path, struct gsim_track *track,
                                   struct gsim_error *error)
{
    struct gsim_frame frame = {0};
    if (!gsim_track_holds_runs(path) && gsim_cli_check_used(c->arguments, GSIM_CLI_OF_ONE_RUN, error))
        return error->status;
    if (!gsim_track_holds_runs(path)) return gsim_track_read(path, track, error);
    enum gsim_status status = gsim_frame_read(&frame, path, error);
    if (status == GSIM_OK) status = select_rows(c->arguments, &frame, error);
    const struct gsim_frame_column *run = gsim_frame_find(&frame, "run");
    size_t matching = gsim_frame_distinct(&frame, run);
    if (status == GSIM_OK && (!frame.row_count || !matching))
        status = gsim_refuse(error, "no run is left: see --where");
    if (status == GSIM_OK && matching > 1)
        fprintf(stderr, "gpusim: note: %zu runs match, the first is drawn: %s with %s (see --where)\n", matching,
                gsim_frame_text(gsim_frame_find(&frame, "workload"), 0),
                gsim_frame_text(gsim_frame_find(&frame, "scheduler"), 0));
    if (status == GSIM_OK) status = gsim_track_read_run(path, gsim_whole_u64(gsim_frame_number(run, 0)), track, error);
    gsim_frame_release(&frame);
    return status;
}

static enum gsim_status draw_timeline(struct command *c, struct gsim_error *error)
{
    struct gsim_track track = {0};
    struct gsim_timeline_view view;
    enum gsim_status status = GSIM_OK;
    if (c->arguments->operand_count != 2)
        return gsim_refuse(error, "timeline: expected one report or trace, found %zu files",
                           c->arguments->operand_count - 1);
    status = parse_view(c->arguments, &view, error);
    if (status == GSIM_OK) status = read_track(c, c->arguments->operands[1], &track, error);
    if (status == GSIM_OK) status = gsim_figure_open(&c->figure, error);
    if (status == GSIM_OK) status = gsim_timeline_plot(&track, &view, &c->figure, error);
    if (status == GSIM_OK) status = gsim_figure_finish(&c->figure, error);
    gsim_track_release(&track);
    return status;
}

/* --- results --- */
static enum gsim_status parse_query(const struct gsim_cli_arguments *arguments, struct gsim_results_query *query,
                                    struct gsim_error *error)
{
    int axes; /* x|y|xy|none */
    *query = (struct gsim_results_query){.x = arguments->value[GSIM_CLI_AXIS_X],
                                         .y = arguments->value[GSIM_CLI_AXIS_Y],
                                         .value = arguments->value[GSIM_CLI_VALUE],
                                         .series = arguments->value[GSIM_CLI_SERIES],
                                         .base = arguments->value[GSIM_CLI_BASE],
                                         .xlabel = arguments->value[GSIM_CLI_XLABEL],
                                         .ylabel = arguments->value[GSIM_CLI_YLABEL],
                                         .log_x = -1,
                                         .log_y = -1};
    if (!arguments->value[GSIM_CLI_LOG]) return GSIM_OK;
    if (gsim_cli_choice(arguments, GSIM_CLI_LOG, 0, &axes, error)) return error->status;
    query->log_x = axes == 0 || axes == 2;
    query->log_y = axes == 1 || axes == 2;
    return GSIM_OK;
}

/* A file that begins like the spec of a sweep. */
/* Runs the sweep into a results file of our own. It says itself what goes wrong. */
static enum gsim_status read_spec(struct command *c, const char *path, struct gsim_frame *frame,
                                  struct gsim_error *error)
{
    const char *folder, *operands[] = {path};
    enum gsim_status status = gsim_scratch_folder(&c->arena, &folder, error);
    if (status != GSIM_OK) return status;
    const char *database = gsim_arena_printf(&c->arena, "%s/results.db", folder);
    struct gsim_cli_arguments sweep = {.command = GSIM_CLI_SWEEP,
                                       .operands = operands,
                                       .operand_count = 1,
                                       .argc = c->arguments->argc,
                                       .argv = c->arguments->argv};
    sweep.value[GSIM_CLI_OUT] = database;
    int code = database ? gsim_cli_call(&sweep) : 1;
    status = code == 0 ? gsim_frame_read(frame, database, error)
                       : gsim_error_set(error, code == 2 ? GSIM_INPUT : GSIM_SIM,
                                        "cannot draw: the sweep of '%s' was not done", path);
    gsim_scratch_remove(folder);
    return status;
}

/* Which program and inputs the results are of, as the first line of the data file. */
static void put_origin(const struct gsim_frame *frame, struct gsim_figure *figure)
{
    static const char *const columns[] = {"version", "model", "inputs"};
    gsim_output_text(&figure->data, "# gpusim");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct gsim_frame_column *column = gsim_frame_find(frame, columns[i]);
        const char *last = "";
        for (size_t row = 0; row < frame->row_count; row++) {
            const char *text = gsim_frame_text(column, row);
            if (strcmp(text, last) == 0) continue;
            gsim_output_text(&figure->data, " ");
            gsim_figure_field(figure, last = text);
        }
    }
    gsim_output_text(&figure->data, "\n");
}

/* Series of which nothing is drawn are told; each once. */
static void note_absent(const struct gsim_frame *frame, const struct gsim_results_query *query)
{
    const char *quantity = query->value ? query->value : query->y;
    const struct gsim_frame_column *series = query->series ? gsim_frame_find(frame, query->series) : NULL;
    const struct gsim_frame_column *values = gsim_frame_find(frame, quantity);
    for (size_t row = 0; series && row < frame->row_count; row++) {
        const char *text = gsim_frame_text(series, row);
        bool is_drawn = !*text, is_told = false;
        for (size_t other = 0; other < frame->row_count && !is_drawn && !is_told; other++) {
            if (strcmp(gsim_frame_text(series, other), text) != 0) continue;
            is_drawn = isfinite(gsim_frame_number(values, other));
            is_told = other < row;
        }
        if (!is_drawn && !is_told)
            fprintf(stderr, "gpusim: note: no row of %.60s has a number in the column '%s': nothing of it is drawn\n",
                    text, quantity);
    }
}

static enum gsim_status draw_results(struct command *c, struct gsim_error *error)
{
    struct gsim_frame frame = {0};
    struct gsim_results_query query;
    const char *note = "";
    gsim_results_plot *plot = gsim_results_find(c->kind);
    enum gsim_status status = parse_query(c->arguments, &query, error);
    for (size_t i = 1; i < c->arguments->operand_count && status == GSIM_OK; i++)
        status = gsim_gz_has(c->arguments->operands[i], "\"" GSIM_SPEC_SCHEMA "\"")
                     ? read_spec(c, c->arguments->operands[i], &frame, error)
                     : gsim_frame_read(&frame, c->arguments->operands[i], error);
    if (status == GSIM_OK) status = gsim_results_prepare(&frame, c->kind, &query, error);
    if (status == GSIM_OK) status = select_rows(c->arguments, &frame, error);
    if (status == GSIM_OK) {
        const char *losses = gsim_frame_losses(&frame, &c->arena);
        if (losses) fprintf(stderr, "gpusim: note: %s (see gpusim results FILE --where 'status != ok')\n", losses);
    }
    if (status == GSIM_OK) status = gsim_results_choose(&frame, c->kind, &query, error);
    if (status == GSIM_OK && !gsim_results_has_speedup(c->kind, &query))
        status = gsim_cli_check_used(c->arguments, GSIM_CLI_OF_NO_SPEEDUP, error);
    if (status == GSIM_OK) status = gsim_figure_open(&c->figure, error);
    if (status == GSIM_OK) put_origin(&frame, &c->figure);
    if (status == GSIM_OK) status = plot(&frame, &query, &c->figure, &note, error);
    if (status == GSIM_OK) status = gsim_figure_finish(&c->figure, error);
    if (status == GSIM_OK) note_absent(&frame, &query);
    if (status == GSIM_OK) {
        /* A run's makespan is of all its iterations. */
        const char *quantity = query.value ? query.value : query.y;
        if (quantity && strcmp(quantity, "makespan_us") == 0 &&
            gsim_frame_distinct(&frame, gsim_frame_find(&frame, "iterations_run")) > 1)
            fprintf(stderr, "gpusim: note: makespan_us covers different numbers of iterations (iterations_run): see "
                            "iteration_us\n");
    }
    if (status == GSIM_OK && *note) fprintf(stderr, "gpusim: note: %s (see --where)\n", note);
    gsim_frame_release(&frame);
    return status;
}

/* --- several tasks --- */
static bool is_of_tasks(const struct command *c)
{
    return strcmp(c->kind, "jct") == 0 || strcmp(c->kind, "clients") == 0;
}
static bool is_load(const struct command *c) { return strcmp(c->kind, "load") == 0; }

static enum gsim_status draw_load(struct command *c, struct gsim_error *error)
{
    struct gsim_frame frame = {0};
    struct gsim_results_query query;
    enum gsim_status status = parse_query(c->arguments, &query, error);
    for (size_t i = 1; i < c->arguments->operand_count && status == GSIM_OK; i++)
        status = gsim_frame_read(&frame, c->arguments->operands[i], error);
    if (status == GSIM_OK) status = select_rows(c->arguments, &frame, error);
    if (status == GSIM_OK) status = gsim_figure_open(&c->figure, error);
    if (status == GSIM_OK) status = gsim_load_plot(&frame, query.y, query.log_y, &c->figure, error);
    if (status == GSIM_OK) status = gsim_figure_finish(&c->figure, error);
    gsim_frame_release(&frame);
    return status;
}

static enum gsim_status draw_tasks(struct command *c, struct gsim_error *error)
{
    struct gsim_shared_runs runs = {0};
    struct gsim_results_query query;
    bool is_jct = strcmp(c->kind, "jct") == 0;
    enum gsim_status status = parse_query(c->arguments, &query, error);
    for (size_t i = 1; i < c->arguments->operand_count && status == GSIM_OK; i++)
        status = gsim_shared_runs_read(&runs, c->arguments->operands[i], error);
    if (status == GSIM_OK && !runs.count)
        status = gsim_refuse(error, "%s: no way of sharing ran: nothing to draw", c->kind);
    if (status == GSIM_OK) status = gsim_figure_open(&c->figure, error);
    if (status == GSIM_OK)
        status = is_jct ? gsim_jct_plot(&runs, query.series, query.log_x, &c->figure, error)
                        : gsim_clients_plot(&runs, query.log_y, &c->figure, error);
    if (status == GSIM_OK) status = gsim_figure_finish(&c->figure, error);
    gsim_shared_runs_release(&runs);
    return status;
}

/* --- the command --- */
static enum gsim_status choose_kind(struct command *c, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    const struct gsim_cli_arguments *arguments = c->arguments;
    if (!arguments->operand_count)
        return gsim_refuse(error, "expected a kind of figure and a file (see gpusim plot --help)");
    gsim_nearest_init(&nearest, arguments->operands[0]);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        gsim_nearest_offer(&nearest, kinds[i]);
        if (strcmp(kinds[i], arguments->operands[0]) != 0) continue;
        c->kind = kinds[i];
        c->subject = (uint64_t)GSIM_CLI_OF_SPEEDUP << (i - (i > 6)); /* jct and clients have one */
    }
    if (!c->kind)
        return gsim_refuse(
            error,
            "unknown figure '%.60s': expected speedup, lines, heatmap, scatter, box, timeline, jct, clients or load%s",
            arguments->operands[0], gsim_nearest_text(&nearest));
    if (strcmp(c->kind, "clients") == 0 && arguments->value[GSIM_CLI_SERIES])
        return gsim_refuse(error, "--series: applies to jct, not to clients");
    if (arguments->operand_count < 2)
        return gsim_refuse(error, "%s: expected a file behind it (see gpusim plot --help)", c->kind);
    return GSIM_OK;
}

static enum gsim_status prepare(struct command *c, struct gsim_error *error)
{
    const char *output = c->arguments->value[GSIM_CLI_OUTPUT], *title = c->arguments->value[GSIM_CLI_TITLE];
    bool wide = strcmp(c->kind, "timeline") == 0 || strcmp(c->kind, "speedup") == 0 ||
                strcmp(c->kind, "clients") == 0 || is_load(c);
    c->figure.name = is_load(c) ? "clients" : c->kind; /* the same two panels */
    c->figure.path = output ? output : gsim_arena_printf(&c->arena, "%s.svg", c->kind);
    c->figure.may_widen = !c->arguments->value[GSIM_CLI_WIDTH];
    c->figure.heading = title && *title ? title : NULL;
    c->figure.keep = c->arguments->value[GSIM_CLI_KEEP];
    c->figure.command = gsim_cli_command_line(c->arguments, &c->arena);
    enum gsim_status status = gsim_cli_check_used(c->arguments, c->subject, error);
    if (status != GSIM_OK) return status;
    status = gsim_figure_check(c->figure.path, error);
    if (status != GSIM_OK) return gsim_error_prefix(error, "--output");
    return gsim_cli_figure_size(c->arguments, wide ? GSIM_FIGURE_PAGE_CM : GSIM_FIGURE_COLUMN_CM, &c->figure.size,
                                error);
}

static unsigned reader_of(const struct command *c)
{
    return strcmp(c->kind, "timeline") == 0 ? GSIM_KIND_TRACK : is_of_tasks(c) ? GSIM_KIND_SHARES : GSIM_KIND_FRAME;
}

int gsim_cli_plot(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct command c = {.arguments = arguments};
    enum gsim_status status = choose_kind(&c, error);
    if (status == GSIM_OK) status = prepare(&c, error);
    if (status == GSIM_OK)
        status = strcmp(c.kind, "timeline") == 0 ? draw_timeline(&c, error) : is_of_tasks(&c) ? draw_tasks(&c, error)
                 : is_load(&c) ? draw_load(&c, error) : draw_results(&c, error);
    for (size_t i = 1; i < arguments->operand_count && status == GSIM_INPUT; i++)
        if (strstr(error->message, arguments->operands[i]))
            status = gsim_cli_name_kind(status, arguments->operands[i], reader_of(&c), error);
    if (status == GSIM_OK && !arguments->value[GSIM_CLI_OUTPUT]) fprintf(stderr, "gpusim: wrote '%s'\n", c.figure.path);
    gsim_figure_release(&c.figure);
    gsim_arena_release(&c.arena);
    return status;
}
