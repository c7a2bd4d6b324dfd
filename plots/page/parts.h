/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. A table of results in parts that agree in all settings but those that a figure or a table shows, so
 * that nothing is averaged over devices, sizes or whatever else varied.
 */
#pragma once

#include "plots/frame.h"

struct gsim_page_part {
    const char *name;        /* "h200, size = 1000000"; "" where there is one part */
    const char *where;       /* the same as a condition: "device = 'h200' && size = 1000000" */
    struct gsim_frame frame; /* its texts and numbers are those of the whole */
};

struct gsim_page_parts {
    struct gsim_page_part *parts;
    size_t count, left_out; /* how many more there would be */
    struct gsim_arena arena;
};

/* SHOWN: the settings that vary within a part, up to a NULL. A row without a setting, as of a scheduler that does not
 * have the parameter, is in the parts of all its values. */
void gsim_page_parts_init(struct gsim_page_parts *parts, const struct gsim_frame *frame, const char *const *shown);
void gsim_page_parts_release(struct gsim_page_parts *parts);

/* Whether the column's value follows from the workload's name, as the default size does: then it is no setting. */
bool gsim_page_follows_workload(const struct gsim_frame *frame, const struct gsim_frame_column *column);
