/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim plot speedup": grouped bars as in the papers (plots/speedup.gp).
 */
#include <math.h>

#include "plots/axis.h"
#include "plots/names.h"
#include "plots/results.h"

#define GAP           1.1 /* between groups, in bars */
#define LABEL_SHARE   0.8 /* of the letters' size */
#define HEIGHT_COLUMN 5.6 /* cm */
#define HEIGHT_PAGE   6.4

struct bars {
    struct gsim_figure *figure;
    const struct gsim_groups *groups;
    double divisor, most, bar_cm;
    size_t label_letters;
    bool is_ratio;
};

static double group_width(const struct bars *b) { return (double)b->groups->series_count + GAP; }

static void put_bar(struct bars *b, size_t group, size_t series, const struct gsim_point *point, const char *name)
{
    char label[24];
    double at = group_width(b) * (double)group + GAP + (double)series + 0.5, value = point->mean / b->divisor;
    if (!point->count || !isfinite(value)) return;
    snprintf(label, sizeof label, b->is_ratio || value < 100 ? "%.2f" : "%.0f", value);
    if (strlen(label) > b->label_letters) b->label_letters = strlen(label);
    b->most = fmax(b->most, point->high / b->divisor);
    gsim_output_printf(&b->figure->data, "%.3f\t%.6g\t", at, value);
    if (point->is_repeated)
        gsim_output_printf(&b->figure->data, "%.6g\t%.6g", point->low / b->divisor, point->high / b->divisor);
    else
        gsim_output_text(&b->figure->data, "NaN\tNaN");
    gsim_output_printf(&b->figure->data, "\t%zu\t%s\t", series + 1, label);
    gsim_figure_field(b->figure, name);
    gsim_output_text(&b->figure->data, "\t");
    gsim_figure_field(b->figure, b->groups->series[series]);
    gsim_output_text(&b->figure->data, "\n");
}

/* Over the groups that have the series; its error from theirs. */
static struct gsim_point geometric_mean(const struct gsim_groups *groups, size_t series)
{
    struct gsim_point mean = {0};
    double sum = 0, variance = 0;
    for (size_t i = 0; i < groups->x_count; i++) {
        const struct gsim_point *point = gsim_group_point(groups, i, series);
        if (!point->count) continue;
        mean.count++;
        sum += log(point->mean);
        variance += point->error * point->error;
        mean.is_repeated |= point->is_repeated;
    }
    double n = (double)mean.count, half = n > 0 ? 1.96 * sqrt(variance) / n : 0;
    mean.mean = exp(sum / n);
    mean.low = exp(sum / n - half);
    mean.high = exp(sum / n + half);
    return mean;
}

static bool has_mean(const struct bars *b) { return b->is_ratio && b->groups->x_count > 1; }

static void put_names(struct bars *b)
{
    double middle = GAP + (double)b->groups->series_count / 2;
    gsim_output_text(&b->figure->data, "\n\n# position\tgroup\n");
    for (size_t i = 0; i < b->groups->x_count; i++) {
        const char *name = gsim_value_label(&b->figure->own.arena, b->groups->xs[i]);
        gsim_output_printf(&b->figure->data, "%.3f\t", group_width(b) * (double)i + middle);
        gsim_figure_field(b->figure, name ? name : "");
        gsim_output_text(&b->figure->data, "\n");
    }
    if (has_mean(b))
        gsim_output_printf(&b->figure->data, "%.3f\tgeomean\n", group_width(b) * (double)b->groups->x_count + middle);
}

static void put_bars(struct bars *b)
{
    const struct gsim_groups *groups = b->groups;
    gsim_output_text(&b->figure->data, "\n\n# position\tvalue\tlow\thigh\tcolour\tlabel\tgroup\tseries\n");
    for (size_t i = 0; i < groups->x_count; i++)
        for (size_t j = 0; j < groups->series_count; j++)
            put_bar(b, i, j, gsim_group_point(groups, i, j), groups->xs[i]);
    for (size_t j = 0; j < groups->series_count && has_mean(b); j++) {
        struct gsim_point mean = geometric_mean(groups, j);
        put_bar(b, groups->x_count, j, &mean, "geomean");
    }
}

