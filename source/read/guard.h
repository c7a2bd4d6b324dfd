/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/read). Bounds of a source's reading: files, stack, memory and time. libclang's
 * parser and our own recursion share one thread with a large stack; what is beyond ends the program with a message. In
 * a process that is not gpusim's a child reads first, and its end is an error.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/status.h"

/* Makes libclang parse in the thread that calls it. Before it is loaded. */
void gsim_cu_guard_init(void);
/* Calls TASK(CONTEXT) in a thread of its own and waits for it. A stack that is full, a failure of libclang, memory or
 * time that are spent: one line with PATH, and the program ends with exit status 2; elsewhere an error. */
enum gsim_status gsim_cu_guard(void (*task)(void *context), void *context, const char *path,
                               struct gsim_error *error) GSIM_NODISCARD;
/* It is there, and no regular file: a pipe would be waited for. */
bool gsim_cu_is_other(const char *path);
/* Checks that the files that TEXT of PATH includes by their names, from its folder or an absolute path, are regular. */
enum gsim_status gsim_cu_check_includes(const char *path, const char *text, struct gsim_error *error) GSIM_NODISCARD;
