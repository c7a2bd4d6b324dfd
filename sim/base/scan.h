/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Reads JSON text of any size in place: the text is checked once, then walked by pointers into it. It
 * is never written to; strings are decoded into memory of the caller. No tree is built: cJSON needs 1.7 GB and 6 s for
 * a program of 132 MB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

#define GSIM_SCAN_DEPTH 64  /* nested lists and objects */
#define GSIM_SCAN_KEY   256 /* bytes of the longest name that is compared */

/* Checks that TEXT (LENGTH bytes and a NUL) is one JSON value (RFC 8259, UTF-8). The message names line, column (in
 * bytes), what was found and what was expected. */
enum gsim_status gsim_scan_check(const char *text, size_t length, struct gsim_error *error) GSIM_NODISCARD;

/* The same; finds the begin and end of the longest list or object in the outermost one. */
struct gsim_scan_jump {
    const char *from, *to;
};
enum gsim_status gsim_scan_check_jump(const char *text, size_t length, struct gsim_scan_jump *jump,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* The functions below take pointers into checked text. A pointer to a value is at its first character. */

/* Returns the first value from AT on, behind white space. */
const char *gsim_scan_start(const char *at);
/* Returns the text behind VALUE. */
const char *gsim_scan_skip(const char *value);

/* A string between its quotes, not decoded. */
struct gsim_scan_text {
    const char *text;
    size_t length;
    bool has_escapes;
};

/* Walks an object or a list. AT: its '{' or '[' at first, then the text behind the previous value. Returns the next
 * value and sets KEY (NULL for lists) to its name. NULL: the end; *REST is the text behind the object or list. */
const char *gsim_scan_next(const char *at, struct gsim_scan_text *key, const char **rest);
/* For each VALUE of LIST; KEY as above. The second ends early when CONDITION is false. */
#define GSIM_SCAN_EACH(value, list, key) GSIM_SCAN_WHILE(value, list, key, true)
#define GSIM_SCAN_WHILE(value, list, key, condition)                                                                   \
    for (const char *value##_rest, *value = gsim_scan_next((list), (key), &value##_rest); value && (condition);        \
         value = gsim_scan_next(gsim_scan_skip(value), (key), &value##_rest))
/* Returns the value of the next member if its name is NAME, without escapes; else NULL. */
const char *gsim_scan_next_named(const char *at, const char *name);
/* Whether KEY is NAME, of 1 to GSIM_SCAN_KEY bytes. gsim_scan_is() compares the first byte first, for speed. */
bool gsim_scan_matches(const struct gsim_scan_text *key, const char *name);
static inline bool gsim_scan_is(const struct gsim_scan_text *key, const char *name)
{
    return (key->has_escapes || (key->length && *key->text == *name)) && gsim_scan_matches(key, name);
}
/* Decodes KEY into ROOM, cut to SIZE, without control characters, for messages and columns. */
const char *gsim_scan_key(const struct gsim_scan_text *key, char *room, size_t size);

/* Returns the number at VALUE. */
double gsim_scan_number(const char *value);

/* Decodes the string at VALUE into ROOM. NULL: empty, too long, or with control characters (sim/base/text.h). */
const char *gsim_scan_string(const char *value, char *room, size_t size);
/* The same for any length, into ARENA. NULL: also out of memory. */
const char *gsim_scan_copy(const char *value, struct gsim_arena *arena);

/* Writes what VALUE is to TEXT and returns it, for messages: "8" (with quotes), 3.5, true, a list, an object. Without
 * control characters. */
const char *gsim_scan_found(const char *value, char *text, size_t size);
