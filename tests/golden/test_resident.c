/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels that gpusim-runner itself ran on an H100 (traces/h100/resident.json.gz): ten task graphs of 1,024 to
 * 2,500 tasks of 1 to 60 us, in each of its modes. No number of the device was fitted to them. An iteration is a launch
 * and a synchronise.
 */
#include "tests/golden/task_graphs.h"

#include <math.h>

#include "gpusim/simulate.h"
#include "tests/test.h"

enum { GRAPHS = 10, MODES = 6, CYCLES = 198 /* a tenth of a microsecond at 1,980 MHz */ };

static const struct mode {
    const char *key, *options;
    double most_error, worst; /* mean of the graphs, and single */
} modes[MODES] = {
    {"static", "mode=static", 0.04, 0.10},
    {"queue", "mode=queue", 0.07, 0.18},
    {"claim", "mode=claim", 0.05, 0.18},
    {"barrier", "mode=barrier", 0.05, 0.12},
    {"copilot", "mode=copilot depth=1", 0.06, 0.18},
    {"copilot_depth2", "mode=copilot depth=2", 0.06, 0.15},
};

static struct gsim_device_spec device;
static double predicted[MODES][GRAPHS], measured[MODES][GRAPHS];

static double cycles_of(double tenths) { return CYCLES * tenths; }

static void predict_all(void)
{
    const cJSON *graph;
    int g = 0;
    cJSON *recorded = task_graphs_load(GPUSIM_SOURCE_DIR "/traces/h100/resident.json.gz", "h100-vm", &device);
    cJSON_ArrayForEach(graph, cJSON_GetObjectItem(recorded, "graphs"))
    {
        struct gsim_program program;
        task_graph_program(graph, cycles_of, &program);
        for (int m = 0; m < MODES && g < GRAPHS; m++) {
            struct gsim_timeline t = task_graph_run(&program, &device, "persistent", modes[m].options);
            predicted[m][g] = t.iteration_count == 2 ? gsim_time_us(t.iterations[1].end - t.iterations[1].start) : NAN;
            measured[m][g] = cJSON_GetObjectItem(cJSON_GetObjectItem(graph, "us"), modes[m].key)->valuedouble;
            gsim_timeline_release(&t);
        }
        gsim_program_release(&program);
        g++;
    }
    CHECK_INT(g, GRAPHS);
    cJSON_Delete(recorded);
}

static void errors(void)
{
    for (int m = 0; m < MODES; m++) {
        struct task_graph_error e = task_graph_error(predicted[m], measured[m], GRAPHS);
        CHECK_MSG(e.mean <= modes[m].most_error && fabs(e.worst) <= modes[m].worst,
                  "%s: mean error %.1f %%, worst %.1f %%", modes[m].key, 100 * e.mean, 100 * e.worst);
    }
}

/* The mode that is predicted to be fastest is, or is within 3 % of it. */
static void winners(void)
{
    int right = task_graph_winners(&predicted[0][0], &measured[0][0], MODES, GRAPHS, 1.03);
    CHECK_MSG(10 * right >= 9 * GRAPHS, "the fastest mode is right in %d of %d graphs", right, GRAPHS);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"predictions", predict_all}, {"mean errors", errors}, {"which mode wins", winners}};
TEST_MAIN("golden/resident", cases)
