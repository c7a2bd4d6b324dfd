/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: a table of results - what varied, figures of it, means, every point. Which
 * figures follows from what varied: bars over workloads, lines over each number, boxes where points were repeated.
 */
#include <math.h>
#include <string.h>

#include "plots/page/page.h"
#include "sim/base/text.h"
#include "plots/frame.h"

/* --- parts --- */

struct gsim_page_part {
    const char *name;        /* "h200, size = 1000000"; "" where there is one part */
    const char *where;       /* the same as a condition: "device = 'h200' && size = 1000000" */
    struct gsim_frame frame; /* its texts and numbers are those of the whole */
};

struct gsim_page_parts {
    struct gsim_page_part *parts;
    size_t count, left_out; /* how many more there would be */
    struct gsim_arena arena;
};

#define MAX_SPLIT 8 /* settings that parts differ in */

struct split {
    const struct gsim_frame *frame;
    const struct gsim_frame_column *columns[MAX_SPLIT];
    const char **values[MAX_SPLIT];
    size_t value_counts[MAX_SPLIT], count;
};

/* Whether the column's value follows from the workload's name, as the default size does: then it is no setting. */
static bool gsim_page_follows_workload(const struct gsim_frame *frame, const struct gsim_frame_column *column)
{
    const struct gsim_frame_column *workload = gsim_frame_find(frame, "workload");
    if (!workload || column == workload || gsim_frame_distinct(frame, workload) < 2) return false;
    for (size_t row = 1; row < frame->row_count; row++) {
        size_t other = 0; /* the first row of the same workload */
        while (strcmp(gsim_frame_text(workload, row), gsim_frame_text(workload, other)) != 0) other++;
        if (strcmp(gsim_frame_text(column, row), gsim_frame_text(column, other)) != 0) return false;
    }
    return true;
}

static bool is_shown(const char *name, const char *const *shown)
{
    for (; *shown; shown++)
        if (strcmp(name, *shown) == 0 || (strcmp(*shown, "sched") == 0 && strcmp(name, "scheduler") == 0)) return true;
    return false;
}

static void find_values(struct split *split, const struct gsim_frame_column *column, struct gsim_arena *arena)
{
    const char **values = gsim_arena_alloc(arena, sizeof *values * (split->frame->row_count + 1));
    size_t count = 0;
    for (size_t row = 0; row < split->frame->row_count; row++) {
        const char *text = gsim_frame_text(column, row);
        bool is_known = !*text;
        for (size_t i = 0; i < count && !is_known; i++) is_known = strcmp(values[i], text) == 0;
        if (!is_known) values[count++] = text;
    }
    if (count < 2) return;
    split->columns[split->count] = column;
    split->values[split->count] = values;
    split->value_counts[split->count++] = count;
}

/* The rows of the combination, which PART names; its frame has no rows where the combination did not run. */
static void make_part(const struct split *split, size_t combination, struct gsim_page_part *part,
                      struct gsim_arena *arena)
{
    const struct gsim_frame *frame = split->frame;
    bool *keep = gsim_arena_alloc(arena, frame->row_count + 1);
    const char *values[MAX_SPLIT];
    part->name = part->where = "";
    for (size_t i = 0; i < split->count; i++) {
        values[i] = split->values[i][combination % split->value_counts[i]];
        combination /= split->value_counts[i];
    }
    bool has_own = false; /* rows that have all settings: others are in every part */
    for (size_t row = 0; keep && row < frame->row_count; row++) {
        bool is_own = keep[row] = true;
        for (size_t i = 0; i < split->count; i++) {
            const char *text = gsim_frame_text(split->columns[i], row);
            keep[row] &= !*text || strcmp(text, values[i]) == 0;
            is_own &= *text != '\0';
        }
        has_own |= keep[row] && is_own;
    }
    for (size_t i = 0; i < split->count && part->name && part->where; i++) {
        const char *name = split->columns[i]->name;
        char *end;
        (void)strtod(values[i], &end);
        bool is_number = !*end, is_device = strcmp(name, "device") == 0 || strcmp(name, "workload") == 0;
        part->name = gsim_arena_printf(arena, "%s%s%s%s%s", part->name, i ? ", " : "", is_device ? "" : name,
                                       is_device ? "" : " = ", values[i]);
        part->where = gsim_arena_printf(arena, is_number ? "%s%s%s = %s" : "%s%s%s = '%s'", part->where,
                                        i ? " && " : "", name, values[i]);
    }
    part->frame = (struct gsim_frame){0};
    if (!has_own && split->count) return;
    part->frame.columns = gsim_arena_alloc(arena, sizeof *part->frame.columns * (frame->column_count + 1));
    part->frame.column_count = frame->column_count;
    for (size_t row = 0; row < frame->row_count; row++) part->frame.row_count += keep[row];
    for (size_t c = 0; c < frame->column_count; c++) {
        const struct gsim_frame_column *from = &frame->columns[c];
        struct gsim_frame_column *to = &part->frame.columns[c];
        size_t rows = part->frame.row_count + 1, at = 0;
        *to = (struct gsim_frame_column){
            .name = from->name, .capacity = rows, .number_capacity = rows, .length = rows - 1};
        to->texts = gsim_arena_alloc(arena, sizeof *to->texts * rows);
        to->numbers = gsim_arena_alloc(arena, sizeof *to->numbers * rows);
        for (size_t row = 0; row < frame->row_count; row++) {
            if (!keep[row]) continue;
            to->texts[at] = gsim_frame_text(from, row);
            to->numbers[at++] = gsim_frame_number(from, row);
        }
    }
}

