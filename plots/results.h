/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. Figures of a table of results: the data and the settings of plots/speedup.gp, lines.gp, heatmap.gp,
 * scatter.gp and box.gp. Each leaves the table as it is; the figure is open and, where its height is 0, gets one.
 */
#pragma once

#include "plots/figure.h"
#include "plots/group.h"

struct gsim_results_query {
    const char *x, *y, *value, *series; /* columns; NULL: as the data ask for */
    const char *base;                   /* scheduler of speed-ups; NULL: serial */
    const char *xlabel, *ylabel;        /* NULL: the column's name and unit */
    int log_x, log_y;                   /* 1, 0, or -1: as the data ask for */
};

/* Whether the figure shows speed-ups. */
bool gsim_results_has_speedup(const char *kind, const struct gsim_results_query *query);
/* The column "speedup" where the figure KIND ("speedup", ...) shows it; before rows are left out, the base's among
 * them. */
enum gsim_status gsim_results_prepare(struct gsim_frame *frame, const char *kind,
                                      const struct gsim_results_query *query, struct gsim_error *error) GSIM_NODISCARD;
/* Fills in the columns that were not chosen; several of --series are joined. */
enum gsim_status gsim_results_choose(struct gsim_frame *frame, const char *kind, struct gsim_results_query *query,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* NOTE: what the reader should know, such as settings averaged over; "" or from the figure's arena. */
typedef enum gsim_status gsim_results_plot(const struct gsim_frame *frame, const struct gsim_results_query *query,
                                           struct gsim_figure *figure, const char **note, struct gsim_error *error);
gsim_results_plot gsim_bars_plot, gsim_lines_plot, gsim_heatmap_plot, gsim_scatter_plot, gsim_box_plot;

/* NULL: no figure of results has this name. */
gsim_results_plot *gsim_results_find(const char *kind);
