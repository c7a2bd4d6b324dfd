/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/position.h. */
#include "traces/position.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gsim_position_fail(struct gsim_position *p, const char *field, const char *expected, const char *found)
{
    if (p->failed) return;
    p->failed = true;
    gsim_error_set(p->error, GSIM_INPUT, "%s%s%s%sexpected %s, found %s", p->text, field[0] && p->text[0] ? "." : "",
                   field, field[0] || p->text[0] ? ": " : "", expected, found);
}

void gsim_position_no_memory(struct gsim_position *p)
{
    if (!p->failed) gsim_error_set(p->error, GSIM_NOMEM, "out of memory");
    p->failed = true;
}

size_t gsim_position_enter(struct gsim_position *p, const char *format, ...)
{
    size_t length = strlen(p->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->text + length, sizeof p->text - length, format, arguments);
    va_end(arguments);
    return length;
}

void gsim_position_leave(struct gsim_position *p, size_t length)
{
    if (!p->failed) p->text[length] = '\0';
}