#define MAX_PARTS 24 /* of a table or a figure */

/* SHOWN: the settings that vary within a part, up to a NULL. A row without a setting, as of a scheduler that does not
 * have the parameter, is in the parts of all its values. */
static void gsim_page_parts_init(struct gsim_page_parts *parts, const struct gsim_frame *frame,
                                 const char *const *shown)
{
    struct split split = {.frame = frame};
    size_t combinations = 1;
    *parts = (struct gsim_page_parts){0};
    for (size_t i = 0; i < frame->column_count && split.count < MAX_SPLIT; i++) {
        const struct gsim_frame_column *column = &frame->columns[i];
        if (!gsim_frame_is_setting(column->name) || is_shown(column->name, shown)) continue;
        if (gsim_frame_distinct(frame, column) < 2 || gsim_page_follows_workload(frame, column)) continue;
        find_values(&split, column, &parts->arena);
    }
    for (size_t i = 0; i < split.count; i++) combinations *= split.value_counts[i];
    parts->parts = gsim_arena_alloc(&parts->arena, sizeof *parts->parts * (MAX_PARTS + 1));
    for (size_t i = 0; i < combinations && parts->count < MAX_PARTS; i++) {
        make_part(&split, i, &parts->parts[parts->count], &parts->arena);
        parts->count += parts->parts[parts->count].frame.row_count > 0;
        parts->left_out = combinations - i - 1;
    }
}

static void gsim_page_parts_release(struct gsim_page_parts *parts)
{
    gsim_arena_release(&parts->arena);
    *parts = (struct gsim_page_parts){0};
}

/* --- page results --- */

#define MAX_FIGURES 12
#define MAX_ALIKE    4    /* of them in a row that show the same of other settings */
#define FIRST_PARTS  4    /* tables that are not folded away */
#define MAX_VALUES   12   /* of a setting, in the table of what varied */
#define MAX_POINTS   1000 /* rows of the last table */

static size_t distinct(const struct gsim_frame *frame, const char *name)
{
    return gsim_frame_distinct(frame, gsim_frame_find(frame, name));
}

static bool is_numeric(const struct gsim_frame *frame, const struct gsim_frame_column *column)
{
    for (size_t row = 0; row < frame->row_count; row++)
        if (*gsim_frame_text(column, row) && !isfinite(gsim_frame_number(column, row))) return false;
    return true;
}

/* --- what varied ------------------------------------------------------------------------------------------------- */
static const char *values_of(struct gsim_page *page, const struct gsim_frame *frame,
                             const struct gsim_frame_column *column)
{
    const char *list = "", *seen[MAX_VALUES];
    size_t count = 0, all = gsim_frame_distinct(frame, column);
    for (size_t row = 0; row < frame->row_count && count < MAX_VALUES && list; row++) {
        const char *text = gsim_frame_text(column, row);
        bool known = false;
        for (size_t i = 0; i < count; i++) known |= strcmp(seen[i], text) == 0;
        if (known) continue;
        seen[count++] = text;
        list = gsim_arena_printf(&page->arena, "%s%s%s", list, *list ? ", " : "", *text ? text : "(none)");
    }
    if (all > count && list) list = gsim_arena_printf(&page->arena, "%s, ... (%zu values)", list, all);
    return list ? list : "";
}

