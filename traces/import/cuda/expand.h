/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to traces/import/cuda). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* SOURCE with its own function-like macros expanded, for gsim_free(). NULL: it is empty, or memory is out. */
char *gsim_cu_expand(const char *source, size_t length, size_t *expanded_length);
