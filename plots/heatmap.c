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
            snprintf(label, sizeof label, fabs(value) >= 100 ? "%.0f" : fabs(value) >= 10 ? "%.1f" : fabs(value) >= 0.1 || value == 0 ? "%.2f" : "%.2g", value);
            if (strlen(label) > *letters) *letters = strlen(label);
            gsim_output_printf(&figure->data, "%zu\t%zu\t%.9g\t%s\n", i, j, value, label);
        }
    }
}

/* Rows have an order of their own: numbers ascend from below, names from above. */
static void set_rows(const struct gsim_groups *groups, struct gsim_figure *figure)
{
    bool is_number = true;
    for (size_t j = 0; j < groups->series_count; j++) {
        char *end;
        (void)strtod(groups->series[j], &end);
        is_number &= end != groups->series[j] && !*end;
    }
    gsim_figure_number(figure, "from_below", is_number);
}

static size_t longest_row(const struct gsim_groups *groups)
{
    size_t longest = 0;
    for (size_t j = 0; j < groups->series_count; j++)
        if (strlen(groups->series[j]) > longest) longest = strlen(groups->series[j]);
    return longest;
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
        for (size_t i = 0; i < groups.x_count * groups.series_count; i++)
            if (groups.points[i].count) most = fmax(most, fabs(groups.points[i].mean));
        const char *label = gsim_column_label(arena, query->value, most, query->base, &divisor);
        const char *xlabel = gsim_column_label(arena, query->x, 0, query->base, &unused);
        const char *ylabel = gsim_column_label(arena, query->y, 0, query->base, &unused);
        *note = gsim_arena_strdup(arena, groups.averaged);
        double left_cm =
            gsim_figure_letter_cm(figure) * (double)longest_row(&groups) + 1.5 * gsim_figure_line_cm(figure);
        double row_cm = left_cm + 2.1;
        if (figure->may_widen)
            figure->size.width_cm =
                fmin(GSIM_FIGURE_PAGE_CM, fmax(figure->size.width_cm, row_cm + COLUMN_CM * (double)groups.x_count));
        gsim_figure_number(figure, "left_cm", left_cm);
        (void)gsim_figure_legend(figure, NULL, NULL, 0);
        double down_cm = gsim_plot_marks(figure, groups.xs, NULL, groups.x_count, figure->size.width_cm - row_cm);
        bool turned = down_cm > 0;
        (void)gsim_plot_marks(figure, groups.series, NULL, groups.series_count, 1000);
        put_cells(&groups, divisor, figure, &letters);
        double room_cm = (figure->size.width_cm - row_cm) / (double)groups.x_count;
        gsim_figure_number(figure, "turned", turned);
        gsim_figure_number(figure, "columns", (double)groups.x_count);
        gsim_figure_number(figure, "rows", (double)groups.series_count);
        gsim_figure_number(figure, "numbers", room_cm > gsim_figure_letter_cm(figure) * (double)letters);
        set_rows(&groups, figure);
        gsim_figure_text(figure, "label_x", query->xlabel ? query->xlabel : xlabel ? xlabel : "");
        gsim_figure_text(figure, "label_y", query->ylabel ? query->ylabel : ylabel ? ylabel : "");
        gsim_figure_text(figure, "label_value", label ? label : "");
        if (figure->size.height_cm <= 0)
            figure->size.height_cm = fmax(CELL_CM * (double)groups.series_count, 2) + 1.7 + down_cm;
        if (arena->failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    gsim_groups_release(&groups);
    return status;
}
