/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. It has no generators and no sources, in place of the registries in workloads: they draw from
 * the GNU Scientific Library's numbers, which stay out of it (LICENSES.md), and it has kernels for the built-in
 * benchmarks alone.
 */
#include "gpusim/generator.h"

#include <math.h>

#include "gpusim/memory.h"
#include "gpusim/random.h"
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
    *ops = NULL;
    return gsim_error_set(error, GSIM_USAGE, "cannot load source '%s': gpusim-runner has none", path);
}

/* --- in place of sim/base/random.c: the runner's own generator --- */

enum gsim_status gsim_random_init(struct gsim_random *source, uint64_t seed, struct gsim_error *error)
{
    uint64_t *state = gsim_alloc(sizeof *state);
    (void)error;
    *source = gsim_runner_numbers(state, seed);
    return GSIM_OK;
}

void gsim_random_release(struct gsim_random *source)
{
    gsim_free(source->state);
    *source = (struct gsim_random){0};
}

double gsim_random_scale(const struct gsim_random *source, double spread)
{
    double sigma = sqrt(log1p(spread * spread));
    return exp(sigma * gsim_random_normal(source) - 0.5 * sigma * sigma);
}
