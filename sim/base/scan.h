/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. JSON text of any size read in place: first the whole text is checked, once, then
 * values are walked through by pointers into it. Nothing is allocated and no tree is built: 132 MB of program
 * take cJSON 1.7 GB and 6 s as one tree. What the values mean is the caller's business.
 */
#ifndef GSIM_SCAN_H
#define GSIM_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/status.h"

#define GSIM_SCAN_DEPTH 64 /* lists and objects inside each other */

/* Whether TEXT (LENGTH bytes and a NUL after them) is one JSON value (RFC 8259, UTF-8). The message says
 * line, column (in bytes), what was found and what was expected. */
enum gsim_status gsim_scan_check(const char *text, size_t length, struct gsim_error *error) GSIM_NODISCARD;

/* All below take pointers into text that passed the check; a value's pointer is at its first character. */

/* The first value at or after AT (past white space). */
char *gsim_scan_start(char *at);
/* Behind the value. */
char *gsim_scan_skip(char *value);

/* Walks the members of an object or the elements of a list: the first call takes the '{' or '[', later calls
 * what lies behind the previous value. Returns the next value, or NULL at the end, where *REST is what lies
 * behind the object or list. KEY (objects only; NULL for lists) is the name, its escapes decoded. */
struct gsim_scan_text {
    const char *text;
    size_t length;
};
char *gsim_scan_next(char *at, struct gsim_scan_text *key, char **rest);

/* The value of a number. */
double gsim_scan_number(const char *value);

/* Length of the string at VALUE when it has neither escapes nor control characters, so that it stands there as
 * it is; 0 otherwise, and for an empty one. */
size_t gsim_scan_plain(const char *value);

/* Decodes a string in place and ends it with a NUL; afterwards it cannot be skipped or decoded again. *REST (NULL
 * allowed) is what lies behind it. Gives NULL for text that holds control characters or is empty. */
char *gsim_scan_string(char *value, char **rest);

/* What stands at VALUE, for messages: "8" (with quotes), 3.5, true, a list, an object. Not for decoded strings. */
const char *gsim_scan_found(const char *value, char *text, size_t size);

#endif
