/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (program). Drawing by gnuplot: which script of plots/, which format by the name's ending. The
 * scripts read a CSV file; nothing is drawn from memory.
 */
#ifndef GSIM_CLI_FIGURES_H
#define GSIM_CLI_FIGURES_H

#include "sim/memory.h"

/* Whether a figure can be written to PATH: its ending is .svg, .pdf or .png, and its folder is there. */
enum gsim_status gsim_figure_check(const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Runs plots/SCRIPT on the CSV file; PATH takes its name when the figure is complete. */
enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* The first of $GPUSIM_DATA/NAME, <folder of the executable>/../share/gpusim/NAME and the source tree's NAME
 * that exists, from ARENA; NULL when none does or memory is out. */
const char *gsim_data_path(struct gsim_arena *arena, const char *name);

#endif
