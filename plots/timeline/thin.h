/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. The bars of a timeline. Of very many, neighbours in a row that are narrower than a point of the picture
 * become one bar, so that a picture of a million kernels is as small as one of some thousands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSIM_BAR_SHADES 4    /* full colour; below: the bar's share of the time is lower */
#define GSIM_BARS_MAX   9000 /* as many are drawn as they are: an SVG of less than a megabyte */

struct gsim_bar {
    double start_us, end_us;
    uint32_t row, group;
    const char *name;        /* NULL: of several names */
    uint64_t count, kernels; /* that it stands for; of these, kernels */
    unsigned shade;          /* 1 to GSIM_BAR_SHADES */
};

struct gsim_bars {
    struct gsim_bar *bars;
    size_t count, capacity;
    uint64_t thinned; /* kernels that have no bar of their own */
};

struct gsim_thinning {
    size_t rows;
    double span_us;          /* of the picture */
    uint32_t mixed;          /* the group of a bar that stands for several groups */
};

void gsim_bars_add(struct gsim_bars *bars, const struct gsim_bar *bar);
/* Bars of a row come by start and do not overlap. Does nothing to GSIM_BARS_MAX or fewer. */
void gsim_bars_thin(struct gsim_bars *bars, const struct gsim_thinning *thinning);
void gsim_bars_release(struct gsim_bars *bars);
