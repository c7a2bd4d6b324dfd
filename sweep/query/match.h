/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep (internal to sweep/query/query.c). Which base row belongs to a row: the one that agrees with it in workload,
 * scheduler, device, repetition and all axes, but for the name in which bases differ from others. An axis that the base
 * row does not have (a parameter of another scheduler) does not count.
 */
#ifndef GSIM_SWEEP_MATCH_H
#define GSIM_SWEEP_MATCH_H

#include "sweep/query/view.h"

struct gsim_base_group; /* base rows with the same names */

struct gsim_matches {
    const char *base_name, *base_value;
    struct gsim_arena *arena;
    const char **rows; /* identity of each row added */
    size_t row_count, row_capacity;
    struct gsim_base_group *groups;
    size_t base_count;
};

void gsim_matches_init(struct gsim_matches *matches, const char *base_name, const char *base_value,
                       struct gsim_arena *arena);
void gsim_matches_release(struct gsim_matches *matches);

bool gsim_matches_is_base(const struct gsim_matches *matches, struct gsim_view *view);
enum gsim_status gsim_matches_add_base(struct gsim_matches *matches, struct gsim_view *view, double value,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* A row, which may be a base row as well. */
enum gsim_status gsim_matches_add(struct gsim_matches *matches, struct gsim_view *view, double value,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* After the last one is added. */
void gsim_matches_prepare(struct gsim_matches *matches);
/* The base's value for the row added INDEX-th; NAN: there is none. */
double gsim_matches_find(const struct gsim_matches *matches, size_t index);

#endif
