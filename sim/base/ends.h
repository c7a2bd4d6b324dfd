/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. How the program ends early: SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the files under way, say on
 * one line what is kept, and exit with 128 + the signal. What a command keeps by itself: sim/base/jobs/run.h.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpusim/status.h"

/* For a program, once: a library leaves signals to its program. Signals that are ignored already stay so (nohup). A
 * file that may not grow becomes an error of writing. IS_SHORT: the end of a pipe's reader ends the program without a
 * line. */
void gsim_ends_install(bool is_short);

/* Those of SIGINT, SIGTERM and SIGHUP that are not ignored; SIGPIPE comes from a write of ours alone. */
void gsim_ends_signals(sigset_t *set);
/* Holds these back; restore takes OLD. */
void gsim_ends_hold(sigset_t *old);
void gsim_ends_restore(const sigset_t *old);

/* PATH, copied, is removed at an early end: a file, or a folder with the files in it. False when memory or the list is
 * out: PATH then stays at an early end. Between hold and restore, together with the making of PATH. */
bool gsim_ends_add(const char *path);
void gsim_ends_forget(const char *path);
/* Removes a file, or a folder with the files in it, and nothing else. */
void gsim_ends_remove(const char *path);
/* PATH is complete and stays: the line says how many are. One that is removed anyway does not count. */
void gsim_ends_keep(const char *path);
/* CHILD is killed at an early end; 0: none. */
void gsim_ends_set_child(pid_t child);

/* Ends the process in the same way, with "out of memory": for places that cannot return. */
void gsim_ends_out_of_memory(void) __attribute__((noreturn));
/* Calls END where gsim_alloc() and gsim_realloc() have no memory left, in place of NULL: somebody would take that for
 * an answer. */
void gsim_alloc_when_out(void (*end)(void));
/* Before a library in C++ is loaded: where gsim_ends_install() was called, its allocations that fail end the process
 * so. */
void gsim_ends_guard_cpp(void);
/* A gsl_error_handler_t: memory that is out ends the process so, anything else is left to the caller's check of the
 * code. */
void gsim_ends_take_gsl(const char *reason, const char *file, int line, int code);
/* Whether an allocation of SIZE bytes works now. */
bool gsim_ends_has_memory(size_t size);
