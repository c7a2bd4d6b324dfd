/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads. Reads program files (schema gpusim-program/1; fields: workloads/README.md).
 */
#ifndef GSIM_WORKLOADS_READER_H
#define GSIM_WORKLOADS_READER_H

#include "gpusim/program.h"

/* PATH "-" is the standard input; gzip is recognised by content. PROGRAM is written on success only. Errors
 * (GSIM_INPUT) name the file, the line and column or the place (ops[3].grid[0]), what was found and expected. */
enum gsim_status gsim_program_read(const char *path, struct gsim_program *program,
                                   struct gsim_error *error) GSIM_NODISCARD;

#endif
