/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Reads the Chrome traces that PyTorch's profiler (Kineto) writes, and gpusim's own.
 */
#ifndef GSIM_TRACES_IMPORT_KINETO_H
#define GSIM_TRACES_IMPORT_KINETO_H

#include "traces/import.h"

/* PATH: .json, plain or gzip; "-" is standard input. PROGRAM is written on success only; NOTES also tell what was
 * seen until a failure. Errors name the file and the place (traceEvents[3].args.grid). */
enum gsim_status gsim_import_kineto(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error) GSIM_NODISCARD;

#endif
