/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). See cli/figures/figures.h.
 */
#include "cli/figures/figures.h"

enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path, struct gsim_error *error)
{
    static const struct gsim_figure_size size = {.width_cm = 12.8, .height_cm = 9.1, .font_pt = 9, .enhanced = true};
    struct gsim_arena arena = {0};
    enum gsim_status status;
    const char *name = gsim_arena_printf(&arena, "plots/%s", script);
    const char *found = name ? gsim_data_path(&arena, name) : NULL;
    const char *terminal = gsim_gnuplot_terminal(&arena, path, &size);
    if (arena.failed) status = gsim_no_memory(error);
    else if (!found)
        status = gsim_error_set(error, GSIM_IO, "cannot draw: plots/%s is not installed", script);
    else
        status = gsim_gnuplot_draw(found, csv, path, terminal, error);
    gsim_arena_release(&arena);
    return status;
}
