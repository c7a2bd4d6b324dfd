/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device (helper). The search path of data: $GPUSIM_DATA, <folder of the executable>/../share/gpusim, the
 * same of the shared library, the source tree of the build. If none has it: the default folder of an installation.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

/* A file of the search path; of equal names the first counts. */
struct gsim_model_file {
    const char *name; /* without ".json" */
    const char *path;
};

/* Folders of models: devices, architectures, nodes (gpusim/platform.h), what servers' hosts spend, costs of
 * collectives. */
#define GSIM_MODELS_DEVICES ""
#define GSIM_MODELS_ARCH    "arch"
#define GSIM_MODELS_NODES   "nodes"
#define GSIM_MODELS_HOSTS   "hosts"
#define GSIM_MODELS_NCCL    "nccl"

/* Lists all files of a folder of models, sorted by name, in ARENA. A missing folder is skipped; one that cannot be read
 * is an error. */
enum gsim_status gsim_model_files(const char *below, struct gsim_arena *arena, struct gsim_model_file **files,
                                  size_t *count, struct gsim_error *error) GSIM_NODISCARD;

/* The first NAME on the search path, from ARENA; NULL when there is none. */
const char *gsim_data_path(struct gsim_arena *arena, const char *name);

/* Whether gsim_device_load() finds NAME, be it another name of a device. */
bool gsim_device_is_named(const char *name);
