/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of ways of sharing (sharing.def). */
#include "gpusim/task.h"
#include "sim/base/plugin.h"

#define X(name) extern const struct gsim_sharing_ops gsim_sharing_##name;
#include "schedulers/sharing/sharing.def"
#undef X

static const void *const ways[] = {
#define X(name) &gsim_sharing_##name,
#include "schedulers/sharing/sharing.def"
#undef X
};

static const char *lacks(const void *data)
{
    const struct gsim_sharing_ops *ops = data;
    return ops->settings ? NULL : "settings";
}

static const struct gsim_plugin_kind kind = GSIM_PLUGIN_KIND(sharing, "way of sharing", ways, lacks);

const struct gsim_sharing_ops *gsim_sharing_find(const char *name) { return gsim_plugin_find(&kind, name); }
const struct gsim_sharing_ops *gsim_sharing_at(uint32_t index) { return gsim_plugin_at(&kind, index); }

enum gsim_status gsim_sharing_load(const char *name_or_path, const struct gsim_sharing_ops **ops,
                                   struct gsim_error *error)
{
    const void *found = NULL;
    enum gsim_status status = gsim_plugin_load(&kind, name_or_path, &found, error);
    if (status == GSIM_OK) *ops = found;
    return status;
}
