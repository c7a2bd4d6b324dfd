/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. A stream of random numbers, independent of its generator. The simulator's generators are GSL's
 * (sim/base/random.c); another backend brings its own.
 */
#pragma once

#include <stdint.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_random {
    void *state;                                      /* the generator's; one for each consumer */
    double (*uniform)(void *state);                   /* from 0, below 1 */
    double (*normal)(void *state);                    /* mean 0, standard deviation 1 */
    uint32_t (*integer)(void *state, uint32_t count); /* 0 to COUNT - 1; COUNT >= 1 */
};

static inline double gsim_random_uniform(const struct gsim_random *source) { return source->uniform(source->state); }

static inline double gsim_random_normal(const struct gsim_random *source) { return source->normal(source->state); }

static inline uint32_t gsim_random_integer(const struct gsim_random *source, uint32_t count)
{
    return source->integer(source->state, count);
}

/* Draws a log-normal factor of mean 1 and standard deviation SPREAD; 1 if SPREAD is 0. */
double gsim_random_scale(const struct gsim_random *source, double spread);

/* Starts GSL's generator taus2 (L'Ecuyer, Math. Comp. 68, 1999) from SEED. Fails with GSIM_NOMEM. */
enum gsim_status gsim_random_init(struct gsim_random *source, uint64_t seed, struct gsim_error *error) GSIM_NODISCARD;
/* Accepts a zeroed one. */
void gsim_random_release(struct gsim_random *source);

GSIM_DECLARATIONS_END
