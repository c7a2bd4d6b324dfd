/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What list schedulers share: the idle time of a processor, and nodes in the order of a
 * key.
 */
#pragma once

#include "gpusim/scheduler.h"

/* Idle time of a processor, ascending; the last gap never ends. */
struct gsim_idle_gap {
    double begin, end;
};
struct gsim_idle {
    struct gsim_idle_gap *items;
    size_t count, room;
};

bool gsim_idle_init(struct gsim_idle *gaps); /* false: out of memory */
void gsim_idle_release(struct gsim_idle *gaps); /* accepts zeroed */
/* The first gap that holds COST from READY on, or with APPENDS the last one, and when in it. */
size_t gsim_idle_find(const struct gsim_idle *gaps, double ready, double cost, bool appends, double *start);
/* The time from START to END, all in gap AT, is taken. False: out of memory. */
bool gsim_idle_take(struct gsim_idle *gaps, size_t at, double start, double end);

struct gsim_keyed {
    double key;
    uint32_t node;
};
/* By rising key, then by node. */
void gsim_keyed_sort(struct gsim_keyed *nodes, size_t count);
