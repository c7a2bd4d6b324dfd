/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times alone from times beside others: what the simulator makes of kernels of known times, taken as a trace, leads
 * back to them.
 */
#include "trust/validate/alone.h"

#include "tests/test.h"

#define KERNELS 5

static struct gsim_device_spec device;
static struct gsim_gpu_options gpu;
static struct gsim_predictor predictor;
static struct gsim_program program;
static struct gsim_recorded_op trace[KERNELS];
static const double alone_us[KERNELS] = {100, 60, 75, 140, 30};

/* Streams 1 and 2 side by side, a kernel of stream 1 when all of these are over. */
static void program_is_made(void)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("alone");
    static const int32_t streams[KERNELS] = {1, 2, 1, 2, 1};
    static const uint32_t all[] = {0, 1, 2, 3};
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct gsim_kernel kernel = {.name = "k",
                                     .grid = {i == 3 ? 66 : 264, 1, 1},
                                     .block = {i == 1 ? 512 : 256, 1, 1},
                                     .regs_per_thread = 32,
                                     .solo_us = alone_us[i],
                                     .solo_device = "h200",
                                     .solo_cold = true};
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .stream = streams[i],
                             .kernel_index = gsim_builder_kernel(b, &kernel),
                             .after = all,
                             .after_count = i == KERNELS - 1 ? 4 : 0};
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    predictor = (struct gsim_predictor){&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
}

/* The trace of it, and its kernels as long as they were there. */
static void trace_is_taken(void)
{
    struct gsim_error error = {0};
    struct gsim_moment moments[KERNELS];
    CHECK_OK(gsim_replay_trace(&predictor, &program, NULL, moments, &error), error);
    for (uint32_t i = 0; i < KERNELS; i++) {
        trace[i] = (struct gsim_recorded_op){.is_kernel = true, .op = i, .stream = (uint32_t)program.ops[i].stream,
                                             .start_us = moments[i].start_us, .end_us = moments[i].end_us};
        program.kernels[i].solo_us = moments[i].end_us - moments[i].start_us;
        CHECK(i == KERNELS - 1 || program.kernels[i].solo_us > 1.05 * alone_us[i]);
    }
    CHECK_NEAR(program.kernels[KERNELS - 1].solo_us, alone_us[KERNELS - 1], 0.01);
}

static void times_alone_come_back(void)
{
    struct gsim_error error = {0};
    struct gsim_alone alone;
    double recorded_us = 0, sum_us = 0, last_us = program.kernels[KERNELS - 1].solo_us;
    for (uint32_t i = 0; i + 1 < KERNELS; i++) recorded_us += program.kernels[i].solo_us;
    CHECK_OK(gsim_infer_alone(&predictor, &program, trace, KERNELS, NULL, NULL, &alone, &error), error);
    CHECK_INT(alone.kernels, KERNELS - 1);
    CHECK(alone.rounds > 1 && alone.rounds <= GSIM_ALONE_ROUNDS);
    CHECK_MSG(alone.before > 0.1 && alone.left < 0.01, "%g off before, %g after", alone.before, alone.left);
    for (uint32_t i = 0; i + 1 < KERNELS; i++) {
        CHECK_MSG(fabs(program.kernels[i].solo_us / alone_us[i] - 1) < 0.03, "kernel %u: %g us alone, found %g", i,
                  alone_us[i], program.kernels[i].solo_us);
        sum_us += program.kernels[i].solo_us;
    }
    CHECK(program.kernels[KERNELS - 1].solo_us == last_us); /* ran alone */
    CHECK_NEAR(alone.recorded_us, recorded_us, 1e-6);
    CHECK_NEAR(alone.alone_us, sum_us, 1e-6);
}

/* Of one stream, as a graph's kernels are, or without times: nothing is known of kernels beside them. */
static void others_stay(void)
{
    struct gsim_error error = {0};
    struct gsim_alone alone;
    double before_us = program.kernels[0].solo_us;
    for (int unknown = 0; unknown < 2; unknown++) {
        struct gsim_recorded_op ops[KERNELS];
        for (uint32_t i = 0; i < KERNELS; i++) {
            ops[i] = trace[i];
            ops[i].stream = 7;
            if (unknown) ops[i].start_us = ops[i].end_us = NAN;
        }
        CHECK_OK(gsim_infer_alone(&predictor, &program, ops, KERNELS, NULL, NULL, &alone, &error), error);
        CHECK_INT(alone.kernels, 0);
        CHECK_INT(alone.rounds, 0);
        CHECK(program.kernels[0].solo_us == before_us);
    }
}

static void failure_changes_nothing(void)
{
    struct gsim_error error = {0};
    struct gsim_alone alone;
    uint32_t threads = program.kernels[0].block.x;
    double before_us = program.kernels[1].solo_us;
    program.kernels[0].block.x = 1u << 20;
    CHECK(gsim_infer_alone(&predictor, &program, trace, KERNELS, NULL, NULL, &alone, &error) == GSIM_INPUT);
    CHECK(program.kernels[1].solo_us == before_us);
    program.kernels[0].block.x = threads;
}

static void release(void)
{
    gsim_program_release(&program);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"program is made", program_is_made},
    {"trace is taken", trace_is_taken},
    {"times alone come back", times_alone_come_back},
    {"others stay", others_stay},
    {"failure changes nothing", failure_changes_nothing},
    {"release", release},
};
TEST_MAIN("sim/alone", cases)
