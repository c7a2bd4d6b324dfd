/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Which inputs matter: designs of points in the unit cube, and the effects that follow from a function's
 * values there. Knows nothing of devices or simulations; who computes the values is the caller.
 *
 *   one at a time  the middle, then each input at both ends: 2 d + 1 points
 *   Morris         mean and spread of elementary effects, each input moved alone from many places ("radial design":
 *                  Campolongo, Saltelli, Cariboni 2011): r (d + 1) points
 *   Sobol          shares of the variance, alone (first order) and with all interactions (total): Saltelli's design
 * with the estimators of Saltelli et al. 2010 and Jansen 1999: n (d + 2) points
 *
 * Points of the last two come from GSL's quasi-random sequences (Sobol's up to 40 dimensions, leaped Halton beyond),
 * shifted by an amount drawn from the seed.
 */
#pragma once

#include "gpusim/memory.h"

enum gsim_sensitivity_method { GSIM_ONE_AT_A_TIME, GSIM_MORRIS, GSIM_SOBOL };

struct gsim_design {
    enum gsim_sensitivity_method method;
    size_t inputs, samples; /* samples: r of Morris, n of Sobol; one at a time has none */
    uint64_t seed;
    size_t points; /* out */
    double *u;     /* out: points x inputs, from 0 to 1 */
};

/* The public fields above "out" are set. GSIM_USAGE for more inputs than the sequences have. */
enum gsim_status gsim_design_init(struct gsim_design *design, struct gsim_error *error) GSIM_NODISCARD;
void gsim_design_release(struct gsim_design *design);

struct gsim_effect {
    /* One at a time: the function's change from the middle to either end. */
    double low, high;
    /* Morris: the mean effect of moving the input through its whole range, the mean of its size, its spread. */
    double mean, size, spread;
    /* Sobol: shares of the variance, and half the widths of their 95 % intervals (bootstrap). */
    double first, total, first_half, total_half;
};

/* Y: the function's value at each point; EFFECTS: of each input. */
void gsim_design_effects(const struct gsim_design *design, const double *y, struct gsim_effect *effects);
