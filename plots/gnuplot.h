/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots (helper). gnuplot as a child process, without a shell: file names reach a script as ARG1, ARG2, ...,
 * so that nothing in them is ever parsed. What is drawn: the scripts plots/NAME.gp and their callers.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

struct gsim_figure_size {
    double width_cm, height_cm, font_pt; /* as printed: PNG has 300 dots per inch */
    bool enhanced;                       /* text has markup such as 10^{3}: not for names, which may have "_" */
};

/* "set terminal" for the ending of PATH (.svg, .pdf, .png); NULL for other endings. */
const char *gsim_gnuplot_terminal(struct gsim_arena *arena, const char *path, const struct gsim_figure_size *size);

/* Whether a figure can be written to PATH: its ending is .svg, .pdf or .png, and its folder is there. */
enum gsim_status gsim_figure_check(const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* Runs gnuplot -c SCRIPT DATA on a file beside PATH, which becomes PATH when it is whole (sim/base/part.h). TERMINAL
 * NULL: the script sets its own. */
enum gsim_status gsim_gnuplot_draw(const char *script, const char *data, const char *path, const char *terminal,
                                   struct gsim_error *error) GSIM_NODISCARD;
