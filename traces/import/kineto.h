/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Reads the Chrome traces that PyTorch's profiler (Kineto) writes, and gpusim's own.
 */
#ifndef GSIM_TRACES_IMPORT_KINETO_H
#define GSIM_TRACES_IMPORT_KINETO_H

#include "traces/import/import.h"

/* PATH: .json, plain or gzip; "-" is standard input. PROGRAM is written on success only; NOTES also tell what was
 * seen until a failure. Errors name the file and the place (traceEvents[3].args.grid). */
enum gsim_status gsim_import_kineto(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* Whether the file is a Chrome trace, by its beginning; false also where it cannot be read. DEVICE (NULL allowed) gets the
 * device that a trace of gpusim's own names, "" otherwise. */
#define GSIM_KINETO_DEVICE 64
bool gsim_kineto_is(const char *path, char device[GSIM_KINETO_DEVICE]);

#endif
