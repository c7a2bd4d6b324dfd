/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of sources, made from workloads/sources/sources.def, and sources from shared objects.
 */
#include <dlfcn.h>
#include <string.h>

#include "gpusim/source.h"
#include "sim/base/object.h"

#define X(name) extern const struct gsim_source_ops gsim_source_##name;
#include "workloads/sources/sources.def"
#undef X

static const struct gsim_source_ops *const sources[] = {
#define X(name) &gsim_source_##name,
#include "workloads/sources/sources.def"
#undef X
};

const struct gsim_source_ops *gsim_source_at(uint32_t index) { return index < sizeof sources / sizeof sources[0] ? sources[index] : NULL; }

const struct gsim_source_ops *gsim_source_find(const char *name)
{
    for (uint32_t i = 0; gsim_source_at(i); i++)
        if (strcmp(gsim_source_at(i)->name, name) == 0) return gsim_source_at(i);
    return NULL;
}

enum gsim_status gsim_source_load(const char *path, const struct gsim_source_ops **ops, struct gsim_error *error)
{
    /* Code runs only where somebody wrote down where it lies. */
    if (!strchr(path, '/'))
        return gsim_error_set(error, GSIM_USAGE, "cannot load source '%s': a shared object is loaded by a path with a slash: './%s'", path, path);
    void *object;
    if (gsim_object_open(path, &object, error)) return gsim_error_prefix(error, "cannot load source '%s'", path);
    const struct gsim_source_ops *found = dlsym(object, "gsim_source");
    const char *problem = NULL;
    struct gsim_error other = {0};
    if (!found) problem = "expected a symbol \"gsim_source\", found none";
    else if (gsim_abi_check("gsim_source", found->abi, found->size, sizeof *found, &other)) problem = other.message;
    else if (!found->name || !found->name[0]) problem = "gsim_source.name: expected a name, found none";
    else if (!found->open || !found->next) problem = "gsim_source.open, next: expected functions, found NULL";
    else if (found->params && found->params_size == 0) problem = "gsim_source.params_size: expected the size of the parameter struct, found 0";
    if (problem) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load source '%s': %s", path, problem);
    }
    *ops = found;
    return GSIM_OK;
}
