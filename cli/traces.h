/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Profilers' traces for "gpusim validate": read by traces/import/, replayed and compared by
 * trust/validate/traces.c.
 */
#pragma once

#include "traces/import/importers.h"
#include "traces/import/import.h"
#include "trust/validate/traces.h"

struct gsim_cli_arguments;
/* The options that choose a part of a trace; its texts are the arguments'. */
enum gsim_status gsim_cli_part(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                               struct gsim_error *error) GSIM_NODISCARD;

/* Imports the trace at PATH in memory as "gpusim import" does, for the device that --device names or the trace: DEVICE,
 * with what the trace says of it, and what is assumed of it in GPU_NOTE ("": nothing). What a person should know goes
 * to stderr, unless GPU_NOTE is NULL. PROGRAM, STEPS (zeroed before), ORIGIN (likewise; NULL: not wanted) and DEVICE
 * are the caller's to release in any case. cli/import.c */
#define GSIM_CLI_DEVICE_NAME 64
#define GSIM_CLI_GPU_NOTE    480
enum gsim_status gsim_cli_import_trace(const struct gsim_cli_arguments *arguments, const char *path,
                                       struct gsim_program *program, struct gsim_import_notes *notes,
                                       struct gsim_trace_steps *steps, struct gsim_import_origin *origin,
                                       struct gsim_device_spec *device, char gpu_note[GSIM_CLI_GPU_NOTE],
                                       struct gsim_error *error) GSIM_NODISCARD;

/* Imports PART (NULL: all) of the trace at PATH for V's device and adds a sample; INFERS: with the times alone of
 * kernels that ran beside others inferred (trust/validate/alone.h). Says on stderr where it was recorded on another
 * GPU; GUESSES_GPU: and in the sample's notes where it names none. */
enum gsim_status gsim_cli_trace_add(struct gsim_trace_validation *validation, const char *path,
                                    const struct gsim_import_options *part, bool infers, bool guesses_gpu,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* Adds that to TEXT of SIZE bytes. */
void gsim_cli_note_guess(const char *device, char *text, size_t size);

/* The device of the GPU that a trace names: by its name, else the nearest by architecture, which stderr is told once.
 * "": none. */
enum gsim_status gsim_cli_trace_device(const struct gsim_trace_origin *origin, char device[GSIM_CLI_DEVICE_NAME],
                                       struct gsim_error *error) GSIM_NODISCARD;
/* Gives SPEC, which that named, what the trace says of its GPU; NOTE: what is assumed. False: nothing was changed. */
bool gsim_cli_trace_take(struct gsim_device_spec *spec, const struct gsim_trace_origin *origin,
                         char note[GSIM_CLI_GPU_NOTE]);
