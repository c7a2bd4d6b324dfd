/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device (internal to sim/device). The loader's table of a device's numbers: a row for each line of
 * include/gpusim/device.def, a number or a curve.
 */
#pragma once

#include "sim/device/device.h"

#define GSIM_CURVE_MAX 16 /* points of a curve */

struct gsim_number_row {
    const char *section, *name, *unit, *help;
    double minimum, maximum;
    int first, points;                /* first number, points of the curve; 0: no curve */
    size_t offset;                    /* of the first number in struct gsim_device_spec */
    double initial[GSIM_CURVE_MAX];  /* NAN: the file must give it */
    const char *names[GSIM_CURVE_MAX];
};

/* Returns the *COUNT rows in order of their numbers. */
const struct gsim_number_row *gsim_number_rows(size_t *count);
/* Finds a row by its name, not by a point's name. NULL: there is none. */
const struct gsim_number_row *gsim_number_row_find(const char *name);
static inline int gsim_number_row_size(const struct gsim_number_row *row) { return row->points ? row->points : 1; }

double *gsim_device_number(struct gsim_device_spec *spec, enum gsim_device_number number);
double gsim_device_number_initial(enum gsim_device_number number);
bool gsim_device_number_holds(enum gsim_device_number number, double value); /* VALUE is in range */
/* Writes the range to TEXT and returns it: "an integer from 1 to 256", "a number from 1 to 100000 GB/s". */
const char *gsim_device_number_expected(enum gsim_device_number number, char *text, size_t size);
/* Returns the row with the name most like NAME; NULL: none is near. */
const struct gsim_number_row *gsim_number_row_nearest(const char *name);
