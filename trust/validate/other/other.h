/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Kernels that were timed on two devices: how well the rule other_device predicts the one's
 * times from the other's, with the numbers of its law as shipped, and with numbers found anew without the kernel's
 * kind. All times are microseconds.
 */
#pragma once

#include "sim/base/output.h"
#include "sim/device/other.h"
#include "trust/validate/stats.h"

struct gsim_timed { /* a kernel on one device, solo_us */
    const char *name; /* by which two devices' are matched */
    struct gsim_kernel kernel;
    double there_us; /* on the other; 0: not timed there */
    double times;    /* launches in its trace; 1 of others */
    uint32_t row;    /* of ncu's page */
    bool has_row;
};
struct gsim_timed_set {
    struct gsim_timed *kernels;
    size_t count, room, unmatched;
    struct gsim_arena arena;
};
void gsim_timed_release(struct gsim_timed_set *set);
struct gsim_timed *gsim_timed_add(struct gsim_timed_set *set, const char *name, const struct gsim_kernel *kernel);

/* Adds the kernels of a file of unlike kernels (lists "kernels", "profiles"), or of matrix products: CSV of system,
 * type, m, n, k, us, those whose system begins as DEVICE's name does, up to '_' and '-'. */
enum gsim_status gsim_timed_read(struct gsim_timed_set *set, const char *path, const char *device,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Keeps those kernels that THERE has, too, with their times there, and counts the others. */
void gsim_timed_match(struct gsim_timed_set *set, const struct gsim_timed_set *there);

struct gsim_other_row {
    struct gsim_error_summary shipped, left_out; /* signed and relative */
    size_t inside, inside_left_out;
    double sum, sum_low, sum_high, sum_there, sum_before; /* of all launches */
    struct gsim_paired_change change;                     /* from the times as they are to the rule's */
};
void gsim_other_row(const struct gsim_timed_set *set, const struct gsim_other_law *law,
                                const struct gsim_device_spec *from, const struct gsim_device_spec *to,
                                struct gsim_other_row *row);
/* Sums of all launches alone. */
void gsim_other_whole(const struct gsim_timed_set *set, const struct gsim_other_law *law,
                      const struct gsim_device_spec *from, const struct gsim_device_spec *to,
                      struct gsim_other_row *row);
