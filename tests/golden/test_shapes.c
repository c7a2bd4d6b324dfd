/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What forks and joins cost in graphs (traces/runner/micro/shapes.cu, traces/h200/vm/shapes.txt): the time of a graph
 * beyond that of a chain as long as its longest path. Joins of one root's descendants cost little there, joins of two
 * roots' 1.2 us (captured) to 1.9 (built node by node) more than the next node of a chain, behind kernels of 0 to 40 us
 * alike. Kernels and chains themselves are other tests'.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/device/device.h"
#include "gpusim/simulate.h"
#include "tests/test.h"

enum { MAX_NODES = 12, MAX_AFTER = 4, LENGTHS = 3, CHAINS = 5 };

struct shape {
    const char *name, *after; /* of each node but the first, what it waits for; nodes end with ';' */
    int length;               /* nodes on the longest path */
    bool joins_roots;
};

static const struct shape shapes[] = {
    {"chain1", "", 1, false},
    {"chain2", "0;", 2, false},
    {"chain4", "0;1;2;", 4, false},
    {"chain6", "0;1;2;3;4;", 6, false},
    {"chain12", "0;1;2;3;4;5;6;7;8;9;10;", 12, false},
    {"roots3", ";;", 1, false},
    {"roots3_join", ";;0 1 2;", 2, true},
    {"roots3_join_chain", ";;0 1 2;3;4;", 4, true},
    {"fork2_join", "0;0;1 2;", 3, false},
    {"fork2_join_x2", "0;0;1 2;3;3;4 5;", 5, false},
    {"fork4_join", "0;0;0;0;1 2 3 4;", 3, false},
    {"skip", "0;1;0 2;", 4, false},
    {"skip_all", "0;0 1;0 1 2;0 1 2 3;", 5, false},
    {"two_chains3", ";0;1;2;3;", 3, false},
    {"two_chains3_join", ";0;1;2;3;4 5;", 4, true},
    {"three_chains2_join", ";;0;1;2;3 4 5;", 3, true},
    {"late_join", ";1;2;3;0 4;", 5, true},
    {"img", ";;0;1;4;4;4 5 6;2;8 1 7;9 0 3;", 6, true},
    {"img_no_skip", ";;0;1;4;4;5 6;2;8 7;9 3;", 6, true},
    {"img_one_root", "0;1;1;2 3;4;5;", 6, false},
    {"ladder", ";0 1;0 1;2 3;2 3;4 5;4 5;6 7;6 7;", 5, true},
    {"braid", ";0 1;1;2 3;3;4 5;5;6 7;", 5, true},
    {"ladder_one_root", "0;0;1 2;1 2;3 4;3 4;5 6;5 6;", 5, false},
    {"hits", ";0;1;2;3;1 4;0 5;6;7;8;9;", 6, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };
static const double lengths_us[LENGTHS] = {0.5, 5, 40};
static const int chain_lengths[CHAINS] = {1, 2, 4, 6, 12};

/* --- measured: means of the four graphs of each kind --- */
static double measured_us[SHAPES][LENGTHS];

static void recordings_are_read(void)
{
    char line[160], kind[16], name[32];
    int count[SHAPES][LENGTHS] = {{0}}, blocks, rep;
    double kernel_us, us;
    FILE *file = fopen(GPUSIM_SOURCE_DIR "/traces/h200/vm/shapes.txt", "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        CHECK_INT(
            sscanf(line, "%15s %31s blocks %d us %lf rep %d median %lf", kind, name, &blocks, &kernel_us, &rep, &us),
            6);
        for (int s = 0; s < SHAPES; s++)
            for (int i = 0; i < LENGTHS; i++)
                if (strcmp(shapes[s].name, name) == 0 && lengths_us[i] == kernel_us)
                    measured_us[s][i] += us, count[s][i]++;
    }
    if (file) fclose(file);
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < LENGTHS; i++) {
            CHECK_INT(count[s][i], 8);
            measured_us[s][i] /= 8;
        }
}

