/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of schedulers (schedulers.def) and the loading of others from shared objects. The one place that
 * knows all of them by name.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/scheduler.h"
#include "sim/base/object.h"

#define X(name) extern const struct gsim_scheduler_ops gsim_scheduler_##name;
#include "schedulers/schedulers.def"
#undef X

static const struct gsim_scheduler_ops *const schedulers[] = {
#define X(name) &gsim_scheduler_##name,
#include "schedulers/schedulers.def"
#undef X
};

#define SCHEDULER_COUNT (sizeof(schedulers) / sizeof(schedulers[0]))

const struct gsim_scheduler_ops *gsim_scheduler_find(const char *name)
{
    for (size_t i = 0; i < SCHEDULER_COUNT; i++)
        if (strcmp(schedulers[i]->name, name) == 0) return schedulers[i];
    return NULL;
}

const struct gsim_scheduler_ops *gsim_scheduler_at(uint32_t index)
{
    return index < SCHEDULER_COUNT ? schedulers[index] : NULL;
}

static enum gsim_status unknown_name(const char *name, struct gsim_error *error)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < SCHEDULER_COUNT && used < sizeof(names); i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", schedulers[i]->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown scheduler '%s': expected one of %s, or the path of a .so file", name,
                          names);
}

static enum gsim_status load_shared(const char *path, const struct gsim_scheduler_ops **ops, struct gsim_error *error)
{
    /* Code runs only where somebody wrote down where it lies: a name could be a file that came with a trace, and
     * dlopen() would search the library path for it. */
    if (!strchr(path, '/'))
        return gsim_error_set(error, GSIM_USAGE,
                              "cannot load scheduler '%s': a shared object is loaded by a path with a slash: './%s'", path,
                              path);
    void *object;
    if (gsim_object_open(path, &object, error)) return gsim_error_prefix(error, "cannot load scheduler '%s'", path);
    const struct gsim_scheduler_ops *found = dlsym(object, "gsim_scheduler");
    const char *problem = NULL;
    struct gsim_error other = {0};
    if (!found) problem = "expected a symbol \"gsim_scheduler\", found none";
    else if (gsim_abi_check("gsim_scheduler", found->abi, found->size, sizeof *found, &other)) problem = other.message;
    else if (!found->name || !found->name[0]) problem = "gsim_scheduler.name: expected a name, found none";
    else if (!found->execute) problem = "gsim_scheduler.execute: expected a function, found NULL";
    else if (found->params && found->params_size == 0) problem = "gsim_scheduler.params_size: expected the size of the parameter struct, found 0";
    if (problem) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load scheduler '%s': %s", path, problem);
    }
    *ops = found;
    return GSIM_OK;
}

enum gsim_status gsim_scheduler_load(const char *name_or_path, const struct gsim_scheduler_ops **ops,
                                     struct gsim_error *error)
{
    size_t length = strlen(name_or_path);
    if (strchr(name_or_path, '/') || (length > 3 && strcmp(name_or_path + length - 3, ".so") == 0))
        return load_shared(name_or_path, ops, error);
    const struct gsim_scheduler_ops *found = gsim_scheduler_find(name_or_path);
    if (!found) return unknown_name(name_or_path, error);
    *ops = found;
    return GSIM_OK;
}
