/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels on an H100 (traces/h100/mega.json.gz): 16 task graphs (layers, random, chains, joins of up to 200 tasks) of 880 to
 * 3,094 tasks of 0.7 to 140 us of arithmetic, each run as preset order, as a queue on the GPU, by a host scheduler with one and two tasks
 * for each worker over PCIe, and as a CUDA graph of kernels of one block. What launch and synchronise took there is taken from the
 * recording (empty_us), as it does of no interest here.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "gpusim/simulate.h"
#include "sim/device/device.h"
#include "sim/program/file.h"
#include "tests/test.h"

enum { GRAPHS = 16, MODES = 5 };

struct mode {
    const char *key, *scheduler, *options; /* of the recording; "name=value ..." */
    double most_error;
};

static const struct mode modes[MODES] = {
    {"static_us", "persistent", "mode=static", 0.08},
    {"queue_us", "persistent", "mode=queue", 0.08},
    {"host_depth1_us", "persistent", "mode=copilot depth=1", 0.08},
    {"host_depth2_us", "persistent", "mode=copilot depth=2", 0.08},
    {"graph_us", "cudagraph", NULL, 0.08},
};

static struct gsim_device_spec device;
static cJSON *recorded;
static double predicted[GRAPHS][MODES];

static double number(const cJSON *object, const char *name) { return cJSON_GetObjectItem(object, name)->valuedouble; }

static void load(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h100/mega.json.gz", &length, &error);
    CHECK_OK(error.status, error);
    recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
}

/* A task of so many rounds: a line through what was recorded of six lengths, 0.1 % off at most from 1,000 on. */
static double task_us(double rounds)
{
    const cJSON *table = cJSON_GetObjectItem(recorded, "task_us");
    double slope = (number(table, "20000") - number(table, "500")) / 19500;
    return number(table, "500") + (rounds - 500) * slope;
}

static void add_task(struct gsim_builder *b, const cJSON *task)
{
    struct gsim_kernel kernel = {.name = "task", .grid = {1, 1, 1}, .block = {32, 1, 1}, .demand_given = true};
    kernel.thread_cycles = task_us(cJSON_GetArrayItem(task, 0)->valuedouble) * device.clock_mhz;
    uint32_t after[256], count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetArrayItem(task, 1)) after[count++] = (uint32_t)item->valuedouble;
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .after = after,
                                         .after_count = count, .stream = -1});
}

static void set_options(const struct mode *mode, const struct gsim_scheduler_ops *ops, void *params)
{
    struct gsim_error error = {0};
    gsim_params_set_defaults(ops->params, params);
    for (const char *at = mode->options; at; at = strchr(at + 1, ' ')) {
        char name[32], value[32];
        CHECK(sscanf(at, " %31[^= ]=%31[^ ]", name, value) == 2);
        CHECK_OK(gsim_params_set(ops->params, params, name, value, &error), error);
    }
}

/* Of the second iteration: a resident kernel's own time, or, of a graph, of its nodes. */
static double device_us(const struct gsim_timeline *t)
{
    if (t->resident_count) return gsim_time_us(t->residents[t->resident_count - 1].end - t->residents[t->resident_count - 1].start);
    gsim_time start = GSIM_TIME_NEVER, end = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        if (t->kernels[i].iteration != 1) continue;
        if (t->kernels[i].start < start) start = t->kernels[i].start;
        if (t->kernels[i].end > end) end = t->kernels[i].end;
    }
    return gsim_time_us(end - start);
}

static double predict(const struct gsim_program *program, const struct mode *mode)
{
    double params[64] = {0};
    struct gsim_timeline timeline;
    struct gsim_error error = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(mode->scheduler);
    set_options(mode, ops, params);
    struct gsim_simulation s = {.program = program, .device = &device, .scheduler = ops, .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    CHECK_INT(timeline.kernel_count, 2 * program->kernel_count > 0 ? 2 * program->op_count : 0);
    double us = device_us(&timeline);
    gsim_timeline_release(&timeline);
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
        for (int m = 0; m < MODES && g < GRAPHS; m++) predicted[g][m] = predict(&program, &modes[m]) + number(graph, "empty_us");
        gsim_program_release(&program);
        g++;
    }
    CHECK_INT(g, GRAPHS);
}

static void errors(void)
{
    for (int m = 0; m < MODES; m++) {
        double sum = 0, worst = 0;
        for (int g = 0; g < GRAPHS; g++) {
            double error = predicted[g][m] / number(cJSON_GetArrayItem(cJSON_GetObjectItem(recorded, "graphs"), g), modes[m].key) - 1;
            sum += fabs(error);
            if (fabs(error) > fabs(worst)) worst = error;
        }
        CHECK_MSG(sum / GRAPHS <= modes[m].most_error, "%s: mean error %.1f %%, worst %.1f %%", modes[m].key, 100 * sum / GRAPHS, 100 * worst);
    }
}

static int fastest(const double us[MODES])
{
    int best = 0;
    for (int m = 1; m < MODES; m++)
        if (us[m] < us[best]) best = m;
    return best;
}

/* The mode that is predicted to be fastest is, or is within 2 % of it. */
static void winners(void)
{
    int right = 0;
    for (int g = 0; g < GRAPHS; g++) {
        double us[MODES];
        for (int m = 0; m < MODES; m++) us[m] = number(cJSON_GetArrayItem(cJSON_GetObjectItem(recorded, "graphs"), g), modes[m].key);
        right += us[fastest(predicted[g])] <= 1.02 * us[fastest(us)];
    }
    CHECK_MSG(10 * right >= 9 * GRAPHS, "the fastest mode is right in %d of %d graphs", right, GRAPHS);
    cJSON_Delete(recorded);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"predictions", predict_all}, {"mean errors", errors}, {"which mode wins", winners}};
TEST_MAIN("golden/mega", cases)
