/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (data). A plan: the GPU and stream of each kernel and copy, in issue order. --plan writes the plan
 * of a run; the scheduler plan follows it. The file is CSV with the columns op, device, stream, start_us, or JSON if
 * its name ends in ".json".
 */
#pragma once

#include "gpusim/program.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_timeline;

struct gsim_op_plan_row {
    uint32_t op, device, stream;
    double start_us; /* from the iteration's start; for information */
};

struct gsim_op_plan {
    struct gsim_op_plan_row *rows;
    size_t count;
};

/* Makes the plan of the last iteration of TIMELINE. The caller releases PLAN. */
enum gsim_status gsim_op_plan_make(struct gsim_op_plan *plan, const struct gsim_timeline *timeline,
                                   struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_op_plan_read(struct gsim_op_plan *plan, const char *path,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* PATH "-" is the standard output. */
enum gsim_status gsim_op_plan_write(const struct gsim_op_plan *plan, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_op_plan_release(struct gsim_op_plan *plan); /* accepts zeroed */

GSIM_DECLARATIONS_END
