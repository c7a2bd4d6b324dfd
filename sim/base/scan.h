/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. JSON text of any size read where it stands: first the whole text is checked, once, then
 * values are walked through by pointers into it. The text is never written to, so that it can be walked as often as
 * one likes; strings are decoded into memory of the caller. No tree is built: 132 MB of program take cJSON 1.7 GB
 * and 6 s as one tree. What the values mean is the caller's business.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

#define GSIM_SCAN_DEPTH 64  /* lists and objects inside each other */
#define GSIM_SCAN_KEY   256 /* bytes of the longest name that is looked for */

/* Whether TEXT (LENGTH bytes and a NUL after them) is one JSON value (RFC 8259, UTF-8). The message says
 * line, column (in bytes), what was found and what was expected. */
enum gsim_status gsim_scan_check(const char *text, size_t length, struct gsim_error *error) GSIM_NODISCARD;

/* The same, and where the longest list or object in the outermost one begins, and what lies behind it. */
struct gsim_scan_jump {
    const char *from, *to;
};
enum gsim_status gsim_scan_check_jump(const char *text, size_t length, struct gsim_scan_jump *jump,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* All below take pointers into text that passed the check; a value's pointer is at its first character. */

/* The first value at or after AT (past white space). */
const char *gsim_scan_start(const char *at);
/* Behind the value. */
const char *gsim_scan_skip(const char *value);

/* A string as it stands between its quotes, escapes and all. */
struct gsim_scan_text {
    const char *text;
    size_t length;
    bool has_escapes;
};

/* Walks the members of an object or the elements of a list: the first call takes the '{' or '[', later calls
 * what lies behind the previous value. Returns the next value, or NULL at the end, where *REST is what lies
 * behind the object or list. KEY (objects only; NULL for lists) is the name. */
const char *gsim_scan_next(const char *at, struct gsim_scan_text *key, const char **rest);
/* For each VALUE in the list or object at LIST; KEY as above. The second ends early where CONDITION no longer holds. */
#define GSIM_SCAN_EACH(value, list, key) GSIM_SCAN_WHILE(value, list, key, true)
#define GSIM_SCAN_WHILE(value, list, key, condition)                                                                   \
    for (const char *value##_rest, *value = gsim_scan_next((list), (key), &value##_rest); value && (condition);        \
         value = gsim_scan_next(gsim_scan_skip(value), (key), &value##_rest))
/* The same of an object, where NAME is what comes next, written without escapes: its value; NULL: it is not. */
const char *gsim_scan_next_named(const char *at, const char *name);
/* Whether KEY means NAME, which has 1 to GSIM_SCAN_KEY bytes. The first is by the first byte first: a program's reader
 * asks it of every field with every name. */
bool gsim_scan_matches(const struct gsim_scan_text *key, const char *name);
static inline bool gsim_scan_is(const struct gsim_scan_text *key, const char *name)
{
    return (key->has_escapes || (key->length && *key->text == *name)) && gsim_scan_matches(key, name);
}
/* KEY decoded, cut to fit into ROOM, without control characters: for messages and columns. */
const char *gsim_scan_key(const struct gsim_scan_text *key, char *room, size_t size);

/* The value of a number. */
double gsim_scan_number(const char *value);

/* The string at VALUE, decoded into ROOM. NULL for text that is empty, holds control characters (sim/base/text.h)
 * or does not fit. */
const char *gsim_scan_string(const char *value, char *room, size_t size);
/* The same, of any length, from ARENA. NULL when memory is out, too. */
const char *gsim_scan_copy(const char *value, struct gsim_arena *arena);

/* What stands at VALUE, for messages: "8" (with quotes), 3.5, true, a list, an object. Without control
 * characters. */
const char *gsim_scan_found(const char *value, char *text, size_t size);
