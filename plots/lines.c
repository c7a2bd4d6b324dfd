/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim plot lines" (means over a number or a list of settings) and "gpusim plot scatter" (every row a
 * point): plots/lines.gp, plots/scatter.gp.
 */
#include <math.h>

#include "plots/axis.h"
#include "plots/names.h"

#define HEIGHT_SHARE 0.68 /* of the width */
#define LOW          0.6  /* the zero is shown unless all values lie between these shares of the largest: */
#define FLAT         0.95 /* what hardly differs should look so */
#define MAX_MARKS    24   /* more values than this have the marks that gnuplot chooses */
#define MAX_NAMES    9    /* of a legend on a narrow picture */
#define SHIFT        0.6  /* of the place of a category: how far its series stand apart */

/* Nobody asked for this width: many categories, or a legend that would take half of the picture, have more. */
static void widen(struct gsim_figure *figure, const struct gsim_groups *groups, size_t categories)
{
    bool is_tight = (double)categories * 0.45 > figure->size.width_cm - 2 ||
                    (categories > 3 && categories * groups->series_count > 60);
    if (figure->may_widen && (is_tight || groups->series_count > MAX_NAMES))
        figure->size.width_cm = GSIM_FIGURE_PAGE_CM;
}

/* MARKS 1: lines with marks, 2: marks. */
static void put_legend(struct gsim_figure *figure, const struct gsim_groups *groups, int marks)
{
    unsigned *places = gsim_arena_alloc(&figure->own.arena, sizeof *places * (groups->series_count + 1));
    for (size_t i = 0; i < groups->series_count; i++) places[i] = (unsigned)i + 1;
    gsim_figure_number(figure, "legend_marks", marks);
    (void)gsim_figure_legend(figure, groups->series, places, groups->series_count == 1 ? 0 : groups->series_count);
}

static void set_height(struct gsim_figure *figure, double more_cm)
{
    if (figure->size.height_cm <= 0) figure->size.height_cm = fmin(HEIGHT_SHARE * figure->size.width_cm, 8) + more_cm;
}

/* --- lines --- */
struct lines {
    struct gsim_figure *figure;
    struct gsim_groups groups;
    struct gsim_plot_axis x, y;
    bool over_numbers;
};

static double position(const struct lines *l, size_t i)
{
    return l->over_numbers ? l->groups.x_values[i] / l->x.divisor : (double)i;
}

/* 1, 2, 4, 8, 16: such values have their place on a logarithmic axis. */
static bool is_geometric(const struct gsim_groups *groups)
{
    const double *x = groups->x_values;
    size_t count = groups->x_count;
    if (count < 4 || !(x[0] > 0) || x[count - 1] < 8 * x[0]) return false;
    for (size_t i = 2; i < count; i++)
        if (fabs(x[i] / x[i - 1] / (x[1] / x[0]) - 1) > 0.1) return false;
    return true;
}

static enum gsim_status init_axes(struct lines *l, const struct gsim_results_query *query, struct gsim_error *error)
{
    const struct gsim_groups *groups = &l->groups;
    size_t count = groups->x_count * groups->series_count;
    double *values = gsim_arena_alloc(&l->groups.arena, sizeof *values * (3 * count + groups->x_count + 1));
    for (size_t i = 0; i < count; i++) {
        const struct gsim_point *point = &groups->points[i];
        values[3 * i] = point->count ? point->mean : NAN;
        values[3 * i + 1] = point->count ? point->low : NAN;
        values[3 * i + 2] = point->count ? point->high : NAN;
    }
    bool is_ratio = strcmp(query->y, "speedup") == 0;
    if (is_ratio) values[3 * count] = 1; /* the line that is drawn there lies within the picture */
    enum gsim_status status = gsim_plot_axis_init(&l->y, l->figure, query->y, values, 3 * count + is_ratio,
                                                  query->log_y, query->ylabel, query->base, error);
    l->over_numbers = groups->x_is_number && groups->x_count > 1;
    for (size_t i = 0; i < groups->x_count; i++) values[i] = l->over_numbers ? groups->x_values[i] : (double)i;
    int log_x = query->log_x < 0 && l->over_numbers && is_geometric(groups) ? 1 : query->log_x;
    if (status == GSIM_OK)
        status = gsim_plot_axis_init(&l->x, l->figure, query->x, values, groups->x_count,
                                     l->over_numbers ? log_x : 0, query->xlabel, query->base, error);
    return status;
}

