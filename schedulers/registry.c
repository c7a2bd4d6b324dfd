/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of schedulers (schedulers.def): the one place that knows all of them by name. */
#include "gpusim/scheduler.h"
#include "sim/base/plugin.h"

#define X(name) extern const struct gsim_scheduler_ops gsim_scheduler_##name;
#include "schedulers/schedulers.def"
#undef X

static const void *const schedulers[] = {
#define X(name) &gsim_scheduler_##name,
#include "schedulers/schedulers.def"
#undef X
};

static const char *lacks(const void *data)
{
    const struct gsim_scheduler_ops *ops = data;
    return ops->execute ? NULL : "execute";
}

static const struct gsim_plugin_kind kind = GSIM_PLUGIN_KIND(scheduler, "scheduler", schedulers, lacks);

const struct gsim_scheduler_ops *gsim_scheduler_find(const char *name) { return gsim_plugin_find(&kind, name); }
const struct gsim_scheduler_ops *gsim_scheduler_at(uint32_t index) { return gsim_plugin_at(&kind, index); }

enum gsim_status gsim_scheduler_load(const char *name_or_path, const struct gsim_scheduler_ops **ops,
                                     struct gsim_error *error)
{
    const void *found = NULL;
    enum gsim_status status = gsim_plugin_load(&kind, name_or_path, &found, error);
    if (status == GSIM_OK) *ops = found;
    return status;
}
