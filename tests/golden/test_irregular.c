/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Irregular graphs on an H100 (traces/h100/irregular.json.gz): 15 graphs of 139 to 410 kernels in three shapes, phases
 * of branches, chains and loose ones, each run in ten ways. Kernels' times alone were measured by repeating them;
 * streams read one of four buffers and write another, and what of these is in L2 follows from what ran.
 */
#include <cjson/cJSON.h>
#include <math.h>

#include "gpusim/simulate.h"
#include "sim/base/gz.h"
#include "tests/test.h"

#define GRAPHS 15

/* How a graph is run, and how far off the mean may be. */
static const struct way {
    const char *name, *scheduler, *options;
    bool in_one_stream, is_first; /* is_first: with building and instantiating the graph */
    double bar;
} ways[] = {
    {"one_stream_us", "async", "", true, false, 0.03},
    {"sync_each_us", "serial", "", false, false, 0.03},
    {"streams8_us", "async", "", false, false, 0.06},
    {"window32_2threads_us", "acs-sw", "threads=2", false, false, 0.06},
    {"window32_4threads_us", "acs-sw", "threads=4", false, false, 0.06},
    {"window32_8threads_us", "acs-sw", "threads=8", false, false, 0.065},
    {"window16_8threads_us", "acs-sw", "threads=8 window=16", false, false, 0.06},
    {"window32_4threads_blocking_us", "acs-sw", "threads=4 wait=block", false, false, 0.06},
    {"graph_first_total_us", "cudagraph", "", false, true, 0.06},
    {"graph_relaunch_us", "cudagraph", "", false, false, 0.06},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct gsim_device_spec device;
static cJSON *recorded;
static double predicted[GRAPHS][WAYS], measured[GRAPHS][WAYS];
static int shapes[GRAPHS];

static double number(const cJSON *object, const char *name) { return cJSON_GetObjectItem(object, name)->valuedouble; }

/* This host makes graphs three times as slowly as that of the device file: its own numbers per node, which are recorded
 * apart. */
static void set_graph_calls(void)
{
    static const char *const numbers[2][2] = {{"graph_build_us", "graph_add_node_us"},
                                              {"graph_instantiate_us", "graph_instantiate_node_us"}};
    struct gsim_error error = {0};
    const cJSON *graph;
    for (int i = 0; i < 2; i++) {
        double us = 0, nodes = 0;
        char text[32];
        cJSON_ArrayForEach(graph, cJSON_GetObjectItem(recorded, "graphs"))
        {
            us += number(graph, numbers[i][0]);
            nodes += cJSON_GetArraySize(cJSON_GetObjectItem(graph, "nodes"));
        }
        snprintf(text, sizeof text, "%.6g", us / nodes);
        CHECK_OK(gsim_device_set_number(&device, numbers[i][1], text, &error), error);
    }
}

static void load(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h100/irregular.json.gz", &length, &error);
    CHECK_OK(error.status, error);
    recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    set_graph_calls();
}

/* The node's dependences are the recording's; what its kernel touches is named as read, so that it adds none. */
static void add_node(struct gsim_builder *b, const cJSON *node, bool in_one_stream)
{
    const cJSON *kernels = cJSON_GetObjectItem(recorded, "kernels"),
                *k = cJSON_GetArrayItem(kernels, cJSON_GetArrayItem(node, 0)->valueint);
    const cJSON *item;
    char name[24];
    uint32_t after[64], count = 0, buffer = 2 * (uint32_t)number(k, "buf");
    uint64_t bytes = (uint64_t)number(k, "elems") * 16; /* read from one buffer and written to the other */
    const struct gsim_arg args[2] = {{buffer, true, false, true}, {buffer + 1, true, false, true}};
    const struct gsim_segment segments[2] = {{0, bytes, 0, true, false}, {0, bytes, 1, true, false}};
    bool is_stream = number(k, "buf") >= 0;
    snprintf(name, sizeof name, "%s%d", cJSON_GetObjectItem(k, "type")->valuestring,
             cJSON_GetArrayItem(node, 0)->valueint);
    const struct gsim_kernel kernel = {.name = name,
                                       .grid = {(uint32_t)number(k, "grid"), 1, 1},
                                       .block = {(uint32_t)number(k, "block"), 1, 1},
                                       .regs_per_thread = (uint32_t)number(k, "regs"),
                                       .smem_bytes = (uint32_t)number(k, "smem"),
                                       .flops = number(k, "flops"),
                                       .dram_bytes = number(k, "dram_bytes"),
                                       .demand_given = true,
                                       .solo_us = number(k, "solo_ns") * 1e-3,
                                       .solo_device = "h100-vm"};
    cJSON_ArrayForEach(item, cJSON_GetArrayItem(node, 2)) after[count++] = (uint32_t)item->valuedouble;
    const struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                               .kernel_index = gsim_builder_kernel(b, &kernel),
                               .args = args,
                               .arg_count = is_stream ? 2 : 0,
                               .segments = segments,
                               .segment_count = is_stream ? 2 : 0,
                               .after = after,
                               .after_count = count,
                               .stream = in_one_stream ? 0 : cJSON_GetArrayItem(node, 1)->valueint};
    gsim_builder_op(b, &op);
}