/* Series of a category stand side by side, as one would hide another. */
static double shift_of(const struct lines *l, size_t series)
{
    double count = (double)l->groups.series_count;
    return l->over_numbers || count < 2 ? 0 : SHIFT * ((double)series / (count - 1) - 0.5);
}

/* A line breaks where a series has no point. */
static void put_lines(struct lines *l)
{
    const struct gsim_groups *groups = &l->groups;
    struct gsim_output *data = &l->figure->data;
    gsim_output_text(data, "\n\n# x\ty\tlow\thigh\tcolour\tseries\tx_as_told\n");
    for (size_t j = 0; j < groups->series_count; j++) {
        for (size_t i = 0; i < groups->x_count; i++) {
            const struct gsim_point *point = gsim_group_point(groups, i, j);
            if (!point->count) continue;
            gsim_output_printf(data, "%.9g\t%.9g\t%.9g\t%.9g\t%zu\t", position(l, i) + shift_of(l, j),
                               point->mean / l->y.divisor, point->low / l->y.divisor, point->high / l->y.divisor,
                               j + 1);
            gsim_figure_field(l->figure, groups->series[j]);
            gsim_output_text(data, "\t");
            gsim_figure_field(l->figure, groups->xs[i]);
            gsim_output_text(data, "\n");
        }
        gsim_output_text(data, j + 1 < groups->series_count ? "\n" : "");
    }
}

/* Marks at the values themselves, unless these are very many; written below are those that have room. */
static double put_marks(struct lines *l, bool *has_own)
{
    const struct gsim_groups *groups = &l->groups;
    struct gsim_figure *figure = l->figure;
    double width_cm = figure->size.width_cm - 2.2, free_from_cm = -INFINITY;
    double span = l->x.is_log ? log(l->x.high / l->x.low) : l->x.high - l->x.low;
    double *positions = gsim_arena_alloc(&figure->own.arena, sizeof *positions * (groups->x_count + 1));
    const char **names = gsim_arena_alloc(&figure->own.arena, sizeof *names * (groups->x_count + 1));
    for (size_t i = 0; i < groups->x_count; i++) positions[i] = position(l, i);
    *has_own = !l->over_numbers || groups->x_count <= MAX_MARKS;
    if (!l->over_numbers) return gsim_plot_marks(figure, groups->xs, positions, groups->x_count, width_cm, 1.7);
    for (size_t i = 0; i < groups->x_count; i++) {
        const char *name = gsim_value_label(&figure->own.arena, groups->xs[i]);
        double value = groups->x_values[i];
        double at_cm = (l->x.is_log ? log(value / l->x.low) : value - l->x.low) / fmax(span, 1e-300) * width_cm;
        double half_cm = name ? gsim_figure_letter_cm(figure) * 0.5 * (double)(strlen(name) + 1) : 0;
        bool has_room = at_cm - half_cm >= free_from_cm;
        names[i] = has_room ? groups->xs[i] : " ";
        if (has_room) free_from_cm = at_cm + half_cm;
    }
    (void)gsim_plot_names(figure, names, positions, groups->x_count, 1);
    return gsim_plot_turn(figure, 0, 1, 1);
}

