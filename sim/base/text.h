/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Quantities and names as people read them: times, bytes and counts with a fitting unit, near
 * misses of a mistyped name, and what the terminal can show. Machine-readable output: sim/base/output.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/units.h"

#define GSIM_TEXT_SIZE 24

/* "812 ns", "12.34 us", "1.234 ms", "56.78 s": four significant digits. Returns TEXT. */
const char *gsim_text_time(char text[GSIM_TEXT_SIZE], gsim_time time);
/* "512 B", "92.16 MB" (decimal units, as bandwidths are). */
const char *gsim_text_bytes(char text[GSIM_TEXT_SIZE], double bytes);
/* "1,234,567". */
const char *gsim_text_count(char text[GSIM_TEXT_SIZE], uint64_t count);
/* "33.7 %"; "-" for NaN. */
const char *gsim_text_percent(char text[GSIM_TEXT_SIZE], double ratio);

bool gsim_text_ends_with(const char *text, const char *end);

/* Reads "1e6", "4k", "4M", "64Ki": false when TEXT is not such a number, and for anything below 0. */
bool gsim_text_quantity(const char *text, double *value);

/* Reads "from:to", times as "12.5", "250us", "1.5ms", "2s" or "800ns", microseconds without a unit; 0 and INFINITY
 * where one is left out. False where it is none, and unless from < to. */
bool gsim_text_window(const char *text, double *from_us, double *to_us);

/* Edits (insert, delete, replace, swap neighbours) between two names; case is ignored, '_' equals '-'. */
unsigned gsim_text_distance(const char *a, const char *b);

/* Collects the nearest of several names to one that was not found. */
struct gsim_nearest {
    const char *wanted, *best;
    unsigned distance;
};
void gsim_nearest_init(struct gsim_nearest *nearest, const char *wanted);
void gsim_nearest_offer(struct gsim_nearest *nearest, const char *name);
/* ", did you mean 'kesco'?" or "" when nothing is near. */
const char *gsim_nearest_text(const struct gsim_nearest *nearest, char *text, size_t size);

/* Whether a device of that name may be the GPU that a driver calls GPU: "NVIDIA A100-SXM4-40GB" is an a100-pcie-40gb or
 * an a100-sxm4-40gb, but no h200. */
bool gsim_text_is_gpu(const char *gpu, const char *device);

/* Length of the well-formed UTF-8 sequence at TEXT, of which LEFT bytes are there; 0 when it is none. */
size_t gsim_text_utf8(const char *text, size_t left);
/* Whether TEXT holds what steers a terminal or turns the order of what is read around: U+0000 to U+001F, U+007F to
 * U+009F, U+2028 to U+202E, U+2066 to U+2069, and bytes that are no UTF-8 and stand for U+0080 to U+009F elsewhere. */
bool gsim_text_has_control(const char *text, size_t length);
/* Whether such a one stands at TEXT, of which LEFT bytes are there; *LENGTH is that of what stands there. */
bool gsim_text_is_control(const char *text, size_t left, size_t *length);
/* Makes a '?' of each of those. Returns TEXT. */
char *gsim_text_clean(char *text);

/* Copies NAME so that it takes at most WIDTH columns, cutting the middle by "..", without control characters.
 * WIDTH < SIZE. */
const char *gsim_text_fit(char *text, size_t size, const char *name, size_t width);

/* Whether LC_ALL, LC_CTYPE or LANG (the first that is set) asks for UTF-8. */
bool gsim_text_is_utf8(void);
/* Columns of the terminal on stdout (or $COLUMNS), at least 40; FALLBACK when it is not a terminal. */
unsigned gsim_text_columns(unsigned fallback);
