/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Which base row belongs to a row, in results (sweep/query/query.c) and in figures (plots/group.c): the
 * one that agrees with it in every setting that the base row has, but for the name in which bases differ from others. A
 * setting that the base row does not have (a parameter of another scheduler) does not count, nor one that the row lacks
 * and all base rows agree in.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

struct gsim_match_setting {
    const char *name, *value;
};

struct gsim_base_group; /* base rows with the same names */

struct gsim_matches {
    struct gsim_arena *arena;
    const char **rows; /* identity of each row added */
    size_t row_count, row_capacity, longest;
    struct gsim_base_group *groups;
    size_t base_count;
    char *scratch;
};

/* A base's value for a row: the mean over the base rows that agree, which repetitions without a number of their own
 * do. */
struct gsim_match {
    double mean;     /* NAN: there is none */
    double variance; /* of that mean, relative to its square; 0 for one row */
};

enum gsim_match_role { GSIM_MATCH_ROW = 1, GSIM_MATCH_BASE = 2 }; /* or both */

void gsim_matches_init(struct gsim_matches *matches, struct gsim_arena *arena);
void gsim_matches_release(struct gsim_matches *matches);
/* SETTINGS, which are sorted here, without the name in which bases differ; of two with one name the first counts. A
 * base whose VALUE is NAN is none. */
void gsim_matches_add(struct gsim_matches *matches, struct gsim_match_setting *settings, size_t count, int roles,
                      double value);
/* After the last one is added. */
void gsim_matches_prepare(struct gsim_matches *matches);
/* Of the row added INDEX-th. */
struct gsim_match gsim_matches_find(const struct gsim_matches *matches, size_t index);
