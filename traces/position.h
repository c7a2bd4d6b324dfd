/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces. Where the reader of a recording is in its file, for messages; the first failure stays. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/status.h"

struct gsim_position {
    struct gsim_error *error;
    char text[96]; /* "pairs[3]" */
    bool failed;
};

/* "PLACE.FIELD: expected EXPECTED, found FOUND". FIELD: "" for the place itself. */
void gsim_position_fail(struct gsim_position *place, const char *field, const char *expected, const char *found);
void gsim_position_no_memory(struct gsim_position *place);
/* Appends to the place; returns the length to go back to. */
size_t gsim_position_enter(struct gsim_position *place, const char *format, ...) GSIM_PRINTF(2, 3);
void gsim_position_leave(struct gsim_position *place, size_t length);
