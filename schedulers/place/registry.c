/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of placements (place.def). */
#include "gpusim/placement.h"
#include "sim/base/plugin.h"

#define X(name) extern const struct gsim_placement_ops gsim_placement_##name;
#include "schedulers/place/place.def"
#undef X

static const void *const placements[] = {
#define X(name) &gsim_placement_##name,
#include "schedulers/place/place.def"
#undef X
};

static const char *lacks(const void *data)
{
    const struct gsim_placement_ops *ops = data;
    return ops->choose || ops->plan ? NULL : "choose";
}

static const struct gsim_plugin_kind kind = GSIM_PLUGIN_KIND(placement, "placement", placements, lacks);

const struct gsim_placement_ops *gsim_placement_find(const char *name) { return gsim_plugin_find(&kind, name); }
const struct gsim_placement_ops *gsim_placement_at(uint32_t index) { return gsim_plugin_at(&kind, index); }

enum gsim_status gsim_placement_load(const char *name_or_path, const struct gsim_placement_ops **ops,
                                     struct gsim_error *error)
{
    const void *found = NULL;
    enum gsim_status status = gsim_plugin_load(&kind, name_or_path, &found, error);
    if (status == GSIM_OK) *ops = found;
    return status;
}
