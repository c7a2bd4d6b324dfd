/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which step a size takes, by hand: prefill of 128 and 512 tokens, decode of 1, 4 and 16 slots (serving/server.h). */
#include "serving/server.h"

#include "tests/test.h"

static struct gsim_serving_spec spec; /* large */

static void test_buckets(void)
{
    static const struct {
        enum gsim_batch_kind kind;
        uint32_t size;
        bool interpolates;
        uint32_t index, upper;
        double weight;
    } rows[] = {
        {GSIM_STEP_PREFILL, 128, true, 0, UINT32_MAX, 0},  {GSIM_STEP_PREFILL, 129, false, 1, UINT32_MAX, 0},
        {GSIM_STEP_PREFILL, 224, true, 0, 1, 0.25},        {GSIM_STEP_PREFILL, 512, true, 1, UINT32_MAX, 0},
        {GSIM_STEP_PREFILL, 513, true, UINT32_MAX, UINT32_MAX, 0}, {GSIM_STEP_PREFILL, 5, true, 0, UINT32_MAX, 0},
        {GSIM_STEP_DECODE, 1, true, 2, UINT32_MAX, 0},     {GSIM_STEP_DECODE, 2, false, 3, UINT32_MAX, 0},
        {GSIM_STEP_DECODE, 2, true, 2, 3, 1.0 / 3},        {GSIM_STEP_DECODE, 13, true, 3, 4, 0.75},
        {GSIM_STEP_DECODE, 16, false, 4, UINT32_MAX, 0},   {GSIM_STEP_DECODE, 17, false, UINT32_MAX, UINT32_MAX, 0},
        {GSIM_STEP_VERIFY, 1, false, UINT32_MAX, UINT32_MAX, 0},
    };
    static const struct gsim_serving_step steps[] = {{GSIM_STEP_PREFILL, 128, "a"}, {GSIM_STEP_PREFILL, 512, "b"},
                                                     {GSIM_STEP_DECODE, 1, "c"},    {GSIM_STEP_DECODE, 4, "d"},
                                                     {GSIM_STEP_DECODE, 16, "e"}};
    memcpy(spec.steps, steps, sizeof steps);
    spec.step_count = 5;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        spec.interpolates = rows[i].interpolates;
        struct gsim_serving_launch l = gsim_serving_bucket(&spec, rows[i].kind, rows[i].size);
        CHECK_MSG(l.index == rows[i].index && l.upper == rows[i].upper && fabs(l.weight - rows[i].weight) < 1e-6,
                  "row %zu: %u, %u, %g", i, l.index, l.upper, l.weight);
    }
    uint32_t first;
    CHECK(gsim_serving_steps_of(&spec, GSIM_STEP_DECODE, &first) == 3 && first == 2);
    CHECK_INT(gsim_serving_steps_of(&spec, GSIM_STEP_DRAFT, &first), 0);
    CHECK_INT(gsim_serving_largest(&spec, GSIM_STEP_PREFILL), 512);
    CHECK_INT(gsim_serving_largest(&spec, GSIM_STEP_DECODE), 16);
    CHECK_INT(gsim_serving_largest(&spec, GSIM_STEP_DRAFT), 0);
}

static const struct test_case cases[] = {{"sizes", test_buckets}};
TEST_MAIN("serving/buckets", cases)
