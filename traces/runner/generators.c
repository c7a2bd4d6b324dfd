/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: runner. It has no generators, in place of workloads/generators/registry.c: they draw from the GNU Scientific Library's
 * numbers, which stay out of it (LICENSES.md), and it has kernels for the built-in benchmarks alone.
 */
#include "gpusim/generator.h"

const struct gsim_generator_ops *gsim_generator_find(const char *name)
{
    (void)name;
    return NULL;
}

const struct gsim_generator_ops *gsim_generator_at(uint32_t index)
{
    (void)index;
    return NULL;
}
