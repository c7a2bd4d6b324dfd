/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/axis.h.
 */
#include "plots/axis.h"

#include <math.h>

#include "plots/names.h"
#include "sim/base/text.h"

#define LOG_SPAN 20.0 /* values that span more than this factor are shown on a logarithmic axis */
#define MAX_LETTERS 26 /* of a mark; longer ones are cut in the middle */
#define MARGIN   0.04 /* of the axis, beyond the outermost values */

enum gsim_status gsim_plot_axis_init(struct gsim_plot_axis *axis, struct gsim_figure *figure, const char *column,
                                     const double *values, size_t count, int wanted_log, const char *label,
                                     const char *base, struct gsim_error *error)
{
    *axis = (struct gsim_plot_axis){.low = INFINITY, .high = -INFINITY, .divisor = 1};
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        axis->low = fmin(axis->low, values[i]);
        axis->high = fmax(axis->high, values[i]);
    }
    if (axis->high < axis->low)
        return gsim_error_set(error, GSIM_USAGE, "the column '%s' has no numbers to draw", column);
    axis->is_log = axis->low > 0 && (wanted_log < 0 ? axis->high / axis->low >= LOG_SPAN : wanted_log);
    if (wanted_log > 0 && !axis->is_log)
        return gsim_error_set(error, GSIM_USAGE, "--log: the column '%s' has values that are not positive, such as %g",
                              column, axis->low);
    const char *own = gsim_column_label(&figure->own.arena, column, axis->high, base, &axis->divisor);
    axis->label = label ? label : own;
    return GSIM_OK;
}

void gsim_plot_axis_set(const struct gsim_plot_axis *axis, struct gsim_figure *figure, char letter, bool from_zero)
{
    char name[16];
    double low = axis->low / axis->divisor, high = axis->high / axis->divisor, room;
    if (axis->is_log) {
        room = fmax(pow(high / low, MARGIN), 1.05);
        low /= room;
        high *= room;
    } else {
        if (from_zero && low > 0) low = 0;
        room = high > low ? (high - low) * MARGIN : fmax(fabs(high) * 0.1, 0.1);
        high += room;
        if (!from_zero || low < 0) low -= room;
    }
    snprintf(name, sizeof name, "log_%c", letter);
    gsim_figure_number(figure, name, axis->is_log);
    snprintf(name, sizeof name, "low_%c", letter);
    gsim_figure_number(figure, name, low);
    snprintf(name, sizeof name, "high_%c", letter);
    gsim_figure_number(figure, name, high);
    snprintf(name, sizeof name, "label_%c", letter);
    gsim_figure_text(figure, name, axis->label);
}

double gsim_plot_turn(struct gsim_figure *figure, size_t longest, double step_cm, double left_cm)
{
    static const int angles[] = {30, 60, 90};
    double line_cm = gsim_figure_line_cm(figure), length_cm = gsim_figure_letter_cm(figure) * (double)longest,
           down_cm = 0;
    bool is_level = gsim_figure_letter_cm(figure) * (double)(longest + 1) <= step_cm;
    int angle = 0;
    for (size_t i = 0; i < sizeof angles / sizeof angles[0] && !is_level; i++) {
        double radians = angles[i] * 3.14159265 / 180;
        angle = angles[i];
        down_cm = fmax(0, length_cm * sin(radians) + line_cm * (cos(radians) - 1));
        /* Neighbours do not touch, and the first does not leave the picture. */
        if (step_cm * sin(radians) >= 0.8 * line_cm && length_cm * cos(radians) <= left_cm + step_cm / 2) break;
    }
    gsim_figure_number(figure, "turned", angle);
    gsim_figure_number(figure, "down_cm", down_cm);
    return down_cm;
}

size_t gsim_plot_names(struct gsim_figure *figure, const char *const *names, const double *positions, size_t count,
                       size_t every)
{
    size_t longest = 0;
    gsim_output_text(&figure->data, "\n\n# position\tmark\n");
    for (size_t i = 0; i < count; i++) {
        char text[MAX_LETTERS + 1];
        const char *name = gsim_value_label(&figure->own.arena, names[i]);
        name = name && i % every == 0 ? gsim_text_fit(text, sizeof text, name, MAX_LETTERS) : " ";
        gsim_output_printf(&figure->data, "%.9g\t", positions ? positions[i] : (double)i);
        gsim_figure_field(figure, *name ? name : "-");
        gsim_output_text(&figure->data, "\n");
        if (strlen(name) > longest) longest = strlen(name);
    }
    return longest;
}

double gsim_plot_marks(struct gsim_figure *figure, const char *const *names, const double *positions, size_t count,
                       double width_cm, double left_cm)
{
    double step_cm = width_cm / (double)(count ? count : 1), least_cm = 0.85 * gsim_figure_line_cm(figure);
    size_t every = step_cm >= least_cm ? 1 : gsim_whole_u64(ceil(least_cm / step_cm));
    size_t longest = gsim_plot_names(figure, names, positions, count, every);
    return gsim_plot_turn(figure, longest, step_cm * (double)every, left_cm);
}
