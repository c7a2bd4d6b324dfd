/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/read and source/write). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a character of the expanded text comes from: itself, or the call of the macro whose body has it. */
struct gsim_cu_span {
    uint32_t begin, end;
};

/* SOURCE with its own function-like macros expanded; it and SPANS, one a character, for gsim_free(). NULL: it is empty,
 * or memory is out. */
char *gsim_cu_expand(const char *source, size_t length, size_t *expanded_length, struct gsim_cu_span **spans);
/* The length of what stands at AT and is one thing: a comment, a text, a word, a number, a character. */
size_t gsim_cu_token(const char *at, size_t left);