static void put_settings(struct gsim_page *page, const struct gsim_frame *frame, bool varied)
{
    const char *const heads[] = {"Setting", varied ? "Values" : "Value"};
    gsim_page_block(page, "h2", varied ? "What varied" : "What did not vary");
    gsim_page_table(page, heads, 2);
    for (size_t i = 0; i < frame->column_count; i++) {
        const struct gsim_frame_column *column = &frame->columns[i];
        size_t count = gsim_frame_distinct(frame, column);
        if (!gsim_frame_is_setting(column->name) || !count || (count > 1) != varied) continue;
        gsim_page_cell(page, column->name);
        gsim_page_cell(page, values_of(page, frame, column));
    }
    if (varied && distinct(frame, "repeat") > 1) {
        gsim_page_cell(page, "repetitions");
        gsim_page_cell(page, gsim_arena_printf(&page->arena, "%zu", distinct(frame, "repeat")));
    }
    gsim_page_table_end(page);
}

/* --- figures ----------------------------------------------------------------------------------------------------- */
struct figure {
    struct gsim_page *page;
    const struct gsim_frame *frame;
    struct gsim_results_query query;
    gsim_results_plot *plot;
    struct gsim_page_figure what;
};

static enum gsim_status plot_results(void *context, struct gsim_figure *figure, struct gsim_error *error)
{
    struct figure *f = context;
    const char *note = "";
    return f->plot(f->frame, &f->query, figure, &note, error);
}

/* One figure of one part. */
static enum gsim_status draw_part(struct gsim_page *page, const struct gsim_page_part *part, const char *kind,
                                  const struct gsim_results_query *query, const char *caption, struct gsim_error *error)
{
    struct figure f = {.page = page, .frame = &part->frame, .plot = gsim_results_find(kind), .query = *query};
    bool wide = strcmp(kind, "speedup") == 0;
    f.what = (struct gsim_page_figure){.name = kind,
                                       .width_cm = wide ? GSIM_FIGURE_PAGE_CM : 12,
                                       .plot = plot_results,
                                       .context = &f};
    f.what.caption = *part->name ? gsim_arena_printf(&page->arena, "%s: %s", part->name, caption) : caption;
    f.what.command =
        gsim_arena_printf(&page->arena, "gpusim plot %s %s --x %s --y %s%s%s%s%s%s -o %s.svg", kind, page->source,
                          query->x, query->y, query->series ? " --series " : "", query->series ? query->series : "",
                          *part->where ? " --where \"" : "", part->where, *part->where ? "\"" : "", kind);
    return gsim_page_draw(page, &f.what, error);
}

static bool has_values(const struct gsim_frame *frame, const char *x, const char *y)
{
    const struct gsim_frame_column *xs = gsim_frame_find(frame, x), *ys = gsim_frame_find(frame, y);
    for (size_t row = 0; row < frame->row_count; row++)
        if (*gsim_frame_text(xs, row) && isfinite(gsim_frame_number(ys, row))) return true;
    return false;
}

/* A figure for each setting of what neither axis nor series shows: what differs in device or size has no mean, and
 * sizes of different workloads, which count pixels, rows or elements, no axis. */
static enum gsim_status draw(struct gsim_page *page, const struct gsim_frame *frame, const char *kind, const char *x,
                             const char *y, const char *caption, struct gsim_error *error)
{
    struct gsim_results_query query = {.x = x, .y = y, .log_x = -1, .log_y = -1};
    struct gsim_page_parts parts;
    if (page->figure_count >= MAX_FIGURES) return GSIM_OK;
    if (strcmp(x, "scheduler") != 0 && distinct(frame, "scheduler") > 1)
        query.series = "scheduler";
    else if (strcmp(x, "workload") != 0 && strcmp(x, "size") != 0 && distinct(frame, "workload") > 1)
        query.series = "workload";
    const char *const shown[] = {x, query.series, NULL};
    gsim_page_parts_init(&parts, frame, shown);
    enum gsim_status status = GSIM_OK;
    size_t drawn = 0;
    for (size_t i = 0;
         i < parts.count && i < MAX_ALIKE && status == GSIM_OK && page->figure_count < MAX_FIGURES;
         i++, drawn++)
        if (has_values(&parts.parts[i].frame, x, y))
            status = draw_part(page, &parts.parts[i], kind, &query, caption, error);
    if (status == GSIM_OK && parts.count - drawn + parts.left_out > 0)
        gsim_page_block(page, "p",
                        gsim_arena_printf(&page->arena,
                                          "And %zu more like it, of other settings: gpusim plot draws them, with "
                                          "--where.",
                                          parts.count - drawn + parts.left_out));
    gsim_page_parts_release(&parts);
    return status;
}

