/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. A timeline as tracks of slices, for gantt.c and chrome.c, which draw it: slices are sorted by
 * track and start, and those that overlap on one track are spread over lanes.
 */
#pragma once

#include "gpusim/timeline.h"

enum gsim_slice_kind { GSIM_SLICE_KERNEL, GSIM_SLICE_COPY, GSIM_SLICE_SYNC };

struct gsim_slice {
    uint64_t track; /* the caller's key */
    gsim_time start, end;
    uint32_t record; /* index into the timeline's array of that kind */
    uint32_t lane;   /* 0, 1, ... within the track */
    enum gsim_slice_kind kind;
};

struct gsim_slices {
    struct gsim_slice *slices;
    size_t count, capacity;
};

/* Appends SLICE. GSIM_NOMEM. */
enum gsim_status gsim_slices_add(struct gsim_slices *list, const struct gsim_slice *slice,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Sorts LIST by (track, start, kind, record) and gives each slice the lowest lane that is free at its start. */
enum gsim_status gsim_slices_arrange(struct gsim_slices *list, struct gsim_error *error) GSIM_NODISCARD;
void gsim_slices_release(struct gsim_slices *list);
