/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. One thing that varies: a name and its values, from texts such as "serial,kesco", "16:64:x2" or
 * "1e6:1e9:log7". How axes combine to points: sweep/spec.h.
 *
 *   A,B,C           a list; an item may be a range
 *   LOW:HIGH        whole numbers          LOW:HIGH:+STEP   steps         LOW:HIGH:xFACTOR  each FACTOR times the last
 *   LOW:HIGH:linN   N evenly spaced        LOW:HIGH:logN    N evenly spaced in the logarithm
 *   LOW:HIGH:random, LOW:HIGH:lograndom    drawn           LOW:HIGH:sobol, LOW:HIGH:logsobol   quasi-random (Sobol)
 *
 * The last four have as many values as the spec asks for samples and advance together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/memory.h"

#define GSIM_AXIS_VALUES_MAX 1000000 /* of all axes together: more is a slip of the hand */
#define GSIM_SOBOL_AXES_MAX  40       /* GSL's */

struct gsim_axis_value {
    const char *text; /* as the command line would take it */
    double number;    /* where is_number */
    bool is_number;
};

enum gsim_sampling { GSIM_SAMPLED_NOT, GSIM_SAMPLED_RANDOM, GSIM_SAMPLED_SOBOL };

struct gsim_axis {
    const char *name;
    struct gsim_axis_value *values;
    size_t count;
    bool is_integer;   /* values are rounded to whole numbers */
    bool is_from_file; /* said by the spec file, not by the command line */
    size_t group;    /* of sweep/spec.h: axes of one group advance together */
    /* Of a sampled axis, whose values come from gsim_axes_sample. */
    enum gsim_sampling sampling;
    double low, high;
    bool is_log;
};

/* Takes NAME as it is and copies TEXT's values into ARENA. Errors quote the item. */
enum gsim_status gsim_axis_parse(struct gsim_axis *axis, const char *name, bool is_integer, const char *text,
                                 struct gsim_arena *arena, struct gsim_error *error) GSIM_NODISCARD;
/* The same from items that are already apart: no ranges. */
enum gsim_status gsim_axis_list(struct gsim_axis *axis, const char *name, const char *const *items, size_t count,
                                struct gsim_arena *arena, struct gsim_error *error) GSIM_NODISCARD;
/* Fills the sampled ones among the COUNT axes with SAMPLES values each; the same SEED gives the same values. */
enum gsim_status gsim_axes_sample(struct gsim_axis *axes, size_t count, size_t samples, uint64_t seed,
                                  struct gsim_arena *arena, struct gsim_error *error) GSIM_NODISCARD;
