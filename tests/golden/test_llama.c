/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One token of Llama-3.2-1B on an H100, 81 kernels: by default 1,169 us, with programmatic dependent launch 1,010, as a
 * persistent kernel 983 (tie-pilot-qxw/pdl-megakernel-reconstruction, as quoted). Assumed are the bandwidth of a kernel
 * alone (78 % of the peak), a tenth of each as its prologue and a trigger half-way, and that half of a worker's 13
 * pages of 16 KiB (Hazy's) takes loads of the next task while one runs; nothing was fitted. The order must be right
 * too. And what four SMs for schedulers cost: MPK says 3 to 4 %.
 */
#include <math.h>

#include "gpusim/simulate.h"
#include "tests/test.h"
#include "gpusim/generator.h"

static struct gsim_device_spec device;

static double run(const struct gsim_program *program, const char *scheduler, const char *const options[][2])
{
    double params[64] = {0};
    struct gsim_timeline timeline;
    struct gsim_error error = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(scheduler);
    gsim_params_set_defaults(ops->params, params);
    for (int i = 0; options && options[i][0]; i++)
        CHECK_OK(gsim_params_set(ops->params, params, options[i][0], options[i][1], &error), error);
    struct gsim_simulation s = {.program = program, .device = &device, .scheduler = ops, .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    double us =
        timeline.iteration_count == 2 ? gsim_time_us(timeline.iterations[1].end - timeline.iterations[1].start) : NAN;
    gsim_timeline_release(&timeline);
    return us;
}

static void llama(void)
{
    static const double published[3] = {1169, 1010, 983};
    struct gsim_error error = {0};
    struct gsim_program plain, programmatic;
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    static const char *const marks[][2] = {{"programmatic", "on"}, {"prologue", "0.1"}, {"trigger", "0.5"}};
    const struct gsim_generator_ops *llm = gsim_generator_find("llm-decode");
    double params[64] = {0};
    gsim_params_set_defaults(llm->params, params);
    CHECK_OK(gsim_params_set(llm->params, params, "jitter", "0", &error), error);
    CHECK_OK(llm->build(params, 1, &plain, &error), error);
    for (int i = 0; i < 3; i++) CHECK_OK(gsim_params_set(llm->params, params, marks[i][0], marks[i][1], &error), error);
    CHECK_OK(llm->build(params, 1, &programmatic, &error), error);
    const double us[3] = {run(&plain, "async", NULL), run(&programmatic, "async", NULL),
                          run(&programmatic, "persistent", NULL)};
    for (int i = 0; i < 3; i++) {
        CHECK_MSG(fabs(us[i] / published[i] - 1) <= 0.1, "%d: %.0f us, published %.0f", i, us[i], published[i]);
        double ratio = us[0] / us[i], its = published[0] / published[i];
        CHECK_MSG(fabs(ratio / its - 1) <= 0.1, "%d: default over it %.3f, published %.3f", i, ratio, its);
    }
    CHECK_MSG(us[0] > us[1] && us[1] > us[2],
              "default, programmatic, persistent: %.0f, %.0f, %.0f us, published 1,169 > 1,010 > 983", us[0], us[1],
              us[2]);
    gsim_program_release(&plain);
    gsim_program_release(&programmatic);
}

/* 128 x 132 tasks of 20 us: 128 a worker on all SMs, 132 on four fewer. */
static void reserved_sms(void)
{
    static const char *const ahead[][2] = {{"mode", "sched-warps"}, {"ahead", "on"}, {"reserved", "4"}, {NULL, NULL}};
    struct gsim_builder *b = gsim_builder_create("tasks");
    struct gsim_program program;
    struct gsim_error error = {0};
    const struct gsim_kernel kernel = {.name = "task", .grid = {132, 1, 1}, .block = {256, 1, 1}, .demand_given = true,
                                       .thread_cycles = 20 * device.clock_mhz};
    for (int i = 0; i < 128; i++)
        gsim_builder_op(b, &(struct gsim_op){
                               .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .stream = -1});
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    double cost = run(&program, "persistent", ahead) / run(&program, "persistent", NULL) - 1;
    CHECK_MSG(cost >= 0.03 && cost <= 0.04, "four SMs cost %.2f %%", 100 * cost);
    gsim_program_release(&program);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"Llama-1B: default, programmatic, persistent", llama},
                                         {"reserved SMs", reserved_sms}};
TEST_MAIN("golden/llama", cases)
