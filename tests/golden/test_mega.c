/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels on an H100 (traces/h100/mega.json.gz): 16 task graphs (layers, random, chains, joins of up to 200
 * tasks) of 880 to 3,094 tasks of 0.7 to 140 us of arithmetic, each run as preset order, as a queue on the GPU, by a
 * host scheduler with one and two tasks for each worker over PCIe, and as a CUDA graph of kernels of one block. What
 * launch and synchronise took there is taken from the recording (empty_us), as it does of no interest here.
 */
#include "tests/golden/task_graphs.h"

#include "gpusim/simulate.h"
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
static double predicted[MODES][GRAPHS], measured[MODES][GRAPHS];

static double number(const cJSON *object, const char *name) { return cJSON_GetObjectItem(object, name)->valuedouble; }

/* A task of so many rounds: a line through what was recorded of six lengths, 0.1 % off at most from 1,000 on. */
static double cycles_of(double rounds)
{
    const cJSON *table = cJSON_GetObjectItem(recorded, "task_us");
    double slope = (number(table, "20000") - number(table, "500")) / 19500;
    return (number(table, "500") + (rounds - 500) * slope) * device.clock_mhz;
}

/* Of the second iteration: a resident kernel's own time, or, of a graph, of its nodes. */
static double device_us(const struct gsim_timeline *t)
{
    if (t->resident_count)
        return gsim_time_us(t->residents[t->resident_count - 1].end - t->residents[t->resident_count - 1].start);
    gsim_time start = GSIM_TIME_NEVER, end = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        if (t->kernels[i].iteration != 1) continue;
        if (t->kernels[i].start < start) start = t->kernels[i].start;
        if (t->kernels[i].end > end) end = t->kernels[i].end;
    }
    return gsim_time_us(end - start);
}

static void predict_all(void)
{
    const cJSON *graph;
    int g = 0;
    recorded = task_graphs_load(GPUSIM_SOURCE_DIR "/traces/h100/mega.json.gz", "h100-vm", &device);
    cJSON_ArrayForEach(graph, cJSON_GetObjectItem(recorded, "graphs"))
    {
        struct gsim_program program;
        task_graph_program(graph, cycles_of, &program);
        for (int m = 0; m < MODES && g < GRAPHS; m++) {
            struct gsim_timeline t = task_graph_run(&program, &device, modes[m].scheduler, modes[m].options);
            CHECK_INT(t.kernel_count, 2 * program.op_count);
            predicted[m][g] = device_us(&t) + number(graph, "empty_us");
            measured[m][g] = number(graph, modes[m].key);
            gsim_timeline_release(&t);
        }
        gsim_program_release(&program);
        g++;
    }
    CHECK_INT(g, GRAPHS);
}

static void errors(void)
{
    for (int m = 0; m < MODES; m++) {
        struct task_graph_error e = task_graph_error(predicted[m], measured[m], GRAPHS);
        CHECK_MSG(e.mean <= modes[m].most_error, "%s: mean error %.1f %%, worst %.1f %%", modes[m].key, 100 * e.mean,
                  100 * e.worst);
    }
}

/* The mode that is predicted to be fastest is, or is within 2 % of it. */
static void winners(void)
{
    int right = task_graph_winners(&predicted[0][0], &measured[0][0], MODES, GRAPHS, 1.02);
    CHECK_MSG(10 * right >= 9 * GRAPHS, "the fastest mode is right in %d of %d graphs", right, GRAPHS);
    cJSON_Delete(recorded);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"predictions", predict_all}, {"mean errors", errors}, {"which mode wins", winners}};
TEST_MAIN("golden/mega", cases)
