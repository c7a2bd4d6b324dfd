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

/* Each row says what no plan can have: refused with the place and the value, in both kinds of file. */
static void rows(void)
{
    static const struct {
        const char *row, *json, *says;
    } cases[] = {
        {"0,0,-1,0", "\"op\": 0, \"device\": 0, \"stream\": -1", "expected a stream from 0 to 16777215, found -1"},
        {"0,0,4294967296,0", "\"op\": 0, \"device\": 0, \"stream\": 4294967296", "found 4.29497e+09"},
        {"0,0,1e9,0", "\"op\": 0, \"device\": 0, \"stream\": 1e9", "found 1e+09"},
        {"0,0,1.5,0", "\"op\": 0, \"device\": 0, \"stream\": 1.5", "found 1.5"},
        {"0,-1,1,0", "\"op\": 0, \"device\": -1, \"stream\": 1", "expected a device from 0 to 16383, found -1"},
        {"-1,0,1,0", "\"op\": -1, \"device\": 0, \"stream\": 1", "expected an op from 0 to 4294967294, found -1"},
        {"0,0,1,-5", "\"op\": 0, \"device\": 0, \"stream\": 1, \"start_us\": -5", "start_us from 0 to 4e+12, found -5"},
        {"0,0,1,nan", "\"op\": 0, \"device\": 0, \"stream\": 1, \"start_us\": \"x\"",
         "start_us from 0 to 4e+12, found nan"},
        {"0,0,1,1e308", "\"op\": 0, \"device\": 0, \"stream\": 1, \"start_us\": 1e308", "found 1e+308"},
        {"0,0,1,2,3", NULL, "line 1: expected op,device,stream,start_us"},
        {"0,0,1,2x", NULL, "line 1: expected op,device,stream,start_us"},
        {"0,0,", NULL, "line 1: expected op,device,stream,start_us"},
        {"0,0,1,", NULL, "line 1: expected op,device,stream,start_us"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int json = 0; json < (cases[i].json ? 2 : 1); json++) {
            const char *path = json ? "rows.json" : "rows.csv";
            struct gsim_op_plan plan;
            struct gsim_error error = {0};
            FILE *file = fopen(path, "w");
            if (json) fprintf(file, "{\"ops\": [{%s}]}", cases[i].json);
            else fprintf(file, "%s\n", cases[i].row);
            fclose(file);
            CHECK_MSG(gsim_op_plan_read(&plan, path, &error) == GSIM_INPUT, "%s is read", cases[i].row);
            CHECK_HAS(error.message, cases[i].says);
            unlink(path);
        }
}

static const struct test_case cases[] = {
    {"rows that are wrong", rows},
    {"a plan is followed", followed},
    {"plans that are wrong", wrong},
};
TEST_MAIN("sim/record/opplan", cases)
