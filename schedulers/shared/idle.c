/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/shared/idle.h. */
#include "schedulers/shared/idle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

bool gsim_idle_init(struct gsim_idle *g)
{
    *g = (struct gsim_idle){0};
    if (gsim_array_grow(&g->items, sizeof *g->items, 0, &g->room)) return false;
    g->items[g->count++] = (struct gsim_idle_gap){0, INFINITY};
    return true;
}

void gsim_idle_release(struct gsim_idle *g) { gsim_free(g->items); }

size_t gsim_idle_find(const struct gsim_idle *g, double ready, double cost, bool appends, double *start)
{
    size_t low = 0, high = g->count - 1;
    if (appends) low = high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->items[middle].end < ready + cost) low = middle + 1;
        else high = middle;
    }
    while (fmax(g->items[low].begin, ready) + cost > g->items[low].end) low++;
    *start = fmax(g->items[low].begin, ready);
    return low;
}

bool gsim_idle_take(struct gsim_idle *g, size_t at, double start, double end)
{
    struct gsim_idle_gap *gap = &g->items[at], whole = *gap;
    if (start > whole.begin && whole.end > end) {
        if (gsim_array_grow(&g->items, sizeof *g->items, g->count, &g->room)) return false;
        gap = &g->items[at];
        memmove(gap + 1, gap, sizeof whole * (g->count++ - at));
        gap[0].end = start;
        gap[1].begin = end;
    } else if (start > whole.begin) {
        gap->end = start;
    } else if (whole.end > end) {
        gap->begin = end;
    } else {
        memmove(gap, gap + 1, sizeof whole * (--g->count - at));
    }
    return true;
}

GSIM_ORDER(compare, struct gsim_keyed, GSIM_UP(key) GSIM_UP(node))

void gsim_keyed_sort(struct gsim_keyed *nodes, size_t count) { qsort(nodes, count, sizeof *nodes, compare); }
