/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program (helper). Reads a whole text file, plain or gzip.
 */
#pragma once

#include <stddef.h>

#include "gpusim/status.h"

/* Returns the text of PATH ("-": standard input; gzip is recognised by content), NUL-terminated, for gsim_free(). NULL:
 * ERROR is set (GSIM_INPUT or GSIM_NOMEM), without the path, which callers prefix. */
char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error);
