/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Fills, prefixes and translates errors; ends the process on a bug of gpusim. cli/main.c prints errors
 * and exits.
 */
#include "gpusim/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

/* A message that does not fit ends in "...", so that nobody takes the cut for the end. */
static void mark_cut(char *message, size_t size, size_t wanted)
{
    if (wanted >= size) memcpy(message + size - 4, "...", 4);
}

enum gsim_status gsim_error_set(struct gsim_error *error, enum gsim_status status, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    if (length < 0) length = snprintf(error->message, sizeof(error->message), "%s", gsim_status_text(status));
    mark_cut(error->message, sizeof(error->message), (size_t)length);
    gsim_text_clean(error->message); /* it may quote what a file says */
    return status;
}

enum gsim_status gsim_error_prefix(struct gsim_error *error, const char *format, ...)
{
    if (!error) return GSIM_OK;
    char whole[sizeof(error->message)];
    va_list arguments;
    va_start(arguments, format);
    int context = vsnprintf(whole, sizeof(whole), format, arguments);
    va_end(arguments);
    if (context < 0) return error->status;
    size_t length = (size_t)context, rest = 0;
    if (length < sizeof(whole)) {
        int written = snprintf(whole + length, sizeof(whole) - length, ": %s", error->message);
        rest = written > 0 ? (size_t)written : 0;
    }
    mark_cut(whole, sizeof(whole), length + rest);
    memcpy(error->message, gsim_text_clean(whole), sizeof(whole));
    return error->status;
}

int gsim_status_exit(enum gsim_status status)
{
    switch (status) {
#define EXIT_CASE(code, exit_status, text)                                                                             \
    case GSIM_##code:                                                                                                  \
        return exit_status;
        GSIM_STATUS_MAP(EXIT_CASE)
#undef EXIT_CASE
    }
    GSIM_BUG("status %d is not in the list", (int)status);
}

const char *gsim_status_text(enum gsim_status status)
{
    switch (status) {
#define TEXT_CASE(code, exit_status, text)                                                                             \
    case GSIM_##code:                                                                                                  \
        return text;
        GSIM_STATUS_MAP(TEXT_CASE)
#undef TEXT_CASE
    }
    GSIM_BUG("status %d is not in the list", (int)status);
}

void gsim_bug(const char *file, int line, const char *format, ...)
{
    fflush(stdout);
    fprintf(stderr, "gpusim: bug at %s:%d: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("; please report it with the command line\n", stderr);
    abort();
}