static enum gsim_status put_figures(struct gsim_page *page, const struct gsim_frame *frame, bool has_speedup,
                                    struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const char *y = has_speedup ? "speedup" : "iteration_us";
    const char *x = distinct(frame, "workload") > 1 ? "workload" : distinct(frame, "device") > 1 ? "device" : NULL;
    gsim_page_block(page, "h2", "Figures");
    if (has_speedup && distinct(frame, "scheduler") > 1)
        status = draw(page, frame, "speedup", x ? x : "scheduler", y,
                      x && strcmp(x, "workload") == 0
                          ? "speed-up over the base scheduler, and its geometric mean over the workloads."
                          : "speed-up over the base scheduler.",
                      error);
    for (size_t i = 0; i < frame->column_count && status == GSIM_OK; i++) {
        const struct gsim_frame_column *column = &frame->columns[i];
        if (!gsim_frame_is_setting(column->name) || gsim_frame_distinct(frame, column) < 2) continue;
        if (!is_numeric(frame, column) || gsim_page_follows_workload(frame, column)) continue;
        status = draw(page, frame, "lines", column->name, "iteration_us", "time of an iteration.", error);
        if (status == GSIM_OK && has_speedup && distinct(frame, "scheduler") > 1)
            status = draw(page, frame, "lines", column->name, "speedup", "speed-up over the base scheduler.", error);
    }
    if (status == GSIM_OK && distinct(frame, "repeat") > 1)
        status = draw(
            page, frame, "box", x ? x : "scheduler", "iteration_us",
            "spread: quartiles, whiskers to the last value within 1.5 interquartile ranges, what lies beyond.", error);
    return status;
}

/* --- means ------------------------------------------------------------------------------------------------------- */
static void put_mean(struct gsim_page *page, const struct gsim_point *point, bool is_time)
{
    char text[GSIM_TEXT_SIZE], half[GSIM_TEXT_SIZE], whole[3 * GSIM_TEXT_SIZE];
    if (!point->count) {
        gsim_page_cell(page, "-");
        return;
    }
    if (is_time) gsim_text_us(text, point->mean);
    else snprintf(text, sizeof text, "%.3f", point->mean);
    snprintf(whole, sizeof whole, "%s", text);
    if (point->is_repeated && is_time)
        snprintf(whole, sizeof whole, "%s ± %s", text,
                 gsim_text_us(half, point->mean - point->low));
    if (point->is_repeated && !is_time)
        snprintf(whole, sizeof whole, "%s (%.3f to %.3f)", text, point->low, point->high);
    gsim_page_cell(page, whole);
}

static enum gsim_status put_table(struct gsim_page *page, const struct gsim_page_part *part, const char *x,
                                  const char *y, struct gsim_error *error)
{
    const struct gsim_frame *frame = &part->frame;
    struct gsim_groups groups;
    bool is_time = strcmp(y, "iteration_us") == 0;
    const char *series = strcmp(x, "scheduler") != 0 && gsim_frame_find(frame, "scheduler") ? "scheduler" : NULL;
    enum gsim_status status = gsim_group(frame, x, series, y, !is_time, &groups, error);
    const char **heads =
        status == GSIM_OK ? gsim_arena_alloc(&page->arena, sizeof *heads * (groups.series_count + 1)) : NULL;
    if (status == GSIM_OK) {
        heads[0] = x;
        for (size_t j = 0; j < groups.series_count; j++)
            heads[j + 1] = gsim_arena_printf(&page->arena, "%s ", series ? groups.series[j] : "mean");
        if (*part->name) gsim_page_block(page, "h3", part->name);
        gsim_page_table(page, heads, groups.series_count + 1);
        for (size_t i = 0; i < groups.x_count; i++) {
            gsim_page_cell(page, groups.xs[i]);
            for (size_t j = 0; j < groups.series_count; j++) put_mean(page, gsim_group_point(&groups, i, j), is_time);
            }
        gsim_page_table_end(page);
        if (groups.is_repeated)
            gsim_page_block(page, "p",
                            is_time ? "Means of repetitions, with 95 % confidence intervals."
                                    : "Geometric means of repetitions, with 95 % confidence intervals.");
    }
    gsim_groups_release(&groups);
    return status;
}

