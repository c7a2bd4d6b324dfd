/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans: what is written reads back; what a run had, followed, has the same GPUs and the same streams' order; a plan
 * that is wrong is told where.
 */
#include "gpusim/opplan.h"

#include <unistd.h>

#include "gpusim/generator.h"
#include "gpusim/placement.h"
#include "gpusim/simulate.h"
#include "tests/test.h"

static struct gsim_program program;
static struct gsim_device_spec device;

/* A Cholesky of 5 tiles: 35 kernels. */
static void begin(void)
{
    const struct gsim_generator_ops *generator = gsim_generator_find("cholesky");
    struct gsim_error error = {0};
    void *params = gsim_alloc(generator->params_size);
    gsim_params_set_defaults(generator->params, params);
    CHECK_OK(gsim_params_set(generator->params, params, "tiles", "5", &error), error);
    CHECK_OK(generator->build(params, 1, &program, &error), error);
    gsim_free(params);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
}

static void end(void)
{
    gsim_program_release(&program);
    gsim_device_release(&device);
}

static enum gsim_status run(const struct gsim_scheduler_ops *scheduler, const char *placement,
                            const struct gsim_op_plan *followed, enum gsim_memory_mode memory,
                            struct gsim_op_plan *plan, double *us, struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    struct gsim_simulation s = {.program = &program,
                                .device = &device,
                                .scheduler = scheduler,
                                .gpu_count = 2,
                                .memory = memory,
                                .seed = 1,
                                .placement = placement ? gsim_placement_find(placement) : NULL,
                                .op_plan = followed};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    enum gsim_status status = gsim_simulate(&s, &timeline, error);
    if (!status) status = gsim_op_plan_make(plan, &timeline, error);
    if (!status) *us = gsim_time_us(timeline.iterations[0].end - timeline.iterations[0].start);
    gsim_timeline_release(&timeline);
    return status;
}

static void followed(void)
{
    static const char *const files[] = {"plan.csv", "plan.json"}, *const schedulers[] = {"heft", "grsched"};
    begin();
    for (int i = 0; i < 2; i++) {
        struct gsim_op_plan made = {0}, read = {0}, again = {0};
        struct gsim_error error = {0};
        double us, again_us;
        CHECK_OK(run(gsim_scheduler_find(schedulers[i]), "round-robin", NULL, GSIM_MEMORY_PINNED, &made, &us, &error),
                 error);
        CHECK_INT(made.count, 35);
        CHECK_OK(gsim_op_plan_write(&made, files[i], &error), error);
        CHECK_OK(gsim_op_plan_read(&read, files[i], &error), error);
        CHECK_INT(read.count, made.count);
        CHECK_OK(run(&gsim_scheduler_plan, NULL, &read, GSIM_MEMORY_PINNED, &again, &again_us, &error), error);
        CHECK_INT(again.count, made.count);
        for (size_t r = 0; r < made.count && r < again.count && r < read.count; r++)
            CHECK(made.rows[r].op == read.rows[r].op && made.rows[r].device == read.rows[r].device &&
                  made.rows[r].stream == read.rows[r].stream && again.rows[r].op == made.rows[r].op &&
                  again.rows[r].device == made.rows[r].device);
        CHECK_MSG(again_us > 0 && again_us < 1.3 * us, "%s took %.1f us, its plan %.1f", schedulers[i], us, again_us);
        unlink(files[i]);
        gsim_op_plan_release(&made);
        gsim_op_plan_release(&read);
        gsim_op_plan_release(&again);
    }
    end();
}

static void wrong(void)
{
    struct gsim_op_plan made = {0}, plan = {0};
    struct gsim_error error = {0};
    double us;
    begin();
    CHECK_OK(run(gsim_scheduler_find("heft"), "heft", NULL, GSIM_MEMORY_PINNED, &made, &us, &error), error);
    struct gsim_op_plan_row first = made.rows[0];
    made.rows[0].device = 2;
    CHECK(run(&gsim_scheduler_plan, NULL, &made, GSIM_MEMORY_PINNED, &plan, &us, &error) == GSIM_INPUT);
    CHECK_HAS(error.message, "is for GPU 2, and there are 2");
    made.rows[0] = made.rows[1];
    error = (struct gsim_error){0};
    CHECK(run(&gsim_scheduler_plan, NULL, &made, GSIM_MEMORY_PINNED, &plan, &us, &error) == GSIM_INPUT);
    CHECK_HAS(error.message, "was planned before");
    made.rows[0] = made.rows[made.count - 1];
    made.rows[made.count - 1] = first;
    error = (struct gsim_error){0};
    CHECK(run(&gsim_scheduler_plan, NULL, &made, GSIM_MEMORY_PINNED, &plan, &us, &error) == GSIM_INPUT);
    CHECK_HAS(error.message, "which it follows");
    made.count--;
    error = (struct gsim_error){0};
    CHECK(run(&gsim_scheduler_plan, NULL, &made, GSIM_MEMORY_PINNED, &plan, &us, &error) == GSIM_INPUT);
    CHECK_HAS(error.message, "is not in it");
    gsim_op_plan_release(&made);
    end();
}

static const struct test_case cases[] = {
    {"a plan is followed", followed},
    {"plans that are wrong", wrong},
};
TEST_MAIN("sim/record/opplan", cases)
