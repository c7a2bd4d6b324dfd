/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Figures of commands that write a CSV file of their own (validate): which script of plots/,
 * which format by the name's ending. Figures of results, reports and traces: cli/figures/plot.c.
 */
#pragma once

#include "plots/gnuplot.h"

/* Runs plots/SCRIPT on the CSV file; PATH takes its name when the figure is complete. */
enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path,
                                  struct gsim_error *error) GSIM_NODISCARD;
