/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. See sweep/sensitivity.h.
 */
#include "sweep/sensitivity.h"

#include <gsl/gsl_qrng.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>

#define SOBOL_DIMENSIONS  40u
#define HALTON_DIMENSIONS 168u /* those whose primes are below LEAP */
#define LEAP                                                                                                           \
    1009u             /* of Halton's sequence only each LEAP-th point: in high dimensions neighbours follow each       \
                       * other (Kocis and Whiten 1997); a prime that is no base of the sequence */
#define RESAMPLES 200 /* of the bootstrap */

/* --- designs --- */
static double *row_of(const struct gsim_design *design, size_t point) { return design->u + point * design->inputs; }

/* Two points of the cube, A and B, from one of twice its dimension. */
struct pairs {
    gsl_qrng *sequence;
    double *shift, *pair;
    size_t dimensions;
};

static enum gsim_status pairs_init(struct pairs *pairs, const struct gsim_design *design, struct gsim_error *error)
{
    size_t dimensions = 2 * design->inputs;
    memset(pairs, 0, sizeof *pairs);
    if (dimensions > HALTON_DIMENSIONS)
        return gsim_error_set(error, GSIM_USAGE, "expected at most %u numbers, found %zu", HALTON_DIMENSIONS / 2,
                              design->inputs);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    pairs->dimensions = dimensions;
    pairs->sequence =
        gsl_qrng_alloc(dimensions <= SOBOL_DIMENSIONS ? gsl_qrng_sobol : gsl_qrng_halton, (unsigned)dimensions);
    pairs->shift = gsim_alloc(sizeof(double) * dimensions);
    pairs->pair = gsim_alloc(sizeof(double) * dimensions);
    gsl_rng_set(rng, (unsigned long)design->seed);
    for (size_t i = 0; i < dimensions; i++) pairs->shift[i] = gsl_rng_uniform(rng);
    gsl_rng_free(rng);
    return GSIM_OK;
}

/* Each sample is a block: A; A with one input of B, for every input; B as well for Sobol. */
static enum gsim_status design_blocks(struct gsim_design *design, struct gsim_error *error)
{
    struct pairs pairs;
    size_t block = design->points / design->samples, inputs = design->inputs;
    enum gsim_status status = pairs_init(&pairs, design, error);
    for (size_t sample = 0; sample < design->samples && status == GSIM_OK; sample++) {
        double *first = row_of(design, sample * block);
        for (unsigned i = 0; i < (pairs.dimensions <= SOBOL_DIMENSIONS ? 1 : LEAP); i++)
            gsl_qrng_get(pairs.sequence, pairs.pair);
        for (size_t i = 0; i < pairs.dimensions; i++) {
            double at = pairs.pair[i] + pairs.shift[i];
            pairs.pair[i] = at - floor(at);
        }
        const double *a = pairs.pair, *b = pairs.pair + inputs;
        for (size_t i = 0; i <= inputs; i++) {
            double *row = first + i * inputs;
            memcpy(row, a, sizeof *row * inputs);
            if (i) row[i - 1] = b[i - 1];
        }
        if (design->method == GSIM_SOBOL) memcpy(first + (inputs + 1) * inputs, b, sizeof *b * inputs);
    }
    if (pairs.sequence) gsl_qrng_free(pairs.sequence);
    gsim_free(pairs.shift);
    gsim_free(pairs.pair);
    return status;
}

enum gsim_status gsim_design_init(struct gsim_design *design, struct gsim_error *error)
{
    size_t inputs = design->inputs;
    design->u = NULL;
    switch (design->method) {
    case GSIM_ONE_AT_A_TIME:
        design->points = 2 * inputs + 1;
        break;
    case GSIM_MORRIS:
        design->points = design->samples * (inputs + 1);
        break;
    case GSIM_SOBOL:
        design->points = design->samples * (inputs + 2);
        break;
    }
    design->u = gsim_alloc(sizeof *design->u * design->points * inputs);
    if (design->method != GSIM_ONE_AT_A_TIME) return design_blocks(design, error);
    for (size_t point = 0; point < design->points; point++)
        for (size_t i = 0; i < design->inputs; i++) row_of(design, point)[i] = 0.5;
    for (size_t i = 0; i < design->inputs; i++) {
        row_of(design, 1 + 2 * i)[i] = 0;
        row_of(design, 2 + 2 * i)[i] = 1;
    }
    return GSIM_OK;
}

void gsim_design_release(struct gsim_design *design)
{
    gsim_free(design->u);
    design->u = NULL;
}