static void set(const struct gsim_scheduler_ops *ops, void *params, const char *options)
{
    struct gsim_error error = {0};
    if (ops->params) gsim_params_set_defaults(ops->params, params);
    for (const char *at = options; at && *at; at = strchr(at + 1, ' ')) {
        char key[64], value[64];
        CHECK(sscanf(at, " %63[^= ]=%63[^ ]", key, value) == 2);
        CHECK_OK(gsim_params_set(ops->params, params, key, value, &error), error);
        if (!strchr(at + 1, ' ')) break;
    }
}

static double predict(const cJSON *graph, const struct way *way)
{
    struct gsim_builder *b = gsim_builder_create("irregular");
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_error error = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(way->scheduler);
    double params[64] = {0};
    const cJSON *node;
    for (int i = 0; i < 8; i++) gsim_builder_buffer(b, (const char[]){(char)('a' + i), 0}, 1 << 26, GSIM_INIT_DEVICE);
    cJSON_ArrayForEach(node, cJSON_GetObjectItem(graph, "nodes")) add_node(b, node, way->in_one_stream);
    CHECK_OK(gsim_builder_finish(b, 2, &program, &error), error);
    set(ops, params, way->options);
    struct gsim_simulation s = {.program = &program,
                                .device = &device,
                                .scheduler = ops,
                                .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    int i = way->is_first ? 0 : 1; /* what is measured is a repetition, but for a graph's first launch */
    double us =
        timeline.iteration_count > 1 ? gsim_time_us(timeline.iterations[i].end - timeline.iterations[i].start) : NAN;
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return us;
}

static void errors(void)
{
    const cJSON *graph;
    int g = 0;
    load();
    cJSON_ArrayForEach(graph, cJSON_GetObjectItem(recorded, "graphs"))
    {
        for (size_t w = 0; w < WAYS && g < GRAPHS; w++) {
            predicted[g][w] = predict(graph, &ways[w]);
            measured[g][w] = number(graph, ways[w].name);
        }
        shapes[g++] = (int)number(graph, "shape");
    }
    CHECK_INT(g, GRAPHS);
    for (size_t w = 0; w < WAYS; w++) {
        double sum = 0, bias = 0;
        for (g = 0; g < GRAPHS; g++) {
            sum += fabs(predicted[g][w] / measured[g][w] - 1) / GRAPHS;
            bias += (predicted[g][w] / measured[g][w] - 1) / GRAPHS;
        }
        CHECK_MSG(sum <= ways[w].bar, "%s: mean error %.1f %%, %+.1f %% on average", ways[w].name, 100 * sum,
                  100 * bias);
    }
}

/* Of two ways that differ by more than 5 %, which one is the faster. */
static void ranks(void)
{
    int right = 0, wrong = 0;
    for (int g = 0; g < GRAPHS; g++)
        for (size_t a = 0; a < WAYS; a++)
            for (size_t b = a + 1; b < WAYS; b++) {
                if (fabs(measured[g][a] / measured[g][b] - 1) <= 0.05) continue;
                bool same = (measured[g][a] < measured[g][b]) == (predicted[g][a] < predicted[g][b]);
                right += same;
                wrong += !same;
            }
    double tau = (double)(right - wrong) / (right + wrong);
    CHECK_MSG(tau >= 0.9, "tau %.3f over %d pairs", tau, right + wrong);
}

/* The best window of each graph against one stream: what it wins on phases of branches and on loose kernels, and loses
 * on chains. */
static void what_a_window_is_worth(void)
{
    static const double wanted[3] = {1.4, 0.8, 3.9};
    for (int shape = 0; shape < 3; shape++) {
        double most_predicted = 0, most_measured = 0;
        for (int g = 0; g < GRAPHS; g++) {
            if (shapes[g] != shape) continue;
            for (size_t w = 3; w <= 6; w++) {
                bool counts = shape == 1 ? w == 4 : true; /* chains: four threads, as for the mean */
                if (!counts) continue;
                most_predicted = fmax(most_predicted, predicted[g][0] / predicted[g][w]);
                most_measured = fmax(most_measured, measured[g][0] / measured[g][w]);
            }
        }
        CHECK_NEAR(most_predicted / most_measured, 1, 0.15);
        if (shape != 1) CHECK(most_predicted > 0.85 * wanted[shape]);
        else CHECK(most_predicted < 1);
    }
}

static const struct test_case cases[] = {
    {"ten ways", errors},
    {"ranks", ranks},
    {"what a window is worth", what_a_window_is_worth},
};

TEST_MAIN("golden/irregular", cases)
