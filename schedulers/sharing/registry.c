/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of ways of sharing (sharing.def) and the loading of others from shared objects. */
#include <dlfcn.h>
#include <string.h>

#include "gpusim/task.h"
#include "sim/base/object.h"

#define X(name) extern const struct gsim_sharing_ops gsim_sharing_##name;
#include "schedulers/sharing/sharing.def"
#undef X

static const struct gsim_sharing_ops *const ways[] = {
#define X(name) &gsim_sharing_##name,
#include "schedulers/sharing/sharing.def"
#undef X
};

#define WAY_COUNT (sizeof ways / sizeof ways[0])

const struct gsim_sharing_ops *gsim_sharing_find(const char *name)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (strcmp(ways[i]->name, name) == 0) return ways[i];
    return NULL;
}

const struct gsim_sharing_ops *gsim_sharing_at(uint32_t index) { return index < WAY_COUNT ? ways[index] : NULL; }

/* NULL: none. OTHER: where its text is kept. */
static const char *problem_of(const struct gsim_sharing_ops *ops, struct gsim_error *other)
{
    if (!ops) return "expected a symbol \"gsim_sharing\", found none";
    if (gsim_abi_check("gsim_sharing", ops->abi, ops->size, sizeof *ops, other)) return other->message;
    if (!ops->name || !ops->name[0]) return "gsim_sharing.name: expected a name, found none";
    if (!ops->settings) return "gsim_sharing.settings: expected a function, found NULL";
    if (ops->params && !ops->params_size) return "gsim_sharing.params_size: expected the size of the parameter struct, found 0";
    return NULL;
}

static enum gsim_status load_shared(const char *path, const struct gsim_sharing_ops **ops, struct gsim_error *error)
{
    void *object;
    if (gsim_object_open(path, &object, error)) return gsim_error_prefix(error, "cannot load '%s'", path);
    const struct gsim_sharing_ops *found = dlsym(object, "gsim_sharing");
    struct gsim_error other = {0};
    const char *problem = problem_of(found, &other);
    if (problem) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load '%s': %s", path, problem);
    }
    *ops = found;
    return GSIM_OK;
}

enum gsim_status gsim_sharing_load(const char *name_or_path, const struct gsim_sharing_ops **ops, struct gsim_error *error)
{
    /* Code runs only where somebody wrote down where it lies. */
    if (strchr(name_or_path, '/')) return load_shared(name_or_path, ops, error);
    *ops = gsim_sharing_find(name_or_path);
    if (*ops) return GSIM_OK;
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < WAY_COUNT && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", ways[i]->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown way of sharing '%.60s': expected one of %s, or the path of a .so file", name_or_path, names);
}
