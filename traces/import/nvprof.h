/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Reads the SQLite databases that nvprof writes (nvprof -o FILE, the Visual Profiler's .nvvp).
 */
#ifndef GSIM_TRACES_IMPORT_NVPROF_H
#define GSIM_TRACES_IMPORT_NVPROF_H

#include "traces/import/import.h"

/* As gsim_import_nsys(). */
enum gsim_status gsim_import_nvprof(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error) GSIM_NODISCARD;

#endif
