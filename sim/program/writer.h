/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads. Writes a program as a file that sim/program/reader.h reads back to an equal one.
 */
#ifndef GSIM_WORKLOADS_WRITER_H
#define GSIM_WORKLOADS_WRITER_H

#include "gpusim/program.h"

/* PATH "-" is the standard output; a name that ends in ".gz" gives a gzip file. */
enum gsim_status gsim_program_write(const struct gsim_program *program, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;

#endif
