/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots (helper). Axes of figures that show points over something: linear or logarithmic, which marks, which
 * label.
 */
#pragma once

#include "plots/results.h"

struct gsim_plot_axis {
    bool is_log;
    double low, high, divisor; /* of the values as they are; by what they are divided in the data file */
    const char *label;
};

/* Of a column's numbers, COUNT of them, NAN among them; WANTED_LOG as in gsim_results_query. LABEL NULL: the
 * column's. */
enum gsim_status gsim_plot_axis_init(struct gsim_plot_axis *axis, struct gsim_figure *figure, const char *column,
                                     const double *values, size_t count, int wanted_log, const char *label,
                                     const char *base, struct gsim_error *error) GSIM_NODISCARD;
/* The settings log_LETTER, low_LETTER, high_LETTER (with some room beyond the values) and label_LETTER. */
void gsim_plot_axis_set(const struct gsim_plot_axis *axis, struct gsim_figure *figure, char letter, bool from_zero);

/* How names of LONGEST letters, STEP_CM apart and the first LEFT_CM from the left edge, are written: level, or turned
 * as far as they need. Sets turned, an angle, and down_cm, how much further down they reach than level ones; returns
 * that. */
double gsim_plot_turn(struct gsim_figure *figure, size_t longest, double step_cm, double left_cm);
/* A block of the data file: position and label of each mark, of every EVERYth alone; NAMES are numbers or texts.
 * POSITIONS NULL: 0, 1, 2, ... Returns the letters of the longest. */
size_t gsim_plot_names(struct gsim_figure *figure, const char *const *names, const double *positions, size_t count,
                       size_t every);
/* The same for a horizontal axis: where they stand too close on WIDTH_CM, some have no label. Returns
 * gsim_plot_turn's. */
double gsim_plot_marks(struct gsim_figure *figure, const char *const *names, const double *positions, size_t count,
                       double width_cm, double left_cm);
