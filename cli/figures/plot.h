/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What "gpusim plot" and "gpusim report" have in common: words about figures.
 */
#pragma once

#include "plots/gnuplot.h"
#include "plots/tornado.h"
#include "cli/cli.h"

/* --width, --height and --font; WIDTH_CM where --width is not given. */
enum gsim_status gsim_cli_figure_size(const struct gsim_cli_arguments *arguments, double width_cm,
                                      struct gsim_figure_size *size, struct gsim_error *error) GSIM_NODISCARD;
/* Draws into -o, with --title, --keep and the size asked for. */
enum gsim_status gsim_cli_draw_tornado(const struct gsim_cli_arguments *arguments, const struct gsim_tornado *tornado,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* WORD as a shell takes it, between quotes where it must be, control characters as ?; from ARENA. */
const char *gsim_cli_quoted(struct gsim_arena *arena, const char *word);
/* What was typed, quoted for a shell where it must be; from ARENA. */
const char *gsim_cli_command_line(const struct gsim_cli_arguments *arguments, struct gsim_arena *arena);

/* --- cli/figures/kind.c: what a file is that a figure cannot be made of, and the command that takes it --- */
/* Who reads: timelines, figures of tables, figures of tasks. */
#define GSIM_KIND_TRACK 1u
#define GSIM_KIND_FRAME 2u
#define GSIM_KIND_SHARES 4u

/* Where STATUS is GSIM_INPUT and PATH is of a kind that READER does not read, ERROR says which it is. Returns
 * STATUS. */
enum gsim_status gsim_cli_name_kind(enum gsim_status status, const char *path, unsigned reader,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* Of a command that writes a CSV file of its own (validate): runs plots/SCRIPT on it; PATH takes its name when the
 * figure is complete. */
enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path,
                                  struct gsim_error *error) GSIM_NODISCARD;
