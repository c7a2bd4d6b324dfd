/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of generators, made from workloads/generators/generators.def.
 */
#include <string.h>

#include "gpusim/generator.h"

#define X(name) extern const struct gsim_generator_ops gsim_generator_##name;
#include "workloads/generators/generators.def"
#undef X

static const struct gsim_generator_ops *const generators[] = {
#define X(name) &gsim_generator_##name,
#include "workloads/generators/generators.def"
#undef X
};

const struct gsim_generator_ops *gsim_generator_at(uint32_t index)
{
    return index < sizeof(generators) / sizeof(generators[0]) ? generators[index] : NULL;
}

const struct gsim_generator_ops *gsim_generator_find(const char *name)
{
    for (uint32_t i = 0; i < sizeof(generators) / sizeof(generators[0]); i++)
        if (strcmp(generators[i]->name, name) == 0) return generators[i];
    return NULL;
}
