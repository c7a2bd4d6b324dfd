/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim plot heatmap": two settings against each other, a third quantity as colour and number
 * (plots/heatmap.gp).
 */
#include <math.h>

#include "plots/axis.h"
#include "plots/names.h"

#define CELL_CM   0.62 /* height of a cell */
#define COLUMN_CM 0.95 /* its width, where the picture may have any */
#define LOG_SPAN  20.0 /* values that span more than this factor have logarithmic colours */

static void put_cells(const struct gsim_groups *groups, double divisor, struct gsim_figure *figure, size_t *letters)
{
    gsim_output_text(&figure->data, "\n\n# column\trow\tvalue\tlabel\n");
    for (size_t i = 0; i < groups->x_count; i++) {
        for (size_t j = 0; j < groups->series_count; j++) {
            char label[24];
            const struct gsim_point *point = gsim_group_point(groups, i, j);
            if (!point->count) continue;
            double value = point->mean / divisor;
            /* Three digits; of small ones among large two, never "0.00" for what is not. */
            snprintf(label, sizeof label,
                     fabs(value) >= 99.95               ? "%.0f"
                     : fabs(value) >= 9.995             ? "%.1f"
                     : fabs(value) >= 0.1 || value == 0 ? "%.2f"
                                                        : "%.2g",
                     value);
            if (strlen(label) > *letters) *letters = strlen(label);
            gsim_output_printf(&figure->data, "%zu\t%zu\t%.9g\t%s\n", i, j, value, label);
        }
    }
}

static size_t longest_row(const struct gsim_groups *groups, struct gsim_arena *arena)
{
    size_t longest = 0;
    for (size_t j = 0; j < groups->series_count; j++) {
        const char *name = gsim_value_label(arena, groups->series[j]);
        if (name && strlen(name) > longest) longest = strlen(name);
    }
    return longest;
}

/* The smallest value, the largest in MOST. */
static double find_range(const struct gsim_groups *groups, double *most)
{
    double least = INFINITY;
    for (size_t i = 0; i < groups->x_count * groups->series_count; i++) {
        if (!groups->points[i].count) continue;
        *most = fmax(*most, fabs(groups->points[i].mean));
        least = fmin(least, groups->points[i].mean);
    }
    return least;
}

/* What is written upwards beside the cells has room, and the colours' marks. */
static double written_cm(const struct gsim_figure *figure, const struct gsim_results_query *query, const char *label,
                         const char *ylabel)
{
    if (query->ylabel) ylabel = query->ylabel;
    size_t letters = strlen(label ? label : ""), other = strlen(ylabel ? ylabel : "");
    return fmin(6, fmax(2, 1.05 * gsim_figure_letter_cm(figure) * (double)(other > letters ? other : letters)));
}

enum gsim_status gsim_heatmap_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                                   struct gsim_figure *figure, const char **note, struct gsim_error *error)
{
    struct gsim_groups groups;
    double most = 0, divisor = 1, unused;
    size_t letters = 0;
    bool is_ratio = strcmp(query->value, "speedup") == 0;
    struct gsim_arena *arena = &figure->own.arena;
    enum gsim_status status = gsim_group(frame, query->x, query->y, query->value, is_ratio, &groups, error);
    if (status == GSIM_OK) {
        double least = find_range(&groups, &most);
        bool is_log = least > 0 && most >= LOG_SPAN * least;
        /* The unit of values in the middle: where they span much, that of the largest has no digits for most. */
        const char *label =
            gsim_column_label(arena, query->value, is_log ? sqrt(least * most) : most, query->base, &divisor);
        const char *xlabel = gsim_column_label(arena, query->x, 0, query->base, &unused);
        const char *ylabel = gsim_column_label(arena, query->y, 0, query->base, &unused);
        *note = gsim_arena_strdup(arena, groups.averaged);
        double letter_cm = gsim_figure_letter_cm(figure), line_cm = gsim_figure_line_cm(figure);
        double left_cm = 1.1 * letter_cm * (double)longest_row(&groups, arena) + 2.2 * line_cm;
        double row_cm = left_cm + 2.5;
        if (figure->may_widen)
            figure->size.width_cm =
                fmin(GSIM_FIGURE_PAGE_CM, fmax(figure->size.width_cm, row_cm + COLUMN_CM * (double)groups.x_count));
        gsim_figure_number(figure, "left_cm", left_cm);
        (void)gsim_figure_legend(figure, NULL, NULL, 0);
        double down_cm =
            gsim_plot_marks(figure, groups.xs, NULL, groups.x_count, figure->size.width_cm - row_cm, left_cm - 0.2);
        (void)gsim_plot_names(figure, groups.series, NULL, groups.series_count, 1);
        put_cells(&groups, divisor, figure, &letters);
        double room_cm = (figure->size.width_cm - row_cm) / (double)groups.x_count;
        gsim_figure_number(figure, "is_log", is_log);
        gsim_figure_number(figure, "columns", (double)groups.x_count);
        gsim_figure_number(figure, "rows", (double)groups.series_count);
        gsim_figure_number(figure, "numbers", room_cm > letter_cm * ((double)letters + 0.2));
        /* Rows have an order of their own: numbers ascend from below, names from above. */
        bool is_number = true;
        for (size_t j = 0; j < groups.series_count; j++) {
            char *end;
            (void)strtod(groups.series[j], &end);
            is_number &= end != groups.series[j] && !*end;
        }
        gsim_figure_number(figure, "from_below", is_number);
        gsim_figure_text(figure, "label_x", query->xlabel ? query->xlabel : xlabel ? xlabel : "");
        gsim_figure_text(figure, "label_y", query->ylabel ? query->ylabel : ylabel ? ylabel : "");
        gsim_figure_text(figure, "label_value", label ? label : "");
        if (figure->size.height_cm <= 0)
            figure->size.height_cm =
                fmax(CELL_CM * (double)groups.series_count, written_cm(figure, query, label, ylabel)) + 1.5 + down_cm;
    }
    gsim_groups_release(&groups);
    return status;
}