/* --- effects --- */
static void effects_one_at_a_time(const struct gsim_design *design, const double *y, struct gsim_effect *effects)
{
    for (size_t i = 0; i < design->inputs; i++) {
        effects[i].low = y[1 + 2 * i] - y[0];
        effects[i].high = y[2 + 2 * i] - y[0];
    }
}

static void effects_morris(const struct gsim_design *design, const double *y, struct gsim_effect *effects)
{
    size_t inputs = design->inputs, block = inputs + 1;
    for (size_t i = 0; i < inputs; i++) {
        double sum = 0, sizes = 0, squares = 0, count = 0;
        for (size_t sample = 0; sample < design->samples; sample++) {
            size_t base = sample * block;
            double step = row_of(design, base + 1 + i)[i] - row_of(design, base)[i];
            if (fabs(step) < 1e-9) continue;
            double effect = (y[base + 1 + i] - y[base]) / step;
            sum += effect;
            sizes += fabs(effect);
            squares += effect * effect;
            count++;
        }
        if (count < 1) continue;
        effects[i].mean = sum / count;
        effects[i].size = sizes / count;
        effects[i].spread = count > 1 ? sqrt(fmax(0, squares - sum * sum / count) / (count - 1)) : 0;
    }
}

/* First-order and total share of input I over the samples CHOSEN (with repetitions). */
static void sobol_shares(const struct gsim_design *design, const double *y, size_t i, const size_t *chosen,
                         double *first, double *total)
{
    size_t block = design->inputs + 2, n = design->samples;
    double sum = 0, squares = 0, product = 0, distance = 0;
    for (size_t k = 0; k < n; k++) {
        const double *at = y + chosen[k] * block;
        double a = at[0], b = at[design->inputs + 1], mixed = at[1 + i];
        sum += a + b;
        squares += a * a + b * b;
        product += b * (mixed - a);
        distance += (a - mixed) * (a - mixed);
    }
    double mean = sum / (double)(2 * n), variance = squares / (double)(2 * n) - mean * mean;
    /* A function that hardly varies has no shares; the rest is rounding. */
    bool is_flat = variance <= 1e-18 * mean * mean || variance <= 0;
    *first = is_flat ? 0 : product / (double)n / variance;
    *total = is_flat ? 0 : distance / (double)(2 * n) / variance;
}

static void bootstrap(const struct gsim_design *design, const double *y, size_t i, gsl_rng *rng, size_t *chosen,
                      struct gsim_effect *effect)
{
    double first, total, sums[4] = {0};
    for (int round = 0; round < RESAMPLES; round++) {
        for (size_t k = 0; k < design->samples; k++) chosen[k] = gsl_rng_uniform_int(rng, design->samples);
        sobol_shares(design, y, i, chosen, &first, &total);
        sums[0] += first;
        sums[1] += first * first;
        sums[2] += total;
        sums[3] += total * total;
    }
    double n = RESAMPLES;
    effect->first_half = 1.96 * sqrt(fmax(0, sums[1] - sums[0] * sums[0] / n) / (n - 1));
    effect->total_half = 1.96 * sqrt(fmax(0, sums[3] - sums[2] * sums[2] / n) / (n - 1));
}

static void effects_sobol(const struct gsim_design *design, const double *y, struct gsim_effect *effects)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t *chosen = gsim_alloc(sizeof *chosen * design->samples);
    double *centred = gsim_alloc(sizeof *centred * design->points), mean = 0;
    gsl_rng_set(rng, (unsigned long)design->seed);
    /* The first-order estimator's variance falls when the mean is taken off. */
    for (size_t k = 0; k < design->points; k++) mean += y[k] / (double)design->points;
    for (size_t k = 0; k < design->points; k++) centred[k] = y[k] - mean;
    for (size_t i = 0; i < design->inputs; i++) {
        for (size_t k = 0; k < design->samples; k++) chosen[k] = k;
        sobol_shares(design, centred, i, chosen, &effects[i].first, &effects[i].total);
        bootstrap(design, centred, i, rng, chosen, &effects[i]);
    }
    gsl_rng_free(rng);
    gsim_free(chosen);
    gsim_free(centred);
}

void gsim_design_effects(const struct gsim_design *design, const double *y, struct gsim_effect *effects)
{
    memset(effects, 0, sizeof *effects * design->inputs);
    switch (design->method) {
    case GSIM_ONE_AT_A_TIME: effects_one_at_a_time(design, y, effects); break;
    case GSIM_MORRIS: effects_morris(design, y, effects); break;
    case GSIM_SOBOL: effects_sobol(design, y, effects); break;
    }
}
