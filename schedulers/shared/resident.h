/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What the schedulers of resident kernels share: kernels that follow one another in the
 * program, with nothing of the host's or of the copy engines between them, become one launch; everything goes to one
 * stream.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

/* The preset order of a launch's kernels. */
#define GSIM_RESIDENT_ORDERS "program|level|list|priority"
enum gsim_resident_order {
    GSIM_RESIDENT_PROGRAM,  /* as the program has them */
    GSIM_RESIDENT_LEVEL,    /* by ASAP level */
    GSIM_RESIDENT_LIST,     /* of those that may come next, the one that the longest path follows */
    GSIM_RESIDENT_PRIORITY, /* by the ops' priority, whatever follows what */
};

/* prepare() and execute(); STYLE says how each launch is scheduled, its lists are filled in. */
enum gsim_status gsim_resident_prepare(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_resident_execute(struct gsim_run *run, const struct gsim_persistent *style,
                                       enum gsim_resident_order order, struct gsim_error *error) GSIM_NODISCARD;
