/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See numbers.h. The generator is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi 10.1145/2660193.2660195). */
#include "traces/runner/kernels/numbers.h"

#include <math.h>

#define TWO_PI 6.283185307179586

static uint64_t next(void *state)
{
    uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(void *state) { return (double)(next(state) >> 11) * 0x1p-53; }

/* Box and Muller's; 1 - u is never 0. */
static double normal(void *state)
{
    double radius = sqrt(-2 * log(1 - uniform(state)));
    return radius * cos(TWO_PI * uniform(state));
}

/* The high bits of a product: biased by less than COUNT / 2^32. */
static uint32_t integer(void *state, uint32_t count) { return (uint32_t)(((next(state) >> 32) * count) >> 32); }

struct gsim_random gsim_runner_numbers(uint64_t *state, uint64_t seed)
{
    *state = seed;
    return (struct gsim_random){.state = state, .uniform = uniform, .normal = normal, .integer = integer};
}
