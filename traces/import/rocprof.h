/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Reads the JSON traces of AMD's rocprofv3 (rocprofiler-sdk; --output-format json).
 */
#ifndef GSIM_TRACES_IMPORT_ROCPROF_H
#define GSIM_TRACES_IMPORT_ROCPROF_H

#include "traces/import/import.h"

/* As gsim_import_kineto(). The file is held in memory as a whole. Errors name the file and the record. */
enum gsim_status gsim_import_rocprof(const char *path, const struct gsim_import_options *options,
                                     struct gsim_program *program, struct gsim_import_notes *notes,
                                     struct gsim_error *error) GSIM_NODISCARD;

#endif