/* A table for each setting of what it does not show. */
static enum gsim_status put_means(struct gsim_page *page, const struct gsim_frame *frame, const char *x, const char *y,
                                  struct gsim_error *error)
{
    const char *const shown[] = {x, "scheduler", NULL};
    struct gsim_page_parts parts;
    bool is_time = strcmp(y, "iteration_us") == 0;
    gsim_page_parts_init(&parts, frame, shown);
    enum gsim_status status = GSIM_OK;
    gsim_page_block(page, "h2", is_time ? "Time of an iteration" : "Speed-up");
    for (size_t i = 0; i < parts.count && status == GSIM_OK; i++) {
        if (i == FIRST_PARTS)
            gsim_page_block(page, "more", gsim_arena_printf(&page->arena, "%zu more", parts.count - i));
        if (has_values(&parts.parts[i].frame, x, y)) status = put_table(page, &parts.parts[i], x, y, error);
    }
    if (parts.count > FIRST_PARTS) gsim_page_block(page, "end", "");
    if (status == GSIM_OK && parts.left_out)
        gsim_page_block(page, "p",
                        gsim_arena_printf(&page->arena, "And %zu more: gpusim results gives all.", parts.left_out));
    gsim_page_parts_release(&parts);
    return status;
}

/* --- every point ------------------------------------------------------------------------------------------------- */
static void put_points(struct gsim_page *page, const struct gsim_frame *frame, bool has_speedup)
{
    static const char *const results[] = {"iteration_us", "makespan_us", "speedup", "sm_busy_ratio", "overlap_total"};
    const struct gsim_frame_column **columns =
        gsim_arena_alloc(&page->arena, sizeof *columns * (frame->column_count + 8));
    const char **heads = gsim_arena_alloc(&page->arena, sizeof *heads * (frame->column_count + 8));
    size_t count = 0, rows = frame->row_count < MAX_POINTS ? frame->row_count : MAX_POINTS;
    for (size_t i = 0; i < frame->column_count; i++)
        if ((gsim_frame_is_setting(frame->columns[i].name) || strcmp(frame->columns[i].name, "repeat") == 0) &&
            gsim_frame_distinct(frame, &frame->columns[i]) > 1)
            columns[count++] = &frame->columns[i];
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        const struct gsim_frame_column *column = gsim_frame_find(frame, results[i]);
        if (column && (has_speedup || strcmp(results[i], "speedup") != 0)) columns[count++] = column;
    }
    for (size_t i = 0; i < count; i++)
        heads[i] = gsim_arena_printf(&page->arena, is_numeric(frame, columns[i]) ? "%s " : "%s", columns[i]->name);
    gsim_page_block(page, "h2", "Every point");
    gsim_page_block(page, "more", gsim_arena_printf(&page->arena, "%zu rows", rows));
    gsim_page_table(page, heads, count);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < count; i++) gsim_page_cell(page, gsim_frame_text(columns[i], row));
    gsim_page_table_end(page);
    gsim_page_block(page, "end", "");
    if (rows < frame->row_count)
        gsim_page_block(page, "p",
                        gsim_arena_printf(&page->arena, "The first %zu of %zu; gpusim results gives all.", rows,
                                          frame->row_count));
}

enum gsim_status gsim_page_results(struct gsim_page *page, struct gsim_frame *frame, struct gsim_error *error)
{
    const char *losses = gsim_frame_losses(frame, &page->arena);
    const char *subtitle = gsim_arena_printf(&page->arena, "%zu simulated points, from %s%s%s.", frame->row_count,
                                             page->source, losses ? "; " : "", losses ? losses : "");
    if (!frame->row_count)
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': it has no results%s%s", page->source,
                              losses ? ": " : "", losses ? losses : "");
    bool has_speedup = gsim_frame_speedup(frame, NULL, NULL) == GSIM_OK; /* without a base there are none */
    const char *x = distinct(frame, "workload") > 1 ? "workload"
                    : distinct(frame, "device") > 1 ? "device"
                                                    : "scheduler";
    if (!gsim_frame_find(frame, x)) x = frame->columns[0].name;
    gsim_output_text(&page->own.json, ",\n\"blocks\": [");
    gsim_page_block(page, "h1", "Results of simulations by gpusim");
    gsim_page_block(page, "sub", subtitle);
    put_settings(page, frame, true);
    enum gsim_status status = put_figures(page, frame, has_speedup, error);
    if (status == GSIM_OK) status = put_means(page, frame, x, "iteration_us", error);
    if (status == GSIM_OK && has_speedup) status = put_means(page, frame, x, "speedup", error);
    if (status == GSIM_OK) put_settings(page, frame, false);
    if (status == GSIM_OK) put_points(page, frame, has_speedup);
    return status;
}
