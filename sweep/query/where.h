/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Conditions, as in --where 'size >= 1e6 && sched != serial': which points a sweep has, which rows a
 * query sees. Comparisons (= == != < <= > >=, "in (a, b)"), + - * / %, && || ! (or: and, or, not), parentheses. A word
 * that is a name gives its value; any other word, and what is in quotes, is text. Numbers take suffixes (4k, 64Ki).
 */
#pragma once

#include <stdbool.h>

#include "sweep/store.h"

/* What a condition is asked about: NAME's value, or false when there is no such name. A name that has no value
 * gives null; every comparison with null is false. */
struct gsim_where_names {
    bool (*value)(void *data, const char *name, struct gsim_cell *value);
    void *data;
};

struct gsim_where;

/* NAMES says which words are names (their values do not matter yet). A comparison without a name is refused: it is
 * a mistyped one. TEXT need not outlive the call. Fails with GSIM_USAGE, showing the place. */
enum gsim_status gsim_where_compile(const char *text, const struct gsim_where_names *names, struct gsim_arena *arena,
                                    struct gsim_where **where, struct gsim_error *error) GSIM_NODISCARD;
bool gsim_where_holds(const struct gsim_where *where, const struct gsim_where_names *names);
