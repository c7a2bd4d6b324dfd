/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What "gpusim plot" and "gpusim report" have in common: words about figures.
 */
#pragma once

#include "plots/figure.h"
#include "cli/cli.h"

/* --width, --height and --font; WIDTH_CM where --width is not given. */
enum gsim_status gsim_cli_figure_size(const struct gsim_cli_arguments *arguments, double width_cm,
                                      struct gsim_figure_size *size, struct gsim_error *error) GSIM_NODISCARD;
/* What was typed, quoted for a shell where it must be; from ARENA. */
const char *gsim_cli_command_line(const struct gsim_cli_arguments *arguments, struct gsim_arena *arena);
