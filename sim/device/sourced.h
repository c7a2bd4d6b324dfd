/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/device (helper). Numbers of a model file, each an object with value, unit, kind and source. */
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>

#include "gpusim/status.h"

struct gsim_sourced_row {
    const char *name, *unit;
    size_t offset; /* of a double */
    double least, most;
};

/* Writes all COUNT numbers of the file's object "numbers", and no others, to the struct at BASE. */
enum gsim_status gsim_sourced_read(const cJSON *json, const struct gsim_sourced_row *rows, size_t count, void *base,
                                   struct gsim_error *error) GSIM_NODISCARD;
