/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. A figure while it is made: a data file, and a script that is settings of ours followed by plots/NAME.gp
 * as it stands. Both are plain text; kept in a folder of the user's, "gnuplot NAME.gp" there draws the figure again.
 * What stands in the data file: the head of plots/NAME.gp. A script's common begin is plots/common.gp.
 */
#pragma once

#include "plots/gnuplot.h"
#include "sim/base/output.h"

/* Widths of a two-column paper (IEEE, ACM): one column, and the page. */
#define GSIM_FIGURE_COLUMN_CM 8.5
#define GSIM_FIGURE_PAGE_CM   17.8
#define GSIM_FIGURE_FONT_PT   8.0

struct gsim_figure {
    const char *name;             /* of the script: plots/NAME.gp */
    const char *path;             /* the picture; its ending says the format */
    const char *keep;             /* a folder for script and data, made where it is missing; NULL: both are temporary */
    const char *heading;          /* above the figure; NULL: nothing */
    const char *command;          /* what the user typed, for the head of the script; NULL: nothing */
    struct gsim_figure_size size; /* height 0: what suits the data */
    bool may_widen;               /* nobody asked for this width: a figure with many columns takes more */
    struct gsim_output data;      /* between open and finish */
    struct {
        const char *folder, *data, *script;
        char *settings;
        size_t length, capacity;
        bool opened;
        struct gsim_arena arena;
    } own;
};

/* The public fields are set, all else is zero. Afterwards figure->data takes what is drawn. */
enum gsim_status gsim_figure_open(struct gsim_figure *figure, struct gsim_error *error) GSIM_NODISCARD;
/* "NAME = 'TEXT'" and "NAME = VALUE" in the script. */
void gsim_figure_text(struct gsim_figure *figure, const char *name, const char *text);
void gsim_figure_number(struct gsim_figure *figure, const char *name, double value);
/* A field of the data file: tabs, quotes, line ends and backslashes would not survive gnuplot's reading. */
void gsim_figure_field(struct gsim_figure *figure, const char *text);
/* The first block of the data file: a legend above the figure, in columns of equal width. PLACES: of each entry's
 * colour in the script's list. Sets key_cm, the height it takes, and returns it. */
double gsim_figure_legend(struct gsim_figure *figure, const char *const *names, const unsigned *places, size_t count);
/* What a line and a letter take, in centimetres. */
double gsim_figure_line_cm(const struct gsim_figure *figure);
double gsim_figure_letter_cm(const struct gsim_figure *figure);
/* All of these as lines of the script. */
const char *gsim_figure_settings(struct gsim_figure *figure);
/* Writes the script and draws. */
enum gsim_status gsim_figure_finish(struct gsim_figure *figure, struct gsim_error *error) GSIM_NODISCARD;
/* Removes what is temporary; accepts a zeroed figure. */
void gsim_figure_release(struct gsim_figure *figure);