/* Values stand above their bars: level where they fit, else upright; none where bars are thinner than letters. */
static void set_labels(struct bars *b, double plot_cm)
{
    struct gsim_figure *figure = b->figure;
    double letter_cm = gsim_figure_letter_cm(figure) * LABEL_SHARE, line_cm = gsim_figure_line_cm(figure) * LABEL_SHARE;
    double length_cm = letter_cm * (double)b->label_letters;
    bool level = b->bar_cm >= length_cm * 1.05, none = b->bar_cm < 0.62 * line_cm;
    double unit = figure->size.font_pt * LABEL_SHARE;
    if (figure->size.font_pt && strlen(figure->path) > 4 &&
        strcmp(figure->path + strlen(figure->path) - 4, ".svg") == 0)
        unit *= 96.0 / 72.0; /* SVG counts in pixels */
    double room_cm = none ? 0.1 : level ? line_cm : length_cm + 0.15;
    gsim_figure_number(figure, "label_pt", none ? 0 : unit);
    gsim_figure_number(figure, "label_angle", level ? 0 : 90);
    double top = b->most * plot_cm / fmax(plot_cm - room_cm, plot_cm / 3);
    gsim_figure_number(figure, "y_top", top);
    gsim_figure_number(figure, "label_high", room_cm / plot_cm * top);
}

/* Numbers say of what; names of workloads speak for themselves. */
static const char *x_label(const struct bars *b, const struct gsim_results_query *query)
{
    double unused;
    if (query->xlabel) return query->xlabel;
    const char *label =
        b->groups->x_is_number ? gsim_column_label(&b->figure->own.arena, query->x, 0, query->base, &unused) : NULL;
    return label ? label : "";
}

static void set_settings(struct bars *b, const struct gsim_results_query *query, const char *ylabel, double key_cm)
{
    struct gsim_figure *figure = b->figure;
    double groups = (double)b->groups->x_count + has_mean(b), line_cm = gsim_figure_line_cm(figure);
    double end = group_width(b) * groups + GAP, room_cm = figure->size.width_cm - 5 * line_cm;
    size_t longest = 0;
    for (size_t i = 0; i < b->groups->x_count; i++) {
        const char *name = gsim_value_label(&figure->own.arena, b->groups->xs[i]);
        if (name && strlen(name) > longest) longest = strlen(name);
    }
    double step_cm = room_cm * group_width(b) / end;
    if (has_mean(b) && longest < strlen("geomean")) longest = strlen("geomean");
    double down_cm = gsim_plot_turn(figure, longest, step_cm, 1.7);
    if (figure->size.height_cm <= 0)
        figure->size.height_cm = (figure->size.width_cm > 12 ? HEIGHT_PAGE : HEIGHT_COLUMN) + down_cm;
    b->bar_cm = room_cm / end;
    const char *xlabel = x_label(b, query);
    set_labels(b, figure->size.height_cm - key_cm - (*xlabel ? 3 : 2) * line_cm - down_cm);
    gsim_figure_number(figure, "bar", 0.94);
    gsim_figure_number(figure, "bars_end", end);
    gsim_figure_number(figure, "mean_at", has_mean(b) ? end - group_width(b) - GAP / 2 : NAN);
    gsim_figure_number(figure, "reference", b->is_ratio ? 1 : NAN);
    gsim_figure_number(figure, "repeated", b->groups->is_repeated);
    gsim_figure_text(figure, "label_x", xlabel);
    gsim_figure_text(figure, "ylabel", query->ylabel ? query->ylabel : ylabel);
}

enum gsim_status gsim_bars_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                                struct gsim_figure *figure, const char **note, struct gsim_error *error)
{
    struct gsim_groups groups;
    struct bars b = {.figure = figure, .groups = &groups, .is_ratio = strcmp(query->y, "speedup") == 0};
    if (query->log_x > 0 || query->log_y > 0)
        return gsim_error_set(error, GSIM_USAGE, "--log: bars begin at zero, which a logarithmic axis does not have");
    enum gsim_status status = gsim_group(frame, query->x, query->series, query->y, b.is_ratio, &groups, error);
    if (status == GSIM_OK) {
        unsigned *places = gsim_arena_alloc(&groups.arena, sizeof *places * (groups.series_count + 1));
        double most = 0;
        for (size_t i = 0; i < groups.x_count * groups.series_count; i++) most = fmax(most, groups.points[i].mean);
        for (size_t i = 0; places && i < groups.series_count; i++) places[i] = (unsigned)i + 1;
        const char *ylabel = gsim_column_label(&figure->own.arena, query->y, most, query->base, &b.divisor);
        *note = gsim_arena_strdup(&figure->own.arena, groups.averaged);
        if (status == GSIM_OK) {
            bool one = groups.series_count == 1;
            double key_cm = gsim_figure_legend(figure, groups.series, places, one ? 0 : groups.series_count);
            put_names(&b);
            put_bars(&b);
            set_settings(&b, query, ylabel, key_cm);
        }
    }
    gsim_groups_release(&groups);
    return status;
}
