/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Early ends: on SIGINT, SIGTERM, SIGHUP or SIGPIPE the program removes unfinished files, prints a
 * line on what is kept, and exits with 128 + the signal. What a command keeps: sim/base/jobs/run.h.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpusim/status.h"

/* Installs the handlers; for a program, once. Ignored signals stay ignored (nohup). A file above its size limit becomes
 * a write error. IS_SHORT: SIGPIPE prints no line. */
void gsim_ends_install(bool is_short);
/* Whether it was called: the process is gpusim's, not that of a program with libgpusim. */
bool gsim_ends_are_installed(void);

/* Sets SET to those of SIGINT, SIGTERM and SIGHUP that are not ignored. */
void gsim_ends_signals(sigset_t *set);
/* Blocks these signals / restores the mask OLD. */
void gsim_ends_hold(sigset_t *old);
void gsim_ends_restore(const sigset_t *old);

/* Registers PATH (copied), a file or a folder with files, to be removed at an early end. Create PATH and call this
 * between hold and restore. False: no memory or no room; PATH then stays. */
bool gsim_ends_add(const char *path);
void gsim_ends_forget(const char *path);
/* Removes a file, or a folder with the files in it, and nothing else. */
void gsim_ends_remove(const char *path);
/* Counts PATH as complete for the line on what is kept, unless it is removed later. */
void gsim_ends_keep(const char *path);
/* Registers CHILD to be killed at an early end; 0: none. */
void gsim_ends_set_child(pid_t child);

/* Ends the process early with "out of memory", for callers that cannot return. */
void gsim_ends_out_of_memory(void) __attribute__((noreturn));
/* Ends the process early with LINE and the exit status STATUS. Safe in a signal's handler. */
void gsim_ends_with(const char *line, int status) __attribute__((noreturn));
/* Makes gsim_alloc() and gsim_realloc() call END when memory is out, instead of returning NULL. */
void gsim_alloc_when_out(void (*end)(void));
void *gsim_or_end(void *memory); /* calls that END when MEMORY, another library's, is NULL */
/* Makes failed allocations of C++ end the process early, if gsim_ends_install() was called. Call it before a C++
 * library is loaded. */
void gsim_ends_guard_cpp(void);
/* A gsl_error_handler_t: out of memory ends the process early. Callers check other codes. */
void gsim_ends_take_gsl(const char *reason, const char *file, int line, int code);
/* Whether an allocation of SIZE bytes works now. */
bool gsim_ends_has_memory(size_t size);
