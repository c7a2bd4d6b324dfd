/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: runner. It has no generators and no sources (workloads/generators/, workloads/sources/): they draw from the GNU Scientific
 * Library's numbers, which stay out of it (LICENSES.md), and it has kernels for the built-in benchmarks and for program files alone.
 */
#include "gpusim/generator.h"
#include "gpusim/source.h"
#include "traces/runner/kernels/numbers.h"

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

const struct gsim_source_ops *gsim_source_find(const char *name)
{
    (void)name;
    return NULL;
}

const struct gsim_source_ops *gsim_source_at(uint32_t index)
{
    (void)index;
    return NULL;
}

enum gsim_status gsim_source_load(const char *path, const struct gsim_source_ops **ops, struct gsim_error *error)
{
    (void)ops;
    return gsim_error_set(error, GSIM_USAGE, "cannot load source '%.200s': programs that are made while they run are simulated only", path);
}

/* In place of sim/base/random.c. */
enum gsim_status gsim_random_init(struct gsim_random *source, uint64_t seed, struct gsim_error *error)
{
    uint64_t *state = gsim_alloc(sizeof *state);
    *source = (struct gsim_random){0};
    if (!state) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    *source = gsim_runner_numbers(state, seed);
    return GSIM_OK;
}

void gsim_random_release(struct gsim_random *source)
{
    gsim_free(source->state);
    *source = (struct gsim_random){0};
}
