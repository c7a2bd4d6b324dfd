/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim report": one HTML page that needs nothing else - no script, no style sheet, no font, no network
 * - with tables, figures as inline SVG, and the commands that give it again.
 */
#pragma once

#include "plots/results.h"
#include "plots/timeline/track.h"

struct gsim_page {
    struct gsim_output *output;
    const char *source;  /* the file shown, as typed */
    const char *command; /* what was typed */
    size_t figure_count;
    size_t column;       /* of the table that is written, */
    uint64_t numbers;    /* and which of its columns hold numbers, as bits */
    const char *missing; /* why figures are missing, told once; NULL: none is */
    struct gsim_arena arena;
};

/* Everything up to the first section: style, heading, one line below it. */
void gsim_page_begin(struct gsim_page *page, const char *title, const char *subtitle);
/* How it was made, and the end. */
void gsim_page_end(struct gsim_page *page);
void gsim_page_text(struct gsim_page *page, const char *text); /* escaped */
void gsim_page_section(struct gsim_page *page, const char *title);
/* A command to be copied. */
void gsim_page_command(struct gsim_page *page, const char *command);
/* A table: its head, then cells in order. A head that ends in a blank is one of numbers, which stand at the right. */
void gsim_page_table(struct gsim_page *page, const char *const *heads, size_t count);
void gsim_page_cell(struct gsim_page *page, const char *text);
/* A cell of a name as compilers make them: a long one is cut in the middle, and a pointer is told all of it. */
void gsim_page_name(struct gsim_page *page, const char *name);
void gsim_page_row_end(struct gsim_page *page);
void gsim_page_table_end(struct gsim_page *page);

/* Draws by plots/NAME.gp and puts the picture into the page, with what it shows and the command that draws it. Ids in
 * it are made different from those of other pictures. Without gnuplot the page goes on without pictures. */
typedef enum gsim_status gsim_page_plot(void *context, struct gsim_figure *figure, struct gsim_error *error);
struct gsim_page_figure {
    const char *name, *caption, *command; /* command NULL: none is shown */
    double width_cm;
    gsim_page_plot *plot;
    void *context;
};
enum gsim_status gsim_page_draw(struct gsim_page *page, const struct gsim_page_figure *what,
                                struct gsim_error *error) GSIM_NODISCARD;

/* The sections of one run (plots/page/page_run.c), of a table of results (plots/page/page_results.c), and what a
 * database tells beside its table (plots/page/page_db.c). */
enum gsim_status gsim_page_run(struct gsim_page *page, const struct gsim_frame *frame, struct gsim_track *track,
                               struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_page_results(struct gsim_page *page, struct gsim_frame *frame,
                                   struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_page_database(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* Several tasks on one GPU (plots/page/page_tasks.c): the section of a run's page, and the page of what compare --task
 * reports. */
enum gsim_status gsim_page_tasks(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;
bool gsim_page_is_shares(const char *path);
enum gsim_status gsim_page_shares(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* The reports of gpusim whatif and gpusim explain (plots/page/page_ask.c), a page each. */
bool gsim_page_is_ask(const char *path);
enum gsim_status gsim_page_ask(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;
