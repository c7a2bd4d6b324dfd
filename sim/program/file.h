/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program (helper). A whole text file in memory, plain or gzip.
 */
#pragma once

#include <stddef.h>

#include "gpusim/status.h"

/* The bytes of PATH ("-": standard input; gzip is recognised by content) with a NUL behind them, for
 * gsim_free(). NULL with ERROR set (GSIM_INPUT or GSIM_NOMEM), without the path: callers prefix it. */
char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error);
