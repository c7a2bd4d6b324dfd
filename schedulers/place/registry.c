/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of placements (place.def) and the loading of others from shared objects. */
#include <dlfcn.h>
#include <string.h>

#include "gpusim/placement.h"
#include "sim/base/object.h"
#include "sim/base/text.h"

#define X(name) extern const struct gsim_placement_ops gsim_placement_##name;
#include "schedulers/place/place.def"
#undef X

static const struct gsim_placement_ops *const placements[] = {
#define X(name) &gsim_placement_##name,
#include "schedulers/place/place.def"
#undef X
};

#define COUNT (sizeof placements / sizeof placements[0])

const struct gsim_placement_ops *gsim_placement_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(placements[i]->name, name) == 0) return placements[i];
    return NULL;
}

const struct gsim_placement_ops *gsim_placement_at(uint32_t index) { return index < COUNT ? placements[index] : NULL; }

/* NULL: none. OTHER: where its text is kept. */
static const char *problem_of(const struct gsim_placement_ops *ops, struct gsim_error *other)
{
    if (!ops) return "expected a symbol \"gsim_placement\", found none";
    if (gsim_abi_check("gsim_placement", ops->abi, ops->size, sizeof *ops, other)) return other->message;
    if (!ops->name || !ops->name[0]) return "gsim_placement.name: expected a name, found none";
    if (!ops->choose && !ops->plan) return "gsim_placement.choose: expected a function, found NULL";
    if (ops->params && !ops->params_size) return "gsim_placement.params_size: expected the size of the parameter struct, found 0";
    return NULL;
}

static enum gsim_status load_shared(const char *path, const struct gsim_placement_ops **ops, struct gsim_error *error)
{
    void *object;
    if (gsim_object_open(path, &object, error)) return gsim_error_prefix(error, "cannot load '%s'", path);
    const struct gsim_placement_ops *found = dlsym(object, "gsim_placement");
    struct gsim_error other = {0};
    const char *problem = problem_of(found, &other);
    if (problem) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load '%s': %s", path, problem);
    }
    *ops = found;
    return GSIM_OK;
}

enum gsim_status gsim_placement_load(const char *name_or_path, const struct gsim_placement_ops **ops, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    char hint[96];
    if (strchr(name_or_path, '/')) return load_shared(name_or_path, ops, error);
    *ops = gsim_placement_find(name_or_path);
    if (*ops) return GSIM_OK;
    gsim_nearest_init(&nearest, name_or_path);
    for (size_t i = 0; i < COUNT; i++) gsim_nearest_offer(&nearest, placements[i]->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown placement '%s'%s: expected a name of gpusim list placements, or the path of a .so file",
                          name_or_path, gsim_nearest_text(&nearest, hint, sizeof hint));
}
