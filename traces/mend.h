/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (helper of traces/events.c). Text that is not quite JSON, as profilers write it. */
#pragma once

#include <stddef.h>

/* In place, with the length kept: in strings control characters become spaces, backslashes that escape nothing slashes,
 * bytes that are not UTF-8 question marks; outside them NaN and Infinity become empty lists, which are no numbers. */
void gsim_mend(char *text, size_t length);

/* Where the next element of a list of objects may begin: behind "}", ",", before "{" and a quote. LENGTH: nowhere. */
size_t gsim_mend_next(const char *text, size_t length);
