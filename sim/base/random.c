/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulator's random numbers: GSL generators behind include/gpusim/random.h. The runner has its own
 * (traces/runner/kernels/numbers.c). */
#include "gpusim/random.h"
#include "sim/base/ends.h"

#include <math.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

static double uniform(void *state) { return gsl_rng_uniform(state); }

static double normal(void *state) { return gsl_ran_ugaussian(state); }

static uint32_t integer(void *state, uint32_t count) { return (uint32_t)gsl_rng_uniform_int(state, count); }

double gsim_random_scale(const struct gsim_random *source, double spread)
{
    double sigma = sqrt(log1p(spread * spread));
    return exp(sigma * gsim_random_normal(source) - 0.5 * sigma * sigma);
}

enum gsim_status gsim_random_init(struct gsim_random *source, uint64_t seed, struct gsim_error *error)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* of the program that embeds this: it would end that */
    gsl_rng *rng = gsim_or_end(gsl_rng_alloc(gsl_rng_taus2));
    gsl_set_error_handler(handler);
    *source = (struct gsim_random){.state = rng, .uniform = uniform, .normal = normal, .integer = integer};
    if (!rng) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsl_rng_set(rng, (unsigned long)seed);
    return GSIM_OK;
}

void gsim_random_release(struct gsim_random *source)
{
    if (source->state) gsl_rng_free(source->state);
    *source = (struct gsim_random){0};
}
