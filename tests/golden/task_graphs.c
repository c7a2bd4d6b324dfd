/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See task_graphs.h. */
#include "tests/golden/task_graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/simulate.h"
#include "sim/base/gz.h"
#include "tests/test.h"

enum { AFTER_MAX = 256 };

cJSON *task_graphs_load(const char *file, const char *device_name, struct gsim_device_spec *device)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(file, &length, &error);
    CHECK_OK(error.status, error);
    cJSON *recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load(device_name, device, &error), error);
    return recorded;
}

void task_graph_program(const cJSON *graph, double (*cycles)(double length), struct gsim_program *program)
{
    struct gsim_builder *b = gsim_builder_create("graph");
    struct gsim_error error = {0};
    const cJSON *task, *item;
    cJSON_ArrayForEach(task, cJSON_GetObjectItem(graph, "tasks"))
    {
        struct gsim_kernel kernel = {
            .name = "task", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs_per_thread = 32, .demand_given = true};
        uint32_t after[AFTER_MAX], count = 0;
        kernel.thread_cycles = cycles(cJSON_GetArrayItem(task, 0)->valuedouble);
        cJSON_ArrayForEach(item, cJSON_GetArrayItem(task, 1))
            if (count < AFTER_MAX) after[count++] = (uint32_t)item->valuedouble;
        CHECK_INT(count, cJSON_GetArraySize(cJSON_GetArrayItem(task, 1)));
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .after = after,
                                             .after_count = count,
                                             .stream = -1});
    }
    CHECK_OK(gsim_builder_finish(b, 1, program, &error), error);
}

struct gsim_timeline task_graph_run(const struct gsim_program *program, const struct gsim_device_spec *device,
                                    const char *scheduler, const char *options)
{
    double params[64] = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_error error = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(scheduler);
    gsim_params_set_defaults(ops->params, params);
    for (const char *at = options; at; at = strchr(at + 1, ' ')) {
        char name[32], value[32];
        CHECK(sscanf(at, " %31[^= ]=%31[^ ]", name, value) == 2);
        CHECK_OK(gsim_params_set(ops->params, params, name, value, &error), error);
    }
    struct gsim_simulation s = {.program = program, .device = device, .scheduler = ops, .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    CHECK_INT(timeline.iteration_count, 2);
    return timeline;
}

static int fastest(const double *us, int modes, int count)
{
    int best = 0;
    for (int m = 1; m < modes; m++)
        if (us[m * count] < us[best * count]) best = m;
    return best;
}

int task_graph_winners(const double *predicted, const double *measured, int modes, int count, double slack)
{
    int right = 0;
    for (int g = 0; g < count; g++)
        right += measured[fastest(predicted + g, modes, count) * count + g] <=
                 slack * measured[fastest(measured + g, modes, count) * count + g];
    return right;
}

struct task_graph_error task_graph_error(const double *predicted, const double *measured, int count)
{
    struct task_graph_error e = {0, 0};
    for (int g = 0; g < count; g++) {
        double error = predicted[g] / measured[g] - 1;
        e.mean += fabs(error) / count;
        if (fabs(error) > fabs(e.worst)) e.worst = error;
    }
    return e;
}
