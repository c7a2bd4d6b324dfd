/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Reads the SQLite databases that Nsight Systems exports (nsys export --type sqlite).
 */
#ifndef GSIM_TRACES_IMPORT_NSYS_H
#define GSIM_TRACES_IMPORT_NSYS_H

#include "traces/import/import.h"

/* As gsim_import_kineto(), for the database at PATH, which is only read. Errors name the table, row and column. */
enum gsim_status gsim_import_nsys(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error) GSIM_NODISCARD;

#endif
