/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. A table of results put into groups: one point for each pair of --x and --series, with the mean of --y
 * and its 95 % confidence interval where points were repeated; and speed-ups over a base scheduler.
 */
#pragma once

#include "plots/frame.h"

struct gsim_point {
    size_t count;           /* rows; 0: there is no such pair, and nothing else holds */
    double mean, low, high; /* low and high are the mean where nothing was repeated */
    double error;           /* standard error; of the logarithm for geometric means */
    bool is_repeated;
};

struct gsim_groups {
    const char **xs, **series; /* numbers ascending, texts in order of appearance */
    double *x_values;          /* NAN where xs are texts */
    size_t x_count, series_count;
    bool x_is_number;
    struct gsim_point *points; /* x_count * series_count, by x first */
    const char *left_out;      /* workloads that some group lacks, where others are in each; "" for none */
    const char *averaged;      /* a note on these and on settings that differ inside groups; "" for none */
    bool is_repeated;          /* some point has an interval */
    struct gsim_arena arena;
};

/* SERIES NULL: one series without a name. GEOMETRIC: geometric means, for ratios. GSIM_USAGE names what is missing. */
enum gsim_status gsim_group(const struct gsim_frame *frame, const char *x, const char *series, const char *y,
                            bool geometric, struct gsim_groups *groups, struct gsim_error *error) GSIM_NODISCARD;
void gsim_groups_release(struct gsim_groups *groups);
const struct gsim_point *gsim_group_point(const struct gsim_groups *groups, size_t x, size_t series);

/* Fills the column "speedup": iteration_us of the scheduler BASE in the same setting over the row's; the mean over
 * repetitions of BASE. Scheduler parameters ("kesco.streams") are no part of the setting. Does nothing where the file
 * tells speed-ups and BASE is NULL; NULL is "serial" otherwise. */
enum gsim_status gsim_frame_speedup(struct gsim_frame *frame, const char *base,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* Keeps the rows for which KEEP is set. */
void gsim_frame_select(struct gsim_frame *frame, const bool *keep);
/* GSIM_USAGE with the known names and the nearest one, where there is no such column. */
enum gsim_status gsim_frame_need(const struct gsim_frame *frame, const char *option, const char *name,
                                 const struct gsim_frame_column **column, struct gsim_error *error) GSIM_NODISCARD;
