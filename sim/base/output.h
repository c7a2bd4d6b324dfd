/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Writes a result file: buffered, to a temporary file beside it that commit renames; gzip if the name
 * ends in ".gz"; to standard output if it is "-". Errors of writing are reported by commit. Numbers have one format, so
 * equal runs give equal bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/status.h"
#include "gpusim/units.h"
#include "sim/base/part.h"

#define GSIM_OUTPUT_BUFFER 65536

struct gsim_output {
    FILE *file; /* stdout, the part's file, or NULL */
    void *gz;   /* gzFile if compressed */
    char *path; /* for messages */
    struct gsim_part part;
    size_t used;
    bool failed, is_stdout, is_memory;
    int reason; /* errno of the first failure; 0: none */
    char *buffer;
};

/* Opens PATH. GSIM_IO: the message names it. */
enum gsim_status gsim_output_open(struct gsim_output *output, const char *path,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* Writes to memory: commit sets *TEXT, *LENGTH bytes and a NUL. The caller frees it by free(). */
enum gsim_status gsim_output_open_memory(struct gsim_output *output, char **text, size_t *length,
                                         struct gsim_error *error) GSIM_NODISCARD;
/* Checks that PATH can be opened, without a change: reports a missing folder before a long run. */
enum gsim_status gsim_output_check(const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Whether both paths name one regular file, which need not exist yet. */
bool gsim_output_is_same(const char *path, const char *other);
/* Flushes, closes and gives the file its name. */
enum gsim_status gsim_output_commit(struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;
/* Drops the file unless it was committed; accepts zeroed. */
void gsim_output_release(struct gsim_output *output);

/* gsim_output_write() opens PATH, calls FORM with WHAT and commits: the whole file or none. */
typedef void gsim_output_form(const void *what, struct gsim_output *output);
enum gsim_status gsim_output_write(const char *path, gsim_output_form *form, const void *what,
                                   struct gsim_error *error) GSIM_NODISCARD;

void gsim_output_bytes(struct gsim_output *output, const char *text, size_t length);
/* Writes TEXT. Short literals are copied inline. */
static inline void gsim_output_text(struct gsim_output *output, const char *text)
{
    size_t length = strlen(text);
    if (!__builtin_constant_p(length) || length >= GSIM_OUTPUT_BUFFER - output->used) {
        gsim_output_bytes(output, text, length);
        return;
    }
    memcpy(output->buffer + output->used, text, length);
    output->used += length;
}
void gsim_output_printf(struct gsim_output *output, const char *format, ...) GSIM_PRINTF(2, 3);
/* Formats JSON and CSV: ' is a double quote, %% is %, %s plain text, %q a JSON string, %c a CSV field, %u unsigned, %d
 * int, %z uint64_t or size_t, %b true or false, %t gsim_time in us, %r a double as gsim_output_real(), %e a double that
 * reads back exactly, %f and %.9g as printf(). */
void gsim_output_put(struct gsim_output *output, const char *format, ...);
/* Writes TEXT COUNT times. */
void gsim_output_repeat(struct gsim_output *output, const char *text, unsigned count);
void gsim_output_unsigned(struct gsim_output *output, uint64_t value);
/* Writes microseconds with six decimals, exact to the picosecond. */
void gsim_output_time_us(struct gsim_output *output, gsim_time time);
/* Writes "%.6f"; null if VALUE is not finite. */
void gsim_output_real(struct gsim_output *output, double value);
/* The same as a further member: ", "NAME": VALUE". */
void gsim_output_json_real(struct gsim_output *output, const char *name, double value);
/* Writes RATIO in percent, two decimals, WIDTH columns, with + if IS_SIGNED. NAN: "-". Never "-0.00". */
void gsim_output_percent(struct gsim_output *output, int width, double ratio, bool is_signed);
/* Writes a quoted JSON string. Invalid UTF-8 becomes U+FFFD, control characters (sim/base/text.h) become escapes. */
void gsim_output_json_string(struct gsim_output *output, const char *text);
/* Writes a text of others, as a file's name, so that it ends nothing around it: a STRING with its quotes, which JSON,
 * Python and C++ read; what is left of a line, of a COMMENT of Python, shell or C; a name in a PATCH. */
enum gsim_output_place { GSIM_OUTPUT_STRING, GSIM_OUTPUT_COMMENT, GSIM_OUTPUT_PATCH };
void gsim_output_quoted(struct gsim_output *output, enum gsim_output_place place, const char *text);
/* Writes a CSV field, quoted as RFC 4180 says, and for a semicolon. Control characters but tabs and ends of lines
 * become '?'. Text that begins with = + - or @ and is no number gets an apostrophe, so that no spreadsheet computes
 * it. */
void gsim_output_csv_string(struct gsim_output *output, const char *text);
