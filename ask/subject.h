/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. What a file describes: a program, a profiler's trace, a CUDA source, or a server and the programs of its
 * steps. */
#pragma once

#include "serving/library.h"
#include "traces/import/import.h"

struct gsim_subject {
    struct gsim_program program;
    bool has_data; /* it says what kernels read and write, or what follows what */
    bool is_trace, is_server;
    struct gsim_import_notes notes; /* of a trace */
    struct gsim_serving_spec spec; /* of a server */
    struct gsim_library library;
    struct gsim_server server;
};

bool gsim_program_has_data(const struct gsim_program *program);
/* Reads PATH. Traces are imported as gpusim import does without options; of another GPU than DEVICE, or with kernels
 * whose times alone would have to be inferred, they are refused, and all without DEVICE. REPLAYS: graphs as graphs.
 * Released by the caller, also on failure. */
enum gsim_status gsim_subject_read(struct gsim_subject *subject, const char *path,
                                   const struct gsim_device_spec *device, bool replays,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Makes a server's library under SIMULATION, whose device must outlive it. */
enum gsim_status gsim_subject_serve(struct gsim_subject *subject, const struct gsim_simulation *simulation,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_subject_release(struct gsim_subject *subject); /* accepts zeroed */
