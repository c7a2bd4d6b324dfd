/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A coroutine: a function on a stack of its own that callers enter and that it leaves, in turns. The engine
 * runs the first host thread as one, so that SimGrid's loop can start later on the caller's stack.
 */
#pragma once

#include <stdbool.h>

struct gsim_coroutine;

/* Makes a coroutine that has not begun. NULL: out of memory. */
struct gsim_coroutine *gsim_coroutine_create(void (*body)(void *argument), void *argument);
/* Runs the body until it leaves or ends. Any caller may enter. False: it has ended. */
bool gsim_coroutine_enter(struct gsim_coroutine *coroutine);
/* Called by the body: returns control to who entered. Returns when it is entered again. */
void gsim_coroutine_leave(struct gsim_coroutine *coroutine);
/* Frees the coroutine, ended or not, with its stack; accepts NULL. */
void gsim_coroutine_release(struct gsim_coroutine *coroutine);
