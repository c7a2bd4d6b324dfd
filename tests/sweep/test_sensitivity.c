/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose effects are known in closed form: a linear one, a product, and Ishigami's (a = 7, b = 0.1), whose
 * shares are 0.3139, 0.4424, 0 alone and 0.5576, 0.4424, 0.2437 in all (Saltelli et al., Global Sensitivity Analysis).
 */
#include "sweep/sensitivity.h"

#include "tests/test.h"

#define MAX_INPUTS 60

typedef double function(const double *u, size_t inputs);

static double linear(const double *u, size_t inputs)
{
    double y = 100;
    for (size_t i = 0; i < inputs; i++) y += (double)i * u[i];
    return y;
}

static double product(const double *u, size_t inputs)
{
    double y = 1;
    for (size_t i = 0; i < inputs; i++) y *= u[i];
    return y;
}

static double ishigami(const double *u, size_t inputs)
{
    double x[3];
    for (size_t i = 0; i < 3 && i < inputs; i++) x[i] = (2 * u[i] - 1) * acos(-1);
    return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static double constant(const double *u, size_t inputs)
{
    (void)u;
    return inputs ? 12345.678 : 0;
}

static void analyse(enum gsim_sensitivity_method method, size_t inputs, size_t samples, uint64_t seed, function *f,
                    struct gsim_effect *effects, double *checksum)
{
    struct gsim_error error = {0};
    struct gsim_design design = {.method = method, .inputs = inputs, .samples = samples, .seed = seed};
    CHECK_OK(gsim_design_init(&design, &error), error);
    double *y = gsim_alloc(sizeof *y * design.points);
    *checksum = 0;
    for (size_t i = 0; i < design.points; i++) {
        for (size_t j = 0; j < inputs; j++) {
            double u = design.u[i * inputs + j];
            CHECK_MSG(u >= 0 && u <= 1, "point %zu, input %zu: %g", i, j, u);
            *checksum += u * (double)(1 + (i * 31 + j) % 97);
        }
        y[i] = f(design.u + i * inputs, inputs);
    }
    gsim_design_effects(&design, y, effects);
    gsim_free(y);
    gsim_design_release(&design);
}

static void one_at_a_time(void)
{
    struct gsim_effect effects[MAX_INPUTS];
    double checksum;
    analyse(GSIM_ONE_AT_A_TIME, 5, 0, 1, linear, effects, &checksum);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(effects[i].low, -0.5 * i, 1e-12);
        CHECK_NEAR(effects[i].high, 0.5 * i, 1e-12);
    }
}

/* A linear function has the same effect everywhere; in a product each effect depends on where the others are. */
static void morris(void)
{
    struct gsim_effect effects[MAX_INPUTS];
    double checksum;
    analyse(GSIM_MORRIS, 40, 20, 1, linear, effects, &checksum);
    for (int i = 0; i < 40; i++) {
        CHECK_NEAR(effects[i].mean, i, 1e-6);
        CHECK_NEAR(effects[i].size, i, 1e-6);
        CHECK_NEAR(effects[i].spread, 0, 1e-6);
    }
    analyse(GSIM_MORRIS, 2, 256, 1, product, effects, &checksum);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(effects[i].mean, 0.5, 0.02);              /* of the other input */
        CHECK_NEAR(effects[i].spread, sqrt(1.0 / 12), 0.02); /* likewise */
    }
}

static void sobol(void)
{
    static const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
    struct gsim_effect effects[MAX_INPUTS];
    double checksum;
    analyse(GSIM_SOBOL, 3, 2048, 1, ishigami, effects, &checksum);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(effects[i].first, first[i], 0.02);
        CHECK_NEAR(effects[i].total, total[i], 0.02);
        CHECK_MSG(effects[i].first_half < 0.1 && effects[i].total_half < 0.1, "intervals %g, %g", effects[i].first_half,
                  effects[i].total_half);
    }
    /* More inputs than Sobol's sequence has dimensions: shares of a linear function are squares over their sum. */
    analyse(GSIM_SOBOL, 30, 1024, 1, linear, effects, &checksum);
    for (int i = 0; i < 30; i++) CHECK_NEAR(effects[i].total, i * i / 8555.0, 0.02);
    analyse(GSIM_SOBOL, 4, 64, 1, constant, effects, &checksum);
    for (int i = 0; i < 4; i++) CHECK_NEAR(effects[i].total + effects[i].first, 0, 0);
}

/* Two samples of one input: (a, mixed, b) are (1, 3, 2) and (4, 0, 6). Of a and b the variance is 57 / 4 - 169 / 16,
 * which is 59 / 16. First order: the mean of b (mixed - a), b from the mean of all six, 8 / 3, on: -22 / 3. In all:
 * half the mean of (a - mixed)^2, 5. */
static void sobol_by_hand(void)
{
    static const double y[] = {1, 3, 2, 4, 0, 6};
    struct gsim_design design = {.method = GSIM_SOBOL, .inputs = 1, .samples = 2, .seed = 1};
    struct gsim_error error = {0};
    struct gsim_effect effect;
    CHECK_OK(gsim_design_init(&design, &error), error);
    CHECK_INT(design.points, 6);
    gsim_design_effects(&design, y, &effect);
    CHECK_NEAR(effect.first, -22 / 3. * 16 / 59, 1e-12);
    CHECK_NEAR(effect.total, 5 * 16 / 59., 1e-12);
    gsim_design_release(&design);
}

static void the_seed_decides(void)
{
    struct gsim_effect effects[MAX_INPUTS], again[MAX_INPUTS];
    double first, second, other;
    analyse(GSIM_SOBOL, 3, 64, 1, ishigami, effects, &first);
    analyse(GSIM_SOBOL, 3, 64, 1, ishigami, again, &second);
    CHECK(memcmp(effects, again, 3 * sizeof *effects) == 0);
    CHECK(first == second);
    analyse(GSIM_SOBOL, 3, 64, 2, ishigami, again, &other);
    CHECK(first != other);
}

static const struct test_case cases[] = {{"one at a time", one_at_a_time},
                                         {"Morris", morris},
                                         {"Sobol", sobol},
                                         {"Sobol by hand", sobol_by_hand},
                                         {"the seed decides", the_seed_decides}};
TEST_MAIN("sim/sensitivity", cases)
