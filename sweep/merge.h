/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep. Several results files into one: what the shards of a sweep, or several sweeps, have computed. */
#pragma once

#include "sweep/store.h"

struct gsim_merge_outcome {
    size_t added, present; /* rows; present: there already, and the same */
    int stopped_by;        /* a signal, and the merge failed; 0: none */
};

/* OUT must not be there yet unless MAY_EXIST. Shards of one spec become one sweep. Fails with GSIM_INPUT, leaving OUT
 * as it was, when two files disagree about a point, and, unless ALLOW_MIXED, when they come from different models. */
enum gsim_status gsim_merge(const char *out, const char *const *inputs, size_t count, bool may_exist, bool allow_mixed,
                            struct gsim_merge_outcome *outcome, struct gsim_error *error) GSIM_NODISCARD;
