/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading models/nccl/NAME.json: which file, and its numbers (sim/collective/nccl.h). */
#include "sim/collective/nccl.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/device/sourced.h"
#include "sim/device/search.h"

static const struct gsim_sourced_row rows[] = {
#define X(name, unit, help) {#name, unit, offsetof(struct gsim_nccl, name), 0, INFINITY},
#include "sim/collective/nccl.def"
#undef X
};

static enum gsim_status read_file(struct gsim_nccl *nccl, const char *path, struct gsim_error *error)
{
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? GSIM_OK : error->status;
    if (!status) status = gsim_json_check_schema(json, "gpusim-nccl/1", error);
    if (!status) status = gsim_sourced_read(json, rows, sizeof rows / sizeof rows[0], nccl, error);
    gsim_json_release(json);
    return status ? gsim_error_prefix(error, "cannot read '%s'", path) : GSIM_OK;
}

/* The capability that a file's name says: "sm_90" is 90. */
static int capability_of(const char *name) { return strncmp(name, "sm_", 3) == 0 ? atoi(name + 3) : 0; }

enum gsim_status gsim_nccl_load(struct gsim_nccl *nccl, const struct gsim_device_spec *device, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    const struct gsim_model_file *best = NULL;
    size_t count = 0;
    enum gsim_status status = gsim_model_files(GSIM_MODELS_NCCL, &arena, &files, &count, error);
    for (size_t i = 0; i < count; i++) {
        int its = capability_of(files[i].name), known = best ? capability_of(best->name) : 0;
        bool is_over = its > device->compute_capability, was_over = known > device->compute_capability;
        if (!its) continue;
        if (!best || (was_over ? its < known : !is_over && its > known)) best = &files[i];
    }
    if (!status && !best)
        status = gsim_error_set(error, GSIM_INPUT, "expected a file models/nccl/sm_NN.json, found none");
    if (!status) status = read_file(nccl, best->path, error);
    gsim_arena_release(&arena);
    return status;
}
