/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels that gpusim-runner itself ran on an H100 (traces/h100/resident.json.gz): ten task graphs of 1,024 to 2,500 tasks of 1 to
 * 60 us, in each of its modes. No number of the device was fitted to them. An iteration is a launch and a synchronise.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "gpusim/simulate.h"
#include "sim/device/device.h"
#include "sim/program/file.h"
#include "tests/test.h"

enum { GRAPHS = 10, CYCLES = 198 /* a tenth of a microsecond at 1,980 MHz */ };

static const struct mode {
    const char *key, *mode, *depth;
    double most_error, worst; /* mean of the graphs, and single */
} modes[] = {
    {"static", "static", "1", 0.04, 0.10},       {"queue", "queue", "1", 0.07, 0.18},     {"claim", "claim", "1", 0.05, 0.18},
    {"barrier", "barrier", "1", 0.05, 0.12}, {"copilot", "copilot", "1", 0.06, 0.18}, {"copilot_depth2", "copilot", "2", 0.06, 0.15},
};
#define MODES (sizeof modes / sizeof *modes)

static struct gsim_device_spec device;
static cJSON *recorded;
static double predicted[GRAPHS][MODES], measured[GRAPHS][MODES];

static void load(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h100/resident.json.gz", &length, &error);
    CHECK_OK(error.status, error);
    recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
}

static void add_task(struct gsim_builder *b, const cJSON *task)
{
    struct gsim_kernel kernel = {.name = "task", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs_per_thread = 32, .demand_given = true};
    uint32_t after[256], count = 0;
    const cJSON *item;
    kernel.thread_cycles = CYCLES * cJSON_GetArrayItem(task, 0)->valuedouble;
    cJSON_ArrayForEach(item, cJSON_GetArrayItem(task, 1)) after[count++] = (uint32_t)item->valuedouble;
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .after = after,
                                         .after_count = count, .stream = -1});
}

static double predict(const struct gsim_program *program, const struct mode *mode)
{
    double params[64] = {0};
    struct gsim_timeline t;
    struct gsim_error error = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find("persistent");
    gsim_params_set_defaults(ops->params, params);
    CHECK_OK(gsim_params_set(ops->params, params, "mode", mode->mode, &error), error);
    CHECK_OK(gsim_params_set(ops->params, params, "depth", mode->depth, &error), error);
    struct gsim_simulation s = {.program = program, .device = &device, .scheduler = ops, .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &t, &error), error);
    double us = t.iteration_count == 2 ? gsim_time_us(t.iterations[1].end - t.iterations[1].start) : NAN;
    gsim_timeline_release(&t);
    return us;
}

static void predict_all(void)
{
    const cJSON *graph, *task;
    int g = 0;
    load();
    cJSON_ArrayForEach(graph, cJSON_GetObjectItem(recorded, "graphs"))
    {
        struct gsim_builder *b = gsim_builder_create("graph");
        struct gsim_program program;
        struct gsim_error error = {0};
        cJSON_ArrayForEach(task, cJSON_GetObjectItem(graph, "tasks")) add_task(b, task);
        CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
        for (size_t m = 0; m < MODES && g < GRAPHS; m++) {
            predicted[g][m] = predict(&program, &modes[m]);
            measured[g][m] = cJSON_GetObjectItem(cJSON_GetObjectItem(graph, "us"), modes[m].key)->valuedouble;
        }
        gsim_program_release(&program);
        g++;
    }
    CHECK_INT(g, GRAPHS);
}

static void errors(void)
{
    for (size_t m = 0; m < MODES; m++) {
        double sum = 0, worst = 0;
        for (int g = 0; g < GRAPHS; g++) {
            double error = predicted[g][m] / measured[g][m] - 1;
            sum += fabs(error);
            if (fabs(error) > fabs(worst)) worst = error;
        }
        CHECK_MSG(sum / GRAPHS <= modes[m].most_error && fabs(worst) <= modes[m].worst, "%s: mean error %.1f %%, worst %.1f %%", modes[m].key,
                  100 * sum / GRAPHS, 100 * worst);
    }
}

static size_t fastest(const double us[MODES])
{
    size_t best = 0;
    for (size_t m = 1; m < MODES; m++)
        if (us[m] < us[best]) best = m;
    return best;
}

/* The mode that is predicted to be fastest is, or is within 3 % of it. */
static void winners(void)
{
    int right = 0;
    for (int g = 0; g < GRAPHS; g++) right += measured[g][fastest(predicted[g])] <= 1.03 * measured[g][fastest(measured[g])];
    CHECK_MSG(10 * right >= 9 * GRAPHS, "the fastest mode is right in %d of %d graphs", right, GRAPHS);
    cJSON_Delete(recorded);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"predictions", predict_all}, {"mean errors", errors}, {"which mode wins", winners}};
TEST_MAIN("golden/resident", cases)
