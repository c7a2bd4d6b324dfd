/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. What users add to by a file: schedulers, placements, ways of sharing, sources, batching policies.
 * Those that are built in, by name, and others from shared objects. sim/base/registry.def makes a table of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpusim/params.h"
#include "gpusim/status.h"

/* Of each kind the operations begin like this. */
struct gsim_plugin_head {
    uint32_t abi;
    size_t size;
    const char *name;
};

struct gsim_plugin_kind {
    const char *what, *symbol;            /* in messages; that a shared object exports */
    size_t size, params, params_size;     /* of the operations; where these two of their members are */
    const void *const *table;             /* those that are built in */
    uint32_t count;
    const char *(*lacks)(const void *ops); /* a member that must be there, and is not; NULL: none */
};

const void *gsim_plugin_find(const struct gsim_plugin_kind *kind, const char *name);    /* NULL: none of that name */
const void *gsim_plugin_at(const struct gsim_plugin_kind *kind, uint32_t index);        /* NULL at the end */

/* One that is built in, by its name, or of a shared object, by a path with a slash; it stays loaded. On failure OPS is
 * untouched. */
enum gsim_status gsim_plugin_load(const struct gsim_plugin_kind *kind, const char *name_or_path, const void **ops,
                                  struct gsim_error *error) GSIM_NODISCARD;
