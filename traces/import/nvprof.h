/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces. The databases that nvprof -o writes, into a program. */
#ifndef GSIM_TRACES_NVPROF_H
#define GSIM_TRACES_NVPROF_H

#include "traces/import/import.h"

/* GSIM_INPUT: the message names the file, the table, its row and column, and what was expected there. */
enum gsim_status gsim_import_nvprof(const char *path, const struct gsim_import_options *options, struct gsim_program *program,
                                    struct gsim_import_notes *notes, struct gsim_error *error) GSIM_NODISCARD;

#endif
