/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. FIKIT's published range, with services of a stated kind, since the paper's own are not to be had: how
 * much faster the urgent of two services is than under time slices, over kernels of Orion's V100 profiles, gaps after
 * each kernel and kinds of the other service.
 */
#pragma once

#include "gpusim/simulate.h"

/* A pair of services: the urgent model's requests with so many microseconds of host time behind each of its kernels. */
struct gsim_fikit_row {
    char urgent[24], other[24];
    double gap_us;
    bool has_other_gaps;     /* the other one has such gaps, too */
    bool is_closed; /* the urgent one's requests follow one another at once; else as far apart as they are long */
    double speed_up;         /* of the urgent one's mean request, over time slices */
    double other_ratio;      /* mean request of the other one under time slices over FIKIT; NAN: it had none there */
    double over_exclusive;   /* the urgent one's under FIKIT over alone */
};
struct gsim_fikit_table {
    struct gsim_fikit_row *rows;
    size_t count;
    struct gsim_arena arena;
};
/* KERNELS: the file of Orion's kernels. */
enum gsim_status gsim_reproduce_fikit(const struct gsim_device_spec *device, const char *kernels,
                                      struct gsim_fikit_table *table, struct gsim_error *error) GSIM_NODISCARD;
void gsim_fikit_table_release(struct gsim_fikit_table *table); /* accepts zeroed */
