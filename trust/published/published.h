/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published (data). Numbers that others published, as tables: what was measured on which device, for which
 * workload and size, whether the models were fitted to it, and where it stands. Knows nothing of how they
 * are re-derived. The files: published/, one header line each, plain CSV without quotes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/memory.h"

#define GSIM_LAUNCH_SHAPES 4

struct gsim_published_row {
    const char *figure, *device, *workload, *quantity;
    const char *source; /* a key of trust/published/README.md */
    double size;        /* 0: a mean over sizes */
    double value;
    bool is_fit; /* a number of the models was chosen to match it; else it is only compared */
};

/* How a figure's runs launch a workload on a device. */
struct gsim_published_launch {
    const char *figure, *device, *workload;
    unsigned blocks, block1d[GSIM_LAUNCH_SHAPES], block1d_count;
};

struct gsim_published {
    struct gsim_published_row *rows;
    struct gsim_published_launch *launches;
    size_t row_count, row_capacity, launch_count, launch_capacity;
    struct gsim_arena arena; /* owns the strings */
};

/* Appends the rows of one file: header "figure,device,workload,size,quantity,value,use,source". Errors name file and
 * line. */
enum gsim_status gsim_published_read(struct gsim_published *published, const char *path,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* The same for "figure,device,workload,blocks,block1d"; block1d: up to four numbers separated by blanks. */
enum gsim_status gsim_published_read_launches(struct gsim_published *published, const char *path,
                                              struct gsim_error *error) GSIM_NODISCARD;
/* NULL where there is none. */
const struct gsim_published_launch *gsim_published_launch_find(const struct gsim_published *published,
                                                               const char *figure, const char *device,
                                                               const char *workload);
void gsim_published_release(struct gsim_published *published); /* accepts a zeroed one */
