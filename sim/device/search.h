/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device (helper). The search path of model files: $GPUSIM_DATA/models, <folder of the
 * executable>/../share/gpusim/models, the same of the shared library, the source tree of the build. If none exists: the
 * default folder of an installation.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

/* A file of the search path; of equal names the first counts. */
struct gsim_model_file {
    const char *name; /* without ".json" */
    const char *path;
};

/* Lists all model files, sorted by name, in ARENA. A missing folder is skipped; one that cannot be read is an error. */
enum gsim_status gsim_model_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* The same for arch/ in these folders: architectures. */
enum gsim_status gsim_arch_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same for nodes/: hosts, devices and links (gpusim/platform.h). */
enum gsim_status gsim_node_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same for hosts/: what servers' hosts spend. */
enum gsim_status gsim_host_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same for nccl/: costs of collectives on an architecture. */
enum gsim_status gsim_nccl_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* The same for laws/: numbers of rules that are no device's. */
enum gsim_status gsim_law_files(struct gsim_arena *arena, struct gsim_model_file **files, size_t *count,
                                struct gsim_error *error) GSIM_NODISCARD;

/* Whether gsim_device_load() finds NAME, be it another name of a device. */
bool gsim_device_is_named(const char *name);
