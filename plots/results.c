/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/results.h: which figures there are, and which columns they show when nobody chose any.
 */
#include "plots/results.h"

#define MAX_LINES 12

static const struct {
    const char *kind;
    gsim_results_plot *plot;
} figures[] = {
    {"speedup", gsim_bars_plot},    {"lines", gsim_lines_plot}, {"heatmap", gsim_heatmap_plot},
    {"scatter", gsim_scatter_plot}, {"box", gsim_box_plot},
};

gsim_results_plot *gsim_results_find(const char *kind)
{
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (strcmp(figures[i].kind, kind) == 0) return figures[i].plot;
    return NULL;
}

/* Whether each row has it; a parameter of one scheduler only its rows have. */
static bool is_everywhere(const struct gsim_frame *frame, const struct gsim_frame_column *column)
{
    for (size_t row = 0; row < frame->row_count; row++)
        if (!*gsim_frame_text(column, row)) return false;
    return true;
}

/* The setting with most different values, not TAKEN or OTHER; numbers only, or such as each row has only, where asked
 * for. NULL: none varies. */
static const char *most_varied_of(const struct gsim_frame *frame, bool numbers, bool everywhere, const char *taken,
                                  const char *other)
{
    const char *best = NULL;
    size_t most = 1;
    for (size_t i = 0; i < frame->column_count; i++) {
        const struct gsim_frame_column *column = &frame->columns[i];
        if (!gsim_frame_is_setting(column->name)) continue;
        if ((taken && strcmp(column->name, taken) == 0) || (other && strcmp(column->name, other) == 0)) continue;
        bool is_number = true;
        for (size_t row = 0; row < frame->row_count; row++)
            is_number &=
                !*gsim_frame_text(column, row) || gsim_frame_number(column, row) == gsim_frame_number(column, row);
        size_t count = gsim_frame_distinct(frame, column);
        if (count <= most || (numbers && !is_number) || (everywhere && !is_everywhere(frame, column))) continue;
        most = count;
        best = column->name;
    }
    return best;
}

static const char *most_varied(const struct gsim_frame *frame, bool numbers, const char *taken, const char *other)
{
    const char *name = most_varied_of(frame, numbers, true, taken, other);
    return name ? name : most_varied_of(frame, numbers, false, taken, other);
}

static bool varies(const struct gsim_frame *frame, const char *name)
{
    return gsim_frame_distinct(frame, gsim_frame_find(frame, name)) > 1;
}

static const char *plain_name(const char *name) { return name && strcmp(name, "sched") == 0 ? "scheduler" : name; }

static bool is_speedup(const char *name) { return name && strcmp(name, "speedup") == 0; }

bool gsim_results_has_speedup(const char *kind, const struct gsim_results_query *query)
{
    return is_speedup(query->x) || is_speedup(query->y) || is_speedup(query->value) || (is_speedup(kind) && !query->y);
}

enum gsim_status gsim_results_prepare(struct gsim_frame *frame, const char *kind,
                                      const struct gsim_results_query *query, struct gsim_error *error)
{
    return gsim_results_has_speedup(kind, query) ? gsim_frame_speedup(frame, query->base, error) : GSIM_OK;
}

/* Lines are told apart by all that varies, as long as there are not too many of them; what else varies is averaged
 * over. NULL: there is one line. */
static const char *lines_of(struct gsim_frame *frame, const char *x)
{
    const char *names = NULL;
    size_t lines = 1;
    for (int pass = 0; pass < 2; pass++) /* schedulers first */
        for (size_t i = 0; i < frame->column_count; i++) {
            const char *name = frame->columns[i].name;
            size_t count = gsim_frame_distinct(frame, &frame->columns[i]);
            if (!gsim_frame_is_setting(name) || (strcmp(name, "scheduler") == 0) != (pass == 0)) continue;
            if ((x && strcmp(x, name) == 0) || count < 2 || (names && lines * count > MAX_LINES)) continue;
            names = names ? gsim_arena_printf(&frame->arena, "%s,%s", names, name) : name;
            lines *= count;
            if (!names) return NULL;
        }
    return names;
}

enum gsim_status gsim_results_choose(struct gsim_frame *frame, const char *kind, struct gsim_results_query *query,
                                     struct gsim_error *error)
{
    bool is_bars = strcmp(kind, "speedup") == 0, is_map = strcmp(kind, "heatmap") == 0;
    bool is_numeric = strcmp(kind, "lines") == 0 || strcmp(kind, "scatter") == 0;
    if (!frame->row_count) return gsim_error_set(error, GSIM_USAGE, "no rows are left: see --where");
    query->x = plain_name(query->x);
    query->y = plain_name(query->y);
    query->series = plain_name(query->series);
    const char *series = query->series ? query->series : varies(frame, "scheduler") && !is_map ? "scheduler" : NULL;
    if (series && query->x && strcmp(series, query->x) == 0 && !query->series) series = NULL;
    if (!query->x && is_bars && varies(frame, "workload")) query->x = "workload";
    if (!query->x)
        query->x = is_bars ? most_varied_of(frame, false, true, series, query->y)
                           : most_varied(frame, is_numeric, series, query->y);
    if (!query->x && !is_numeric && gsim_frame_find(frame, "workload")) query->x = "workload";
    if (!query->x && !is_numeric) query->x = "scheduler";
    if (!query->x) return gsim_error_set(error, GSIM_USAGE, "nothing varies that is a number: expected --x COLUMN");
    if (is_map) {
        if (!query->value) query->value = "iteration_us";
        if (!query->y) query->y = most_varied(frame, false, query->x, NULL);
        if (!query->y) return gsim_error_set(error, GSIM_USAGE, "only %s varies: expected --y COLUMN", query->x);
    } else if (!query->y) {
        query->y = is_bars ? "speedup" : "iteration_us";
    }
    if (!query->series && strcmp(kind, "lines") == 0) series = lines_of(frame, query->x);
    query->series = series;
    return series ? gsim_frame_join(frame, "--series", series, &query->series, error) : GSIM_OK;
}
