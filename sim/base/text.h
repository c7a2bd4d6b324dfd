/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Text for people: times, bytes and counts with a fitting unit, suggestions for mistyped names, and
 * what the terminal can show. Machine-readable output: sim/base/output.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/units.h"

#define GSIM_TEXT_SIZE 24

/* Writes a time with four significant digits to TEXT and returns it: "812 ns", "12.34 us", "1.234 ms", "56.78 s". */
const char *gsim_text_time(char text[GSIM_TEXT_SIZE], gsim_time time);
const char *gsim_text_us(char text[GSIM_TEXT_SIZE], double us); /* of any length */
/* "512 B", "92.16 MB" (decimal units, as bandwidths are). */
const char *gsim_text_bytes(char text[GSIM_TEXT_SIZE], double bytes);
/* "1,234,567". */
const char *gsim_text_count(char text[GSIM_TEXT_SIZE], uint64_t count);
/* "33.7 %"; "-" for NaN. */
const char *gsim_text_percent(char text[GSIM_TEXT_SIZE], double ratio);

/* What of PATH stands behind the last slash. */
const char *gsim_text_file(const char *path);
bool gsim_text_ends_with(const char *text, const char *end);

/* Reads "1e6", "4k", "4M", "64Ki". False: no such number, or below 0. */
bool gsim_text_quantity(const char *text, double *value);

/* Reads "from:to", times as "12.5" (microseconds), "250us", "1.5ms", "2s" or "800ns"; left out: 0 and INFINITY. False:
 * no such text, or not from < to. */
bool gsim_text_window(const char *text, double *from_us, double *to_us);

/* Steps *LIST over its next item, up to a comma, and copies that to ITEM, cut to SIZE. False at the end, where *LIST is
 * NULL. */
bool gsim_text_item(const char **list, char *item, size_t size);
/* The same of a text that may be written to: the item itself, or NULL. */
char *gsim_text_cut(char **list);
/* How many items it has. */
size_t gsim_text_items(const char *list);

/* Returns the edit distance (insert, delete, replace, swap neighbours) of two names; case is ignored, '_' equals
 * '-'. */
unsigned gsim_text_distance(const char *a, const char *b);

/* Finds the nearest of several names to WANTED. */
struct gsim_nearest {
    const char *wanted, *best;
    unsigned distance;
    char text[96];
};
void gsim_nearest_init(struct gsim_nearest *nearest, const char *wanted);
void gsim_nearest_offer(struct gsim_nearest *nearest, const char *name);
/* ", did you mean 'kesco'?" or, if none is near, "". */
const char *gsim_nearest_text(struct gsim_nearest *nearest);

/* Whether DEVICE, a file's name, may be GPU, a driver's name: "NVIDIA A100-SXM4-40GB" may be a100-pcie-40gb or
 * a100-sxm4-40gb, but not h200. */
bool gsim_text_is_gpu(const char *gpu, const char *device);

/* Returns the length of the UTF-8 sequence at TEXT, which has LEFT bytes; 0: invalid. */
size_t gsim_text_utf8(const char *text, size_t left);
/* Whether TEXT has characters that control a terminal or the direction of text: U+0000 to U+001F, U+007F to U+009F,
 * U+2028 to U+202E, U+2066 to U+2069, and invalid UTF-8 bytes 0x80 to 0x9F. */
bool gsim_text_has_control(const char *text, size_t length);
/* Whether such a character is at TEXT, which has LEFT bytes. *LENGTH: bytes of the character. */
bool gsim_text_is_control(const char *text, size_t left, size_t *length);
/* Replaces each of them by '?'. Returns TEXT. */
char *gsim_text_clean(char *text);

/* Copies NAME to TEXT in at most WIDTH columns, with ".." for a cut middle and without control characters. WIDTH <
 * SIZE. */
const char *gsim_text_fit(char *text, size_t size, const char *name, size_t width);

/* Whether the first set one of LC_ALL, LC_CTYPE, LANG asks for UTF-8. */
bool gsim_text_is_utf8(void);
/* Returns the columns of the terminal on stdout (or $COLUMNS), at least 40; FALLBACK: no terminal. */
unsigned gsim_text_columns(unsigned fallback);
