/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/write). The parts of a source that become CUDA graphs: statements of one
 * block, from which the host waits for nothing. A graph is launched in its first stream; the other streams join it
 * before and behind.
 */
#pragma once

#include "source/write/weave.h"

struct gsim_region {
    uint32_t from, to;   /* its first statement's begin, its last one's end */
    bool is_constant;    /* every execution gives the device the same: captured once */
    bool is_dropped;
    uint32_t executions;
    uint32_t first_step, end_step; /* of its first execution */
    struct gsim_choice_list streams;
};

struct gsim_regions {
    struct gsim_region *at;
    size_t count, room;
    uint32_t *of_item;   /* which execution of a region an item is in, counted from 1; 0: none */
};

/* Takes the waits that cross the begin or the end of a region out of WEAVE. */
enum gsim_status gsim_regions_find(struct gsim_regions *regions, struct gsim_weave *weave,
                                   struct gsim_error *error) GSIM_NODISCARD;
void gsim_regions_release(struct gsim_regions *regions); /* accepts zeroed */
