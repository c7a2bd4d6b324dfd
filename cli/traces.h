/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (program). Profilers' traces for "gpusim validate": read by traces/import/kineto.c, replayed and compared by
 * trust/validate/traces.c.
 */
#ifndef GSIM_CLI_TRACES_H
#define GSIM_CLI_TRACES_H

#include "traces/import/import.h"
#include "trust/validate/alone.h"
#include "trust/validate/traces.h"

/* The value of --alone, NULL for none. */
enum gsim_status gsim_cli_alone(const char *value, bool *infers, struct gsim_error *error) GSIM_NODISCARD;

/* The words that say how a trace is read (--gaps, --depends, --execution-trace, --copies, --unexplained and its part); texts are the
 * arguments'. cli/import.c */
struct gsim_cli_arguments;
struct gsim_importer;
enum gsim_status gsim_cli_import_options(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                                         struct gsim_error *error) GSIM_NODISCARD;
/* Reads the trace once more and lowers the times of kernels that ran beside others to what they take alone. cli/import.c */
enum gsim_status gsim_cli_import_alone(const struct gsim_importer *importer, const char *path, struct gsim_import_options *options,
                                       const struct gsim_device_spec *device, struct gsim_program *program, struct gsim_import_notes *notes,
                                       struct gsim_alone *alone, struct gsim_error *error) GSIM_NODISCARD;

/* The options that choose a part of a trace; its texts are the arguments'. */
enum gsim_status gsim_cli_part(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                               struct gsim_error *error) GSIM_NODISCARD;

/* Imports PART (NULL: all) of the trace at PATH for V's device and adds a sample; INFERS: with the times alone of kernels that ran beside others inferred
 * (trust/validate/alone.h). Says on stderr where it was recorded on another GPU. */
enum gsim_status gsim_cli_trace_add(struct gsim_trace_validation *validation, const char *path, const struct gsim_import_options *part, bool infers,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* The device file for the GPU that a trace names, by the most of its words; NULL for none. ROOM holds the name. */
const char *gsim_cli_device_of(const char *gpu, char room[64]);

#endif
