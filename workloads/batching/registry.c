/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of batching policies (batching.def). */
#include "gpusim/batching.h"
#include "sim/base/plugin.h"

#define X(name) extern const struct gsim_batching_ops gsim_batching_##name;
#include "workloads/batching/batching.def"
#undef X

static const void *const policies[] = {
#define X(name) &gsim_batching_##name,
#include "workloads/batching/batching.def"
#undef X
};

static const char *lacks(const void *data)
{
    const struct gsim_batching_ops *ops = data;
    return ops->next ? NULL : "next";
}

static const struct gsim_plugin_kind kind = GSIM_PLUGIN_KIND(batching, "batching policy", policies, lacks);

const struct gsim_batching_ops *gsim_batching_find(const char *name) { return gsim_plugin_find(&kind, name); }
const struct gsim_batching_ops *gsim_batching_at(uint32_t index) { return gsim_plugin_at(&kind, index); }

enum gsim_status gsim_batching_load(const char *name_or_path, const struct gsim_batching_ops **ops,
                                    struct gsim_error *error)
{
    const void *found = NULL;
    enum gsim_status status = gsim_plugin_load(&kind, name_or_path, &found, error);
    if (status == GSIM_OK) *ops = found;
    return status;
}
