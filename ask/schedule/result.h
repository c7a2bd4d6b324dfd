/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. What "gpusim schedule" found of a trace or a program, as JSON (docs/schemas/schedule.json). */
#pragma once

#include "ask/schedule/assign.h"
#include "sim/base/output.h"
#include "traces/import/pytorch/operators.h"

struct gsim_schedule {
    const char *subject, *device;
    const struct gsim_units *units;
    const struct gsim_traced_operators *operators; /* empty: none are known */
    const uint32_t *roots;       /* by unit: its operator, GSIM_NO_OPERATOR for none */
    uint32_t asked;              /* at most so many streams */
    const struct gsim_assignment *one, *tried; /* all on one stream; the best of each policy */
    uint32_t tried_count, best;  /* of TRIED */
    struct gsim_worth worth;
};

/* The plan to apply: the best of SCHEDULE's tried ones, or all on one stream where nothing gains. */
const struct gsim_assignment *gsim_schedule_plan(const struct gsim_schedule *schedule);

void gsim_schedule_put_json(struct gsim_output *out, const struct gsim_schedule *schedule);
