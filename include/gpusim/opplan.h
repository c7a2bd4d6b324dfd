/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (data). Which GPU and stream each kernel and copy of a program has, in the order in which they are
 * issued: what
 * --plan writes of a run, and what the scheduler plan follows. CSV with the columns op, device, stream, start_us; JSON
 * by the ending.
 */
#pragma once

#include "gpusim/program.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_timeline;

struct gsim_op_plan_row {
    uint32_t op, device, stream;
    double start_us; /* from the iteration's start; not followed */
};

struct gsim_op_plan {
    struct gsim_op_plan_row *rows;
    size_t count;
};

/* Of the last iteration. PLAN is the caller's to release. */
enum gsim_status gsim_op_plan_make(struct gsim_op_plan *plan, const struct gsim_timeline *timeline,
                                   struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_op_plan_read(struct gsim_op_plan *plan, const char *path,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* PATH "-" is the standard output. */
enum gsim_status gsim_op_plan_write(const struct gsim_op_plan *plan, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_op_plan_release(struct gsim_op_plan *plan); /* accepts zeroed */

GSIM_DECLARATIONS_END
