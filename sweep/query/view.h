/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. The value of any name in a row of results: a column (sched is scheduler), else an axis, else a resolved
 * option such as kesco.streams, else a figure of a task, TASK.p99_us. JSON columns are taken apart when first asked
 * for.
 */
#pragma once

#include "sweep/store.h"

struct gsim_view {
    const struct gsim_row *row;
    void *axes, *options, *tasks; /* cJSON; NULL until needed */
};

void gsim_view_init(struct gsim_view *view, const struct gsim_row *row);
void gsim_view_release(struct gsim_view *view);

/* The column that NAME stands for; GSIM_COLUMN_COUNT: none. */
enum gsim_column gsim_view_column(const char *name);
/* Null where this row has no such thing. Texts live as long as row and view. */
struct gsim_cell gsim_view_value(struct gsim_view *view, const char *name);
/* Calls EACH for every axis of the row, in the order of the spec. */
void gsim_view_axes(struct gsim_view *view, void (*each)(void *data, const char *name, const struct gsim_cell *value),
                    void *data);
