/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published (program). "gpusim reproduce": cli/trust/reproduce.c has the command, cli_reproduce_rules.c
 * how a published number comes about from runs, cli_reproduce_table.c what is printed and written.
 */
#pragma once

#include "trust/published/reruns.h"
#include "sim/base/output.h"
#include "trust/published/published.h"

struct gsim_reproduction {
    struct gsim_published published; /* the rows that were asked for come first; means take from all */
    size_t shown_count;              /* how many those are */
    struct gsim_reruns reruns;
    struct gsim_mp *mp;   /* of paper "kesco" (trust/published/mp.h); NULL: not asked for */
    double *simulated;  /* per published row; NAN where a run failed */
    const char *number; /* sensitivity: this number of every device times FACTOR; NULL: none */
    double factor;
};

/* The figures of "kesco" or "grcuda", or of both: which file they are in, and what they are called. */
struct gsim_reproduce_figure {
    const char *name, *paper, *file, *title;
    bool is_listed; /* every row is printed, not only a summary */
    bool is_ratio;  /* of two times: no unit */
};
extern const struct gsim_reproduce_figure gsim_reproduce_figures[]; /* ends with name NULL */

/* The simulated number for ROW; NAN where runs are missing, which are then noted in reruns. */
double gsim_reproduce_row(struct gsim_reproduction *r, const struct gsim_published_row *row);
/* What a row of figure "average" or "average-prefetch" is the mean of. */
double gsim_reproduce_of_workload(struct gsim_reproduction *r, const struct gsim_published_row *row,
                                  const struct gsim_workload_ops *workload);
/* Runs what is missing, until every row has its number. */
enum gsim_status gsim_reproduce_all(struct gsim_reproduction *r, unsigned jobs,
                                    struct gsim_error *error) GSIM_NODISCARD;
double gsim_reproduce_error(const struct gsim_reproduction *r, size_t row); /* simulated / published - 1; NAN */

void gsim_reproduce_print(struct gsim_reproduction *r, bool every_row, struct gsim_output *output);
void gsim_reproduce_csv(const struct gsim_reproduction *r, struct gsim_output *output);
void gsim_reproduce_json(const struct gsim_reproduction *r, struct gsim_output *output);
