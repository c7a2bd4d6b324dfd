/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Questions to a results file: which rows (conditions), which columns of them, how much faster than a
 * base row that differs in one name alone, and, grouped, what is said of a group's values. Rendering:
 * cli/sweep/results.c.
 */
#pragma once

#include "sweep/query/pairs.h"
#include "sweep/stats.h"
#include "sweep/store.h"

#define GSIM_QUERY_ALL     "all"     /* as the only column: every column, axis and option */
#define GSIM_QUERY_SPEEDUP "speedup" /* a name beside those of the file, where there is a base */

struct gsim_query {
    const char *const *conditions;
    size_t condition_count;
    const char *const *columns; /* names to be shown, or to group by; NULL: the axes */
    size_t column_count;
    bool tells_rows;                    /* beside the axes: seed, repeat and status */
    const char *value;                  /* NULL: iteration_us, or speedup where there is a base */
    const char *base_name, *base_value; /* NULL: no speed-ups. Speed-up: base's value over the row's */
    const char *base_of;                /* whose ratio it is; NULL: iteration_us */
    bool is_grouped;
    bool is_paired; /* grouped, and with a base: each group's rows against their base rows, cell by cell */
    bool with_failed; /* rows whose status is not ok, too; never grouped */
};

struct gsim_selected_row {
    struct gsim_cell *cells; /* by name */
    double value;            /* NAN: none; grouped: the mean */
    const char *status;      /* NULL: ok */
    uint64_t identity;       /* grouped: of what it simulated; repetitions have the same */
    bool is_base;
};

struct gsim_selected {
    const char **names; /* of the columns */
    size_t name_count;
    const char *value_name;
    struct gsim_selected_row *rows;
    struct gsim_stats *stats;                      /* grouped: per row, over its values */
    struct gsim_pairs *pairs;                      /* paired: per row, in place of stats */
    bool is_mixed;                                 /* grouped: some group's rows are not repetitions of one point */
    double iterations_least, iterations_most;      /* that rows simulated; both 0 where none says */
    size_t row_count, row_room, failed_count, no_base_count; /* left out: not ok; grouped: without a base row */
    const char **models;                           /* that the rows come from */
    size_t model_count;
    struct gsim_arena arena; /* owns everything above but the rows themselves */
};

/* Fails with GSIM_USAGE for a name that the file does not know, offering the nearest. */
enum gsim_status gsim_query_run(struct gsim_store *store, const struct gsim_query *query, struct gsim_selected *answer,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_selected_release(struct gsim_selected *answer); /* accepts a zeroed one */
