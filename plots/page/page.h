/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim report": one HTML page that needs no network. plots/page/page.html is part of the program; it
 * draws the JSON that is written here: "report", a report as it stands; "run", figures of one run; or "blocks", lists
 * that begin with the block's kind: h1, sub, h2, h3, p, pre with a text, table, figure, more and end.
 */
#pragma once

#include "plots/results.h"
#include "plots/timeline/track.h"

struct gsim_page {
    const char *source;  /* the file shown, as typed */
    const char *command; /* what was typed */
    size_t figure_count;
    struct gsim_arena arena;
    struct {
        struct gsim_output json;
        char *text; /* the JSON, from commit on */
        size_t length, columns, cells;
        const char *comma; /* before the next block */
    } own;
};

/* The file and the command are set, all else is zero. */
enum gsim_status gsim_page_begin(struct gsim_page *page, struct gsim_error *error) GSIM_NODISCARD;
/* The page with its JSON. */
enum gsim_status gsim_page_end(struct gsim_page *page, struct gsim_output *output,
                               struct gsim_error *error) GSIM_NODISCARD;
void gsim_page_release(struct gsim_page *page); /* accepts zeroed */

void gsim_page_block(struct gsim_page *page, const char *kind, const char *text);
/* A table: its head, then all cells in order. A head that ends in a blank is one of numbers, at the right. */
void gsim_page_table(struct gsim_page *page, const char *const *heads, size_t count);
void gsim_page_cell(struct gsim_page *page, const char *text);
void gsim_page_table_end(struct gsim_page *page);

/* What plots/NAME.gp would draw, for the page to draw it: settings and data as gnuplot gets them. */
typedef enum gsim_status gsim_page_plot(void *context, struct gsim_figure *figure, struct gsim_error *error);
struct gsim_page_figure {
    const char *name, *caption, *command;
    double width_cm;
    gsim_page_plot *plot;
    void *context;
};
enum gsim_status gsim_page_draw(struct gsim_page *page, const struct gsim_page_figure *what,
                                struct gsim_error *error) GSIM_NODISCARD;

/* One run (plots/page/page_run.c), a table of results (plots/page/page_results.c), and what a database tells beside its
 * table (plots/page/page_db.c). */
enum gsim_status gsim_page_run(struct gsim_page *page, const struct gsim_frame *frame, struct gsim_track *track,
                               struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_page_results(struct gsim_page *page, struct gsim_frame *frame,
                                   struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_page_database(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* Reports that the page draws as they stand: of whatif, explain and compare --task, and any answer. */
bool gsim_page_is_report(const char *path);
enum gsim_status gsim_page_report(struct gsim_page *page, const char *path, struct gsim_error *error) GSIM_NODISCARD;
