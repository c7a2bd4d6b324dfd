/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device (helper). Where model files are looked for: $GPUSIM_DATA/models, then
 * <folder of the executable>/../share/gpusim/models, the same beside the shared library, then the source tree that was
 * built; where there is none of these, the folder that an installation has by default.
 */
#pragma once

#include "gpusim/memory.h"

/* A file of the search path; where folders hold the same name, the first one counts. */
struct gsim_model_file {
    const char *name; /* without ".json" */
    const char *path;
};

/* All model files, sorted by name, in memory of ARENA. Folders that do not exist are passed over; one that
 * cannot be read is an error. */
enum gsim_status gsim_model_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* The same of the folders arch/ below them: what architectures have in common. */
enum gsim_status gsim_arch_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same of the folders nodes/: hosts, devices and links (gpusim/platform.h). */
enum gsim_status gsim_node_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same of the folders nccl/: what collectives take on an architecture. */
enum gsim_status gsim_nccl_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;
