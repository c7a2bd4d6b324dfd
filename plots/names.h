/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots (helper). Names of kernels, columns and units as a figure can show them.
 */
#pragma once

#include "gpusim/memory.h"

/* "void at::native::reduce_kernel<512, ...>(...)" is "reduce_kernel"; long names are cut in the middle. From ARENA. */
const char *gsim_kernel_short_name(struct gsim_arena *arena, const char *name);

/* "time per iteration (ms)" for iteration_us: the column's name and unit, and by what its values are divided for it.
 * LARGEST: of the values, which chooses among us, ms and s. BASE: scheduler of speed-ups. From ARENA. */
const char *gsim_column_label(struct gsim_arena *arena, const char *column, double largest, const char *base,
                              double *divisor);
/* A program file by path is told by its name, within TEXT; others as they are. */
const char *gsim_file_label(const char *text, int *length);
/* 1000000 is "1M", 2500 "2.5k", 0.25 "0.25"; names as they are. From ARENA. */
const char *gsim_value_label(struct gsim_arena *arena, const char *text);
