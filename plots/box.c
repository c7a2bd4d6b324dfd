/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim plot box": how values are spread, by quartiles (plots/box.gp).
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#include "plots/axis.h"

#define WHISKER       1.5 /* interquartile ranges, as Tukey has it */
#define GAP           0.8 /* between groups, in boxes */
#define HEIGHT_COLUMN 5.8
#define MAX_NAMES     9 /* of a legend on a narrow picture */

struct boxes {
    const struct gsim_frame *frame;
    const struct gsim_frame_column *x, *y, *series;
    const struct gsim_groups *groups;
    struct gsim_figure *figure;
    double *values; /* of one box */
    double divisor;
};

static size_t collect(struct boxes *b, size_t x, size_t series)
{
    size_t count = 0;
    for (size_t row = 0; row < b->frame->row_count; row++) {
        double value = gsim_frame_number(b->y, row);
        if (!isfinite(value) || strcmp(gsim_frame_text(b->x, row), b->groups->xs[x]) != 0) continue;
        if (b->series && strcmp(gsim_frame_text(b->series, row), b->groups->series[series]) != 0) continue;
        b->values[count++] = value / b->divisor;
    }
    gsl_sort(b->values, 1, count);
    return count;
}

static double box_at(const struct boxes *b, size_t x, size_t series)
{
    double width = (double)b->groups->series_count + GAP;
    return width * (double)x + GAP + (double)series + 0.5;
}

static void put_box(struct boxes *b, size_t x, size_t series, size_t count)
{
    const double *v = b->values;
    double q1 = gsl_stats_quantile_from_sorted_data(v, 1, count, 0.25);
    double median = gsl_stats_quantile_from_sorted_data(v, 1, count, 0.5);
    double q3 = gsl_stats_quantile_from_sorted_data(v, 1, count, 0.75);
    size_t first = 0, last = count - 1;
    while (v[first] < q1 - WHISKER * (q3 - q1)) first++;
    while (v[last] > q3 + WHISKER * (q3 - q1)) last--;
    gsim_output_printf(&b->figure->data, "%.3f\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%zu\t%zu\t", box_at(b, x, series), q1,
                       fmin(v[first], q1), fmax(v[last], q3), q3, median, series + 1, count);
    gsim_figure_field(b->figure, b->groups->xs[x]);
    gsim_output_text(&b->figure->data, "\t");
    gsim_figure_field(b->figure, b->groups->series[series]);
    gsim_output_text(&b->figure->data, "\n");
}

/* Boxes, then what lies beyond their whiskers. Returns whether there is any of the latter. */
static bool put_boxes(struct boxes *b)
{
    const struct gsim_groups *groups = b->groups;
    bool any = false;
    gsim_output_text(&b->figure->data,
                     "\n\n# position\tquartile1\tlow\thigh\tquartile3\tmedian\tcolour\tvalues\tgroup\tseries\n");
    for (size_t i = 0; i < groups->x_count * groups->series_count; i++) {
        size_t count = collect(b, i / groups->series_count, i % groups->series_count);
        if (count) put_box(b, i / groups->series_count, i % groups->series_count, count);
    }
    for (size_t i = 0; i < groups->x_count * groups->series_count; i++) {
        size_t x = i / groups->series_count, series = i % groups->series_count, count = collect(b, x, series);
        if (!count) continue;
        double q1 = gsl_stats_quantile_from_sorted_data(b->values, 1, count, 0.25);
        double q3 = gsl_stats_quantile_from_sorted_data(b->values, 1, count, 0.75);
        for (size_t j = 0; j < count; j++) {
            if (fabs(b->values[j] - (q1 + q3) / 2) <= (q3 - q1) * (WHISKER + 0.5)) continue;
            if (!any) gsim_output_text(&b->figure->data, "\n\n# position\tvalue\tcolour\n");
            any = true;
            gsim_output_printf(&b->figure->data, "%.3f\t%.9g\t%zu\n", box_at(b, x, series), b->values[j], series + 1);
        }
    }
    return any;
}

static enum gsim_status draw(struct boxes *b, const struct gsim_results_query *query, struct gsim_error *error)
{
    const struct gsim_groups *groups = b->groups;
    struct gsim_figure *figure = b->figure;
    struct gsim_plot_axis y;
    double *centres = gsim_arena_alloc(&figure->own.arena, sizeof *centres * (groups->x_count + 1));
    unsigned *places = gsim_arena_alloc(&figure->own.arena, sizeof *places * (groups->series_count + 1));
    b->values = gsim_arena_alloc(&figure->own.arena, sizeof *b->values * (b->frame->row_count + 1));
    enum gsim_status status = gsim_plot_axis_init(&y, figure, query->y, b->y->numbers, b->y->length, query->log_y,
                                                  query->ylabel, query->base, error);
    if (status != GSIM_OK) return status;
    b->divisor = y.divisor;
    for (size_t i = 0; i < groups->x_count; i++) centres[i] = box_at(b, i, 0) - 0.5 + (double)groups->series_count / 2;
    for (size_t i = 0; i < groups->series_count; i++) places[i] = (unsigned)i + 1;
    double boxes = (double)groups->x_count * ((double)groups->series_count + GAP);
    if (figure->may_widen && (boxes * 0.25 > figure->size.width_cm - 2 || groups->series_count > MAX_NAMES))
        figure->size.width_cm = GSIM_FIGURE_PAGE_CM;
    (void)gsim_figure_legend(figure, groups->series, places, groups->series_count == 1 ? 0 : groups->series_count);
    double down_cm = gsim_plot_marks(figure, groups->xs, centres, groups->x_count, figure->size.width_cm - 2, 1.7);
    gsim_figure_number(figure, "outliers", put_boxes(b));
    gsim_figure_number(figure, "series", (double)groups->series_count);
    gsim_figure_number(figure, "boxes_end", box_at(b, groups->x_count, 0) - 0.5);
    gsim_plot_axis_set(&y, figure, 'y', false);
    if (figure->size.height_cm <= 0) figure->size.height_cm = HEIGHT_COLUMN + down_cm;
    return GSIM_OK;
}

enum gsim_status gsim_box_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                               struct gsim_figure *figure, const char **note, struct gsim_error *error)
{
    struct gsim_groups groups;
    struct boxes b = {.frame = frame, .groups = &groups, .figure = figure};
    *note = "";
    enum gsim_status status = gsim_group(frame, query->x, query->series, query->y, false, &groups, error);
    b.x = gsim_frame_find(frame, query->x);
    b.y = gsim_frame_find(frame, query->y);
    b.series = query->series ? gsim_frame_find(frame, query->series) : NULL;
    if (status == GSIM_OK) status = draw(&b, query, error);
    gsim_groups_release(&groups);
    return status;
}