enum gsim_status gsim_lines_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                                 struct gsim_figure *figure, const char **note, struct gsim_error *error)
{
    struct lines l = {.figure = figure};
    bool is_ratio = strcmp(query->y, "speedup") == 0;
    enum gsim_status status = gsim_group(frame, query->x, query->series, query->y, is_ratio, &l.groups, error);
    if (status == GSIM_OK) status = init_axes(&l, query, error);
    if (status == GSIM_OK) widen(figure, &l.groups, l.over_numbers ? 0 : l.groups.x_count);
    if (status == GSIM_OK) put_legend(figure, &l.groups, l.over_numbers ? 1 : 2);
    *note = status == GSIM_OK ? gsim_arena_strdup(&figure->own.arena, l.groups.averaged) : "";
    bool has_own = true;
    double down_cm = status == GSIM_OK ? put_marks(&l, &has_own) : 0;
    if (status == GSIM_OK) {
        put_lines(&l);
        gsim_figure_number(figure, "own_marks", has_own);
        gsim_figure_number(figure, "joined", l.over_numbers);
        gsim_figure_number(figure, "repeated", l.groups.is_repeated);
        gsim_figure_number(figure, "reference", is_ratio ? 1 : NAN);
        gsim_plot_axis_set(&l.x, figure, 'x', false);
        if (!l.over_numbers) gsim_figure_number(figure, "low_x", -0.5);
        if (!l.over_numbers) gsim_figure_number(figure, "high_x", (double)l.groups.x_count - 0.5);
        gsim_plot_axis_set(&l.y, figure, 'y', l.y.low < LOW * l.y.high || l.y.low > FLAT * l.y.high);
        set_height(figure, down_cm);
    }
    gsim_groups_release(&l.groups);
    return status;
}

/* --- scatter ----------------------------------------------------------------------------------------------------- */
static void put_rows(const struct gsim_frame *frame, const struct gsim_results_query *query,
                     const struct gsim_groups *groups, const struct gsim_plot_axis *x, const struct gsim_plot_axis *y,
                     struct gsim_figure *figure)
{
    const struct gsim_frame_column *xs = gsim_frame_find(frame, query->x), *ys = gsim_frame_find(frame, query->y);
    const struct gsim_frame_column *names = query->series ? gsim_frame_find(frame, query->series) : NULL;
    gsim_output_text(&figure->data, "\n\n# x\ty\tcolour\tseries\n");
    for (size_t row = 0; row < frame->row_count; row++) {
        size_t series = 0;
        double at = gsim_frame_number(xs, row), value = gsim_frame_number(ys, row);
        if (!isfinite(at) || !isfinite(value)) continue;
        while (names && strcmp(groups->series[series], gsim_frame_text(names, row)) != 0) series++;
        gsim_output_printf(&figure->data, "%.9g\t%.9g\t%zu\t", at / x->divisor, value / y->divisor, series + 1);
        gsim_figure_field(figure, groups->series[series]);
        gsim_output_text(&figure->data, "\n");
    }
}

enum gsim_status gsim_scatter_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                                   struct gsim_figure *figure, const char **note, struct gsim_error *error)
{
    struct gsim_groups groups;
    struct gsim_plot_axis x, y;
    const struct gsim_frame_column *xs, *ys = NULL;
    *note = "";
    enum gsim_status status = gsim_group(frame, query->x, query->series, query->y, false, &groups, error);
    if (status == GSIM_OK) status = gsim_frame_need(frame, "--x", query->x, &xs, error);
    if (status == GSIM_OK) status = gsim_frame_need(frame, "--y", query->y, &ys, error);
    if (status == GSIM_OK)
        status = gsim_plot_axis_init(&x, figure, query->x, xs->numbers, xs->length, query->log_x, query->xlabel,
                                     query->base, error);
    if (status == GSIM_OK)
        status = gsim_plot_axis_init(&y, figure, query->y, ys->numbers, ys->length, query->log_y, query->ylabel,
                                     query->base, error);
    if (status == GSIM_OK) widen(figure, &groups, 0);
    if (status == GSIM_OK) put_legend(figure, &groups, 2);
    if (status == GSIM_OK) {
        put_rows(frame, query, &groups, &x, &y, figure);
        gsim_plot_axis_set(&x, figure, 'x', false);
        gsim_plot_axis_set(&y, figure, 'y', true);
        set_height(figure, 0);
    }
    gsim_groups_release(&groups);
    return status;
}
