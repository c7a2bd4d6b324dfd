/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask (internal to ask/whatif and cli/whatif). Kernels by the names of their functions, without types of
 * arguments. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where the list of argument types of a demangled NAME begins, or where it ends. */
size_t gsim_name_length(const char *name);

/* Whether NAME without its arguments holds WORD; WHOLE: with neither letter, digit nor underscore beside it. */
bool gsim_name_holds(const char *name, const char *word, bool whole);

/* The function's own name, "add" of "void ns::add<float>(int, float *)", and then the words of its template arguments
 * that are no types of the language, the longest first: the INDEXth. False: there is none. */
bool gsim_name_word(const char *name, unsigned index, char *word, size_t size);
