/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce mega": numbers that were published of persistent kernels, programmatic launches and a
 * CPU that schedules for cores, and what the model says. Nothing is fitted to them; what had to be assumed is said
 * beside each.
 */
#pragma once

#include "sim/base/output.h"

struct gsim_mega_row {
    const char *key, *what, *unit, *source, *assumed;
    double low, high;  /* published; equal: one number */
    double slack;      /* of one number, relative: what counts as reproduced */
    double model;
};

enum { GSIM_MEGA_ROWS = 13 };

struct gsim_mega {
    struct gsim_mega_row rows[GSIM_MEGA_ROWS];
};

enum gsim_status gsim_mega_run(struct gsim_mega *mega, struct gsim_error *error) GSIM_NODISCARD;
/* How far the model is off the published range, relative; 0: inside. */
double gsim_mega_error(const struct gsim_mega_row *row);
void gsim_mega_print(const struct gsim_mega *mega, struct gsim_output *output);
void gsim_mega_csv(const struct gsim_mega *mega, struct gsim_output *output);
