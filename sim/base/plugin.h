/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. Plugins: schedulers, placements, sharing policies, sources, batching policies. Built-in ones by
 * name, others from shared objects. sim/base/registry.def makes the table of a kind. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpusim/params.h"
#include "gpusim/status.h"

/* First members of the operations of each kind. */
struct gsim_plugin_head {
    uint32_t abi;
    size_t size;
    const char *name;
};

struct gsim_plugin_kind {
    const char *what, *symbol;            /* word in messages; symbol that a shared object exports */
    size_t size, params, params_size;     /* sizeof the operations; offsets of these members */
    const void *const *table;             /* the built-in ones */
    uint32_t count;
    const char *(*lacks)(const void *ops); /* returns a missing required member; NULL: none */
};

const void *gsim_plugin_find(const struct gsim_plugin_kind *kind, const char *name);    /* NULL: not found */
const void *gsim_plugin_at(const struct gsim_plugin_kind *kind, uint32_t index);        /* NULL at the end */

/* Finds a built-in one by name, or loads a shared object by a path with a slash. It stays loaded. On failure OPS is
 * untouched. */
enum gsim_status gsim_plugin_load(const struct gsim_plugin_kind *kind, const char *name_or_path, const void **ops,
                                  struct gsim_error *error) GSIM_NODISCARD;
