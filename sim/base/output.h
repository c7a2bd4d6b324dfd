/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. A result file while it is written: buffered, to a temporary neighbour that takes the final
 * name only on commit, gzipped when the name ends in ".gz", or to standard output when it is "-". Writing
 * never fails loudly; commit tells. Numbers are formatted so that equal runs give equal bytes.
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
    FILE *file; /* stdout, or the part's, or NULL */
    void *gz;   /* gzFile where compressed */
    char *path; /* as messages name it */
    struct gsim_part part;
    size_t used;
    bool failed, is_stdout, is_memory;
    int reason; /* errno of the first failure, 0 where there is none */
    char *buffer;
};

/* Fails with GSIM_IO naming the path. */
enum gsim_status gsim_output_open(struct gsim_output *output, const char *path,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* What is written becomes *TEXT, LENGTH bytes and a NUL, on commit; free() gives it back. */
enum gsim_status gsim_output_open_memory(struct gsim_output *output, char **text, size_t *length,
                                         struct gsim_error *error) GSIM_NODISCARD;
/* Whether PATH could be opened, without touching it: tells of a missing folder before a long run. */
enum gsim_status gsim_output_check(const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Whether both paths name one file, whether it is there yet or not. Only what a file can hold is shared: never devices.
 */
bool gsim_output_is_same(const char *path, const char *other);
/* Flushes, closes and gives the file its name. */
enum gsim_status gsim_output_commit(struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;
/* Drops what was written, unless committed before; accepts a zeroed output. */
void gsim_output_release(struct gsim_output *output);

/* Writes WHAT to the file, whole or not at all. */
typedef void gsim_output_form(const void *what, struct gsim_output *output);
enum gsim_status gsim_output_write(const char *path, gsim_output_form *form, const void *what,
                                   struct gsim_error *error) GSIM_NODISCARD;

void gsim_output_bytes(struct gsim_output *output, const char *text, size_t length);
/* Of a literal the length is known to the compiler, which copies it in place. */
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
/* For JSON and CSV: ' is a double quote, %% is %, %s text as it is, %q a JSON string, %c a CSV field, %u unsigned, %d
 * int, %z uint64_t or size_t, %b true or false, %t gsim_time in us, %r a double as gsim_output_real() has it, %e a
 * double in digits that read back exactly, %f and %.9g a double as printf() has it. */
void gsim_output_put(struct gsim_output *output, const char *format, ...);
/* COUNT times TEXT. */
void gsim_output_repeat(struct gsim_output *output, const char *text, unsigned count);
void gsim_output_unsigned(struct gsim_output *output, uint64_t value);
/* Microseconds with six decimals: exact to the picosecond. */
void gsim_output_time_us(struct gsim_output *output, gsim_time time);
/* "%.6f"; null for what is not finite. */
void gsim_output_real(struct gsim_output *output, double value);
/* The same as a member behind another: ", "NAME": VALUE". */
void gsim_output_json_real(struct gsim_output *output, const char *name, double value);
/* A ratio in percent with two decimals in WIDTH columns, with its sign where asked; "-" for NAN, never "-0.00". */
void gsim_output_percent(struct gsim_output *output, int width, double ratio, bool is_signed);
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, control characters (sim/base/text.h) escapes.
 */
void gsim_output_json_string(struct gsim_output *output, const char *text);
/* A CSV field, quoted where RFC 4180 asks for it; control characters other than tabs and ends of lines become '?'. An
 * apostrophe stands before what a spreadsheet would compute: text that begins with = + - or @ and is no number. */
void gsim_output_csv_string(struct gsim_output *output, const char *text);
