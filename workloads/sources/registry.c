/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of sources (sources.def). */
#include "gpusim/source.h"
#include "sim/base/plugin.h"

#define X(name) extern const struct gsim_source_ops gsim_source_##name;
#include "workloads/sources/sources.def"
#undef X

static const void *const sources[] = {
#define X(name) &gsim_source_##name,
#include "workloads/sources/sources.def"
#undef X
};

static const char *lacks(const void *data)
{
    const struct gsim_source_ops *ops = data;
    return !ops->open ? "open" : !ops->next ? "next" : NULL;
}

static const struct gsim_plugin_kind kind = GSIM_PLUGIN_KIND(source, "source", sources, lacks);

const struct gsim_source_ops *gsim_source_find(const char *name) { return gsim_plugin_find(&kind, name); }
const struct gsim_source_ops *gsim_source_at(uint32_t index) { return gsim_plugin_at(&kind, index); }

enum gsim_status gsim_source_load(const char *path, const struct gsim_source_ops **ops, struct gsim_error *error)
{
    const void *found = NULL;
    enum gsim_status status = gsim_plugin_load(&kind, path, &found, error);
    if (status == GSIM_OK) *ops = found;
    return status;
}
