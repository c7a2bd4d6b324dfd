/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner's random numbers against what is known of them: the generator's first outputs for seed 1234567 as
 * published (Rosetta Code, SplitMix64: 6457827717110365317, 3203168211198807973), moments, ranges, and the same again
 * for the same seed.
 */
#include "traces/runner/kernels/numbers.h"

#include "tests/test.h"

#define DRAWS 100000

static void known_outputs(void)
{
    uint64_t state;
    struct gsim_random numbers = gsim_runner_numbers(&state, 1234567);
    CHECK_NEAR(gsim_random_uniform(&numbers), (double)6457827717110365317 * 0x1p-64, 1e-15);
    CHECK_NEAR(gsim_random_uniform(&numbers), (double)3203168211198807973 * 0x1p-64, 1e-15);
    numbers = gsim_runner_numbers(&state, 1234567);
    CHECK_INT(gsim_random_integer(&numbers, 10), 3); /* 0.350 and 0.174 of the range */
    CHECK_INT(gsim_random_integer(&numbers, 10), 1);
}

static void moments(void)
{
    uint64_t state;
    struct gsim_random numbers = gsim_runner_numbers(&state, 1);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = gsim_random_normal(&numbers);
        sum += x;
        squares += x * x;
    }
    CHECK_NEAR(sum / DRAWS, 0, 0.016); /* five standard errors: 5 / sqrt(100000) */
    CHECK_NEAR(squares / DRAWS, 1, 0.023);
    uint32_t counts[3] = {0};
    for (int i = 0; i < DRAWS; i++) counts[gsim_random_integer(&numbers, 3)]++;
    for (int i = 0; i < 3; i++) CHECK_NEAR(counts[i] / (double)DRAWS, 1.0 / 3, 0.0075);
    for (int i = 0; i < 100; i++) CHECK_INT(gsim_random_integer(&numbers, 1), 0);
}

static void same_again(void)
{
    uint64_t first_state, second_state;
    struct gsim_random first = gsim_runner_numbers(&first_state, 7), second = gsim_runner_numbers(&second_state, 7);
    for (int i = 0; i < 10; i++) CHECK(gsim_random_normal(&first) == gsim_random_normal(&second));
    first = gsim_runner_numbers(&first_state, 8);
    second = gsim_runner_numbers(&second_state, 7);
    CHECK(gsim_random_uniform(&first) != gsim_random_uniform(&second));
}

static const struct test_case cases[] = {
    {"first outputs as published", known_outputs},
    {"moments and ranges", moments},
    {"the same again for the same seed", same_again},
};
TEST_MAIN("traces/runner/numbers", cases)
