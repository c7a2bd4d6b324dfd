/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The partitioned benchmarks: kernels, streams and bytes moved per iteration, as their sources have them. */
#include "trust/published/partitioned.h"

#include "tests/test.h"

static void shapes(void)
{
    static const struct {
        const char *name;
        double size, reset_bytes; /* 8N and 16 results; 24 vectors of doubles; 4N^2 + 4N; twice 64N; 4N */
        uint32_t kernels;
        int32_t streams;
        uint32_t block;
    } cases[] = {{"b1m", 1.6e8, 8 * 1.6e8 + 64, 48, 32, 32},
                 {"b5m", 1e7, 24 * 8e7, 24, 24, 1024},
                 {"b11m", 2e4, 4 * 4e8 + 8e4, 32, 16, 256},
                 {"b6m", 1e6, 2 * 64e6, 87, 32, 32},
                 {"b9m", 2e4, 8e4, 34 + 50 * 21, 16, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        uint32_t kernels = 0;
        int32_t streams = 0;
        double reset = 0;
        CHECK_OK(gsim_partitioned_build(cases[i].name, cases[i].size, &p, &error), error);
        for (uint32_t o = 0; o < p.op_count; o++) {
            kernels += p.ops[o].kind == GSIM_OP_KERNEL;
            if (p.ops[o].stream >= streams) streams = p.ops[o].stream + 1;
            if (p.ops[o].untimed) reset += (double)p.ops[o].bytes;
        }
        CHECK_INT(kernels, cases[i].kernels);
        CHECK_INT(streams, cases[i].streams);
        CHECK_NEAR(reset, cases[i].reset_bytes, 1);
        for (uint32_t k = 0; k < p.kernel_count; k++) {
            CHECK_INT(p.kernels[k].grid.x, 64);
            CHECK_INT(p.kernels[k].block.x, cases[i].block);
        }
        gsim_program_release(&p);
    }
}

static void unknown_names(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_partitioned_build("b7m", 1e6, &p, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "'b7m' is not modelled");
}

static const struct test_case cases[] = {
    {"shapes", shapes},
    {"unknown names", unknown_names},
};
TEST_MAIN("workloads/partitioned", cases)
