/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/tornado.h.
 */
#include "plots/tornado.h"

#include <math.h>

#define ROW_LINES 1.25 /* height of a row, in lines */

struct gsim_tornado_row gsim_tornado_saving(struct gsim_tornado *tornado, const char *name, double percent,
                                            double error_percent)
{
    double low = percent - error_percent;
    if (low < -100) tornado->label = "time saved (%), losses cut at 100";
    return (struct gsim_tornado_row){
        name, {fmax(percent, -100), NAN}, {fmax(low, -100), fmin(fmax(percent + error_percent, -100), 100)}};
}

void gsim_tornado_plot(const struct gsim_tornado *tornado, struct gsim_figure *figure)
{
    static const unsigned places[] = {1, 2};
    size_t longest = 0;
    double low = 0, high = 0, line_cm = gsim_figure_line_cm(figure);
    double key_cm = gsim_figure_legend(figure, tornado->legend, places, tornado->legend[0] ? 2 : 0);
    gsim_output_text(&figure->data, "\n\n# row\tname\n");
    for (size_t i = 0; i < tornado->row_count; i++) {
        gsim_output_printf(&figure->data, "%zu\t", i);
        gsim_figure_field(figure, tornado->rows[i].name);
        gsim_output_text(&figure->data, "\n");
    }
    gsim_output_text(&figure->data, "\n\n# row\tfrom\tto\tcolour\tupper\tlower\n");
    for (size_t i = 0; i < tornado->row_count; i++) {
        const double *bars = tornado->rows[i].bars;
        bool same_side = tornado->side_by_side && bars[0] * bars[1] > 0; /* then the shorter stands in the longer */
        int first = same_side && fabs(bars[1]) > fabs(bars[0]);
        for (int n = 0; n < 2; n++) {
            int k = n ? !first : first;
            double value = bars[k], edge = n && (same_side || !tornado->side_by_side) ? 0.2 : 0.4;
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
            gsim_output_printf(&figure->data, "%zu\t0\t%.6g\t%d\t%g\t%g\n", i, value, k + 1, -edge, edge);
        }
    }
    gsim_output_text(&figure->data, "\n\n# row\tfrom\tto\n");
    for (size_t i = 0; i < tornado->row_count && tornado->has_errors; i++) {
        const double *errors = tornado->rows[i].errors;
        low = fmin(low, errors[0]);
        high = fmax(high, errors[1]);
        gsim_output_printf(&figure->data, "%zu\t%.6g\t%.6g\n", i, errors[0], errors[1]);
    }
    gsim_figure_number(figure, "errors", tornado->has_errors);
    for (size_t i = 0; i < tornado->row_count; i++)
        if (strlen(tornado->rows[i].name) > longest) longest = strlen(tornado->rows[i].name);
    double room = high > low ? 0.05 * (high - low) : 1;
    gsim_figure_number(figure, "rows", (double)tornado->row_count);
    gsim_figure_number(figure, "left_cm", gsim_figure_letter_cm(figure) * (double)longest + 0.5);
    gsim_figure_number(figure, "low_x", low < 0 ? low - room : 0);
    gsim_figure_number(figure, "high_x", high > 0 ? high + room : 0);
    gsim_figure_text(figure, "label_x", tornado->label);
    if (figure->size.height_cm <= 0)
        figure->size.height_cm =
            key_cm + (3.6 + ROW_LINES * (double)tornado->row_count + (figure->heading ? 1.2 : 0)) * line_cm;
}
