/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A function on a stack of its own, which its callers enter and which it leaves, in turns. The engine runs
 * the first host thread so: the caller's own stack stays free for SimGrid's loop, which begins only when it is needed.
 */
#pragma once

#include <stdbool.h>

struct gsim_coroutine;

/* BODY has not begun yet. NULL: out of memory. */
struct gsim_coroutine *gsim_coroutine_create(void (*body)(void *argument), void *argument);
/* Goes on in the body until it leaves or ends. Each time it may be somebody else who enters. False: it has ended. */
bool gsim_coroutine_enter(struct gsim_coroutine *coroutine);
/* By the body alone: who entered goes on. Returns when somebody enters again. */
void gsim_coroutine_leave(struct gsim_coroutine *coroutine);
/* Accepts NULL. A body that has not ended never goes on, and what its stack holds is lost. */
void gsim_coroutine_release(struct gsim_coroutine *coroutine);
