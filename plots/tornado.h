/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. The picture of gpusim sensitivity and whatif (plots/tornado.gp): a row per input, bars in each.
 */
#pragma once

#include "plots/figure.h"

struct gsim_tornado_row {
    const char *name;
    double bars[2];   /* from zero to here; NAN: none */
    double errors[2]; /* with has_errors: from where to where the first may be */
};

struct gsim_tornado {
    const struct gsim_tornado_row *rows; /* the largest first */
    size_t row_count;
    const char *legend[2], *label; /* legend NULL: none */
    bool has_errors;
    bool side_by_side; /* the bars go to different sides and share the row's height; else one lies on the other */
};

/* A row of the time saved in per cent, and how far off that may be. Losses beyond all of the time are cut, so that
 * gains can be seen; TORNADO says so then. */
struct gsim_tornado_row gsim_tornado_saving(struct gsim_tornado *tornado, const char *name, double percent,
                                            double error_percent);

/* The data and the settings of the figure, which is open; its height where that is 0. */
void gsim_tornado_plot(const struct gsim_tornado *tornado, struct gsim_figure *figure);
