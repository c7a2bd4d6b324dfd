/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of batching policies, made from workloads/batching/batching.def, and policies from shared objects.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/batching.h"
#include "sim/base/object.h"

#define X(name) extern const struct gsim_batching_ops gsim_batching_##name;
#include "workloads/batching/batching.def"
#undef X

static const struct gsim_batching_ops *const policies[] = {
#define X(name) &gsim_batching_##name,
#include "workloads/batching/batching.def"
#undef X
};

const struct gsim_batching_ops *gsim_batching_at(uint32_t index)
{
    return index < sizeof policies / sizeof policies[0] ? policies[index] : NULL;
}

const struct gsim_batching_ops *gsim_batching_find(const char *name)
{
    for (uint32_t i = 0; gsim_batching_at(i); i++)
        if (strcmp(gsim_batching_at(i)->name, name) == 0) return gsim_batching_at(i);
    return NULL;
}

static enum gsim_status load_object(const char *path, const struct gsim_batching_ops **ops, struct gsim_error *error)
{
    void *object;
    if (gsim_object_open(path, &object, error)) return gsim_error_prefix(error, "cannot load batching policy '%s'", path);
    const struct gsim_batching_ops *found = dlsym(object, "gsim_batching");
    const char *problem = NULL;
    struct gsim_error other = {0};
    if (!found) problem = "expected a symbol \"gsim_batching\", found none";
    else if (gsim_abi_check("gsim_batching", found->abi, found->size, sizeof *found, &other)) problem = other.message;
    else if (!found->name || !found->name[0]) problem = "gsim_batching.name: expected a name, found none";
    else if (!found->next) problem = "gsim_batching.next: expected a function, found NULL";
    else if (found->params && !found->params_size) problem = "gsim_batching.params_size: expected the size of the parameter struct, found 0";
    if (problem) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load batching policy '%s': %s", path, problem);
    }
    *ops = found;
    return GSIM_OK;
}

enum gsim_status gsim_batching_load(const char *name_or_path, const struct gsim_batching_ops **ops, struct gsim_error *error)
{
    char names[256] = "";
    /* Code runs only where somebody wrote down where it lies. */
    if (strchr(name_or_path, '/')) return load_object(name_or_path, ops, error);
    *ops = gsim_batching_find(name_or_path);
    if (*ops) return GSIM_OK;
    for (uint32_t i = 0; gsim_batching_at(i); i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", gsim_batching_at(i)->name);
    }
    return gsim_error_set(error, GSIM_USAGE, "unknown batching policy '%.100s': expected %s, or a shared object's path with a slash",
                          name_or_path, names);
}