/* --- simulated --- */
static const struct shape *now;

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream stream = gsim_stream_create(d, 0);
    gsim_graph graph = gsim_graph_create(d);
    const char *at = now->after;
    gsim_graph_node after[MAX_AFTER];
    for (uint32_t n = 0; n < run->program->op_count; n++) {
        uint32_t count = 0;
        for (; n && *at != ';'; at += strspn(at, " ")) {
            char *end;
            after[count++] = (gsim_graph_node)strtoul(at, &end, 10);
            at = end;
        }
        at += n > 0;
        gsim_graph_add(d, graph, &run->program->ops[n], after, count);
    }
    gsim_graph_exec exec = gsim_graph_instantiate(d, graph);
    for (uint32_t i = 0; i < run->iterations; i++) {
        gsim_iteration_begin(d, i);
        gsim_graph_launch(d, exec, stream);
        gsim_stream_synchronize(d, stream);
        gsim_iteration_end(d, i);
    }
    (void)error;
    return gsim_driver_failed(d) ? d->error.status : GSIM_OK;
}

static double simulated_us(const struct gsim_device_spec *device, const struct shape *shape, double kernel_us)
{
    static const struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "shapes", .execute = execute};
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_builder *b = gsim_builder_create("shapes");
    struct gsim_kernel k = {.name = "spin",
                            .grid = {4, 1, 1},
                            .block = {32, 1, 1},
                            .regs_per_thread = 16,
                            .demand_given = true,
                            .solo_us = kernel_us};
    uint32_t kernel_index = gsim_builder_kernel(b, &k), nodes = 1;
    for (const char *c = shape->after; *c; c++) nodes += *c == ';';
    for (uint32_t i = 0; i < nodes; i++)
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = kernel_index, .stream = -1});
    CHECK(nodes <= MAX_NODES);
    CHECK_OK(gsim_builder_finish(b, 2, &program, &error), error);
    struct gsim_simulation simulation = {.program = &program, .device = device, .scheduler = &scheduler,
                                         .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    now = shape;
    CHECK_OK(gsim_simulate(&simulation, &timeline, &error), error);
    double us = gsim_time_us(timeline.iterations[1].end - timeline.iterations[1].start);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return us;
}

/* US[0 .. CHAINS) are chains' times: that of one of LENGTH nodes. */
static double chain_us(const double us[CHAINS], int length)
{
    int i = 1;
    while (chain_lengths[i] < length) i++;
    double share = (double)(length - chain_lengths[i - 1]) / (chain_lengths[i] - chain_lengths[i - 1]);
    return us[i - 1] + share * (us[i] - us[i - 1]);
}

static void forks_and_joins(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    CHECK_OK(gsim_device_load("h200-vm", &device, &error), error);
    double sum = 0, joins = 0;
    int count = 0, join_count = 0;
    for (int i = 0; i < LENGTHS; i++) {
        double simulated[SHAPES], measured[SHAPES];
        for (int s = 0; s < SHAPES; s++) {
            simulated[s] = simulated_us(&device, &shapes[s], lengths_us[i]);
            measured[s] = measured_us[s][i];
        }
        for (int s = CHAINS; s < SHAPES; s++) {
            double extra = simulated[s] - chain_us(simulated, shapes[s].length);
            double right = measured[s] - chain_us(measured, shapes[s].length);
            CHECK_MSG(fabs(extra - right) <= 1.2, "%s, %g us: %.2f us more than a chain, measured %.2f", shapes[s].name,
                      lengths_us[i], extra, right);
            sum += fabs(extra - right), count++;
            if (shapes[s].joins_roots) joins += extra - right, join_count++;
        }
    }
    CHECK_MSG(sum / count <= 0.58 && sum / count >= 0.3, "%.2f us off on average", sum / count);
    CHECK_MSG(fabs(joins / join_count - 0.49) <= 0.08, "joins of roots: %+.2f us on average, as they were +0.49",
              joins / join_count);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"the recordings are read", recordings_are_read},
    {"forks and joins", forks_and_joins},
};
TEST_MAIN("golden/shapes", cases)
