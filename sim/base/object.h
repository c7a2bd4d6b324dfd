/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: base. Shared objects of users: schedulers, ways of sharing, sources and such. */
#ifndef GSIM_BASE_OBJECT_H
#define GSIM_BASE_OBJECT_H

#include "gpusim/status.h"

/* Loads PATH as dlopen() does. A file that is cut short is refused, which dlopen() maps and then dies of, and so is a pipe, for which it
 * waits. GSIM_INPUT with the reason alone. */
enum gsim_status gsim_object_open(const char *path, void **object, struct gsim_error *error) GSIM_NODISCARD;

#endif
