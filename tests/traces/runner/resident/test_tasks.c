/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels as the runner has them, with threads of the CPU in place of workers of a GPU: random graphs in each
 * mode, three launches each, in which every task must run once, behind what it follows, and see what that wrote. What
 * the check itself would find, too.
 */
#include <pthread.h>

#include "gpusim/memory.h"
#include "gpusim/random.h"
#include "tests/test.h"
#include "traces/runner/resident/board.h"
#include "traces/runner/resident/idle.h"
#include "traces/runner/resident/worker.h"

enum { OPS = 60, WORKERS = 3, LAUNCHES = 3, EDGES = OPS * 4, LIMIT_S = 600 };

struct graph {
    struct gsim_op ops[OPS];
    const struct gsim_op *list[OPS];
    struct gsim_kernel kernels[OPS];
    uint32_t starts[OPS + 1], after[EDGES], order[OPS];
    struct gsim_persistent plan;
};

static void draw(struct graph *g, const struct gsim_random *numbers, const struct gsim_persistent *style)
{
    uint32_t edges = 0;
    for (uint32_t i = 0; i < OPS; i++) {
        uint32_t blocks = gsim_random_integer(numbers, 4) ? 1 : 1 + gsim_random_integer(numbers, 100);
        uint32_t count = i ? gsim_random_integer(numbers, 4) : 0;
        g->kernels[i] = (struct gsim_kernel){
            .name = "task", .grid = {blocks, 1, 1}, .block = {32 * (1 + i % 4), 1, 1}, .smem_bytes = i};
        g->ops[i] = (struct gsim_op){.kind = GSIM_OP_KERNEL, .index = i, .kernel_index = i};
        g->list[i] = &g->ops[i];
        g->order[i] = i;
        g->starts[i] = edges;
        for (uint32_t e = 0; e < count && e < i; e++)
            g->after[edges++] = i / (count < i ? count : i) * e + gsim_random_integer(numbers, 2) * (e + 1 == i);
        for (uint32_t e = g->starts[i]; e < edges; e++)
            if (g->after[e] >= i) g->after[e] = i - 1;
    }
    g->starts[OPS] = edges;
    g->plan = *style;
    g->plan.ops = g->list;
    g->plan.op_count = OPS;
    g->plan.after_start = g->starts;
    g->plan.after = g->after;
}

/* Nanoseconds here. */
static uint64_t cycles(const void *data, const struct gsim_op *op)
{
    (void)data;
    return op->index * 37 % 50 * 40;
}

struct thread {
    pthread_t thread;
    const struct gsim_tasks_view *view;
    uint32_t index;
};

static void *work(void *argument)
{
    const struct thread *t = argument;
    gsim_worker_run(t->view, t->index);
    return NULL;
}

static void launch(struct gsim_tasks_tables *tasks, struct gsim_host_board *board, uint32_t number)
{
    struct thread threads[WORKERS];
    struct gsim_error error = {0};
    tasks->view.launch = number;
    tasks->view.verifies = number != 2; /* values of launch 1 must not do for launch 3 */
    tasks->view.limit_ns = (uint64_t)LIMIT_S * 1000000000u;
    for (uint32_t i = 0; i < WORKERS; i++) {
        threads[i] = (struct thread){.view = &tasks->view, .index = i};
        CHECK_INT(pthread_create(&threads[i].thread, NULL, work, &threads[i]), 0);
    }
    if (board) CHECK_OK(gsim_host_board_run(board, tasks->view.limit_ns, &error), error);
    for (uint32_t i = 0; i < WORKERS; i++) pthread_join(threads[i].thread, NULL);
    CHECK_OK(gsim_tasks_check(tasks, tasks->view.stamps, tasks->view.values, number, tasks->view.verifies, &error),
             error);
}

static void launch_all(struct gsim_tasks_tables *tasks)
{
    bool is_host = tasks->view.mode == GSIM_PERSISTENT_COPILOT;
    struct gsim_tasks_slot *slots = gsim_alloc(sizeof *slots * WORKERS * tasks->view.depth);
    struct gsim_tasks_report *reports = gsim_alloc(sizeof *reports * WORKERS);
    struct gsim_host_board *board = is_host ? gsim_host_board_create(tasks, slots, reports) : NULL;
    tasks->view.slots = slots;
    tasks->view.reports = reports;
    CHECK(!is_host == !board);
    for (uint32_t i = 1; i <= LAUNCHES; i++) launch(tasks, board, i);
    gsim_host_board_destroy(board);
    gsim_free(slots);
    gsim_free(reports);
}

/* All time of all workers is in tasks, late or limited. */
static void check_idle(const struct gsim_tasks_tables *tasks)
{
    struct gsim_resident_record record = {0};
    uint64_t start, end, busy = 0;
    gsim_tasks_idle(tasks, tasks->view.stamps, &record, &start, &end);
    for (uint32_t i = 0; i < tasks->view.task_count; i++)
        busy += tasks->view.stamps[i].end_ns - tasks->view.stamps[i].start_ns;
    CHECK_NEAR(record.busy_us, (double)busy * 1e-3, 1e-6);
    CHECK_NEAR(record.busy_us + record.late_us + record.limited_us, (double)(end - start) * 1e-3 * WORKERS, 1e-6);
}

static void run(const struct gsim_persistent *style, uint64_t seed)
{
    struct gsim_random numbers = {0};
    struct gsim_error error = {0};
    struct gsim_tasks_tables tasks;
    struct graph *g = gsim_alloc(sizeof *g);
    CHECK_OK(gsim_random_init(&numbers, seed, &error), error);
    draw(g, &numbers, style);
    CHECK_OK(gsim_tasks_make(&tasks, &g->plan, g->kernels, WORKERS, cycles, NULL, &error), error);
    CHECK_INT(tasks.threads, 128);
    CHECK_INT(tasks.smem_bytes, OPS - 1);
    launch_all(&tasks);
    check_idle(&tasks);
    gsim_tasks_release(&tasks);
    gsim_random_release(&numbers);
    gsim_free(g);
}

static void modes(void)
{
    static const struct gsim_persistent styles[] = {
        {.mode = GSIM_PERSISTENT_STATIC},
        {.mode = GSIM_PERSISTENT_STATIC, .fetches_ahead = true},
        {.mode = GSIM_PERSISTENT_BARRIER},
        {.mode = GSIM_PERSISTENT_QUEUE},
        {.mode = GSIM_PERSISTENT_CLAIM},
        {.mode = GSIM_PERSISTENT_COPILOT},
        {.mode = GSIM_PERSISTENT_COPILOT, .copilot = {.depth = 2}},
        {.mode = GSIM_PERSISTENT_COPILOT, .copilot = {.depth = 3, .batch = 4, .threads = 2}},
        {.mode = GSIM_PERSISTENT_COPILOT, .copilot = {.depth = 2, .speculates = true, .guess = 1}},
        {.mode = GSIM_PERSISTENT_COPILOT,
         .copilot = {.depth = 4, .batch = 16, .threads = 2, .speculates = true, .guess = 1, .is_global = true}},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        for (uint64_t seed = 1; seed <= 2; seed++) run(&styles[i], seed);
}

static void expect(const struct gsim_persistent *style, struct graph *g, enum gsim_status status, const char *part)
{
    struct gsim_tasks_tables tasks;
    struct gsim_error error = {0};
    g->plan = *style;
    g->plan.ops = g->list;
    g->plan.op_count = OPS;
    g->plan.after_start = g->starts;
    g->plan.after = g->after;
    CHECK_INT(gsim_tasks_make(&tasks, &g->plan, g->kernels, WORKERS, cycles, NULL, &error), status);
    CHECK_MSG(strstr(error.message, part) != NULL, "found '%s', expected '%s'", error.message, part);
    gsim_tasks_release(&tasks);
}

static void refusals(void)
{
    struct gsim_random numbers = {0};
    struct gsim_error error = {0};
    struct graph *g = gsim_alloc(sizeof *g);
    CHECK_OK(gsim_random_init(&numbers, 1, &error), error);
    draw(g, &numbers, &(struct gsim_persistent){0});
    expect(&(struct gsim_persistent){.mode = GSIM_PERSISTENT_SCHED_WARPS}, g, GSIM_SIM, "found sched-warps");
    expect(&(struct gsim_persistent){.mode = GSIM_PERSISTENT_COPILOT, .copilot = {.bypasses = true}}, g, GSIM_SIM,
           "bypass=off");
    expect(&(struct gsim_persistent){.mode = GSIM_PERSISTENT_COPILOT, .copilot = {.speculates = true, .guess = 0.5}}, g,
           GSIM_SIM, "guess=1");
    g->order[0] = 1;
    expect(&(struct gsim_persistent){.order = g->order}, g, GSIM_INPUT, "entry 1 twice");
    g->order[0] = OPS - 1;
    g->order[OPS - 1] = 0;
    g->after[g->starts[OPS] - 1] = 0; /* of the last op, if it follows any */
    bool follows = g->starts[OPS] > g->starts[OPS - 1];
    if (follows)
        expect(&(struct gsim_persistent){.order = g->order}, g, GSIM_INPUT,
               "it follows: its worker would wait for ever");
    CHECK(follows);
    g->kernels[2].grid = (struct gsim_dim3){131072, 32768, 1}; /* 2^32 blocks */
    expect(&(struct gsim_persistent){0}, g, GSIM_INPUT, "ops[2] has 4294967296 blocks: expected 4294967295 at most");
    gsim_random_release(&numbers);
    gsim_free(g);
}

/* Two ops, one behind the other, and what goes wrong with them. */
static void what_the_check_finds(void)
{
    const struct gsim_kernel kernel = {.name = "task", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    const struct gsim_op ops[2] = {{.kind = GSIM_OP_KERNEL, .index = 3}, {.kind = GSIM_OP_KERNEL, .index = 4}},
                         *list[2] = {&ops[0], &ops[1]};
    static const uint32_t starts[3] = {0, 0, 1}, after[1] = {0};
    const struct gsim_persistent plan = {.ops = list, .op_count = 2, .after_start = starts, .after = after};
    struct gsim_tasks_tables tasks;
    struct gsim_error error = {0};
    CHECK_OK(gsim_tasks_make(&tasks, &plan, &kernel, 1, cycles, NULL, &error), error);
    struct gsim_tasks_stamp stamps[2] = {{.start_ns = 1, .end_ns = 5, .runs = 1, .launch = 1},
                                         {.start_ns = 5, .end_ns = 9, .runs = 1, .launch = 1}};
    uint64_t values[2] = {gsim_tasks_value(0, 1, 0), 0};
    values[1] = gsim_tasks_value(1, 1, values[0]);
    CHECK_OK(gsim_tasks_check(&tasks, stamps, values, 1, true, &error), error);
    stamps[1].start_ns = 3;
    CHECK_INT(gsim_tasks_check(&tasks, stamps, values, 1, true, &error), GSIM_SIM);
    CHECK_STR(error.message, "persistent kernel: ops[4] began 2 ns before the end of ops[3], which it follows");
    stamps[1].start_ns = 5;
    values[1] = gsim_tasks_value(1, 1, 0);
    CHECK_INT(gsim_tasks_check(&tasks, stamps, values, 1, true, &error), GSIM_SIM);
    CHECK_MSG(strstr(error.message, "ops[4] did not see") != NULL, "found '%s'", error.message);
    CHECK_OK(gsim_tasks_check(&tasks, stamps, values, 1, false, &error), error);
    stamps[0].runs = 2;
    CHECK_INT(gsim_tasks_check(&tasks, stamps, values, 1, false, &error), GSIM_SIM);
    CHECK_STR(error.message, "persistent kernel: task 0 of ops[3] ran 2 times in 1 launches, last in launch 1");
    gsim_tasks_release(&tasks);
}

/* A worker has up to 16 tasks of an op, so many workers have so many that their sum leaves 32 bits. The tables are
 * never made. */
static void too_many_tasks(void)
{
    static const uint32_t starts[301] = {0};
    const struct gsim_kernel kernel = {.name = "task", .grid = {1u << 24, 1, 1}, .block = {32, 1, 1}};
    const struct gsim_op op = {.kind = GSIM_OP_KERNEL}, *list[300];
    for (int i = 0; i < 300; i++) list[i] = &op;
    const struct gsim_persistent plan = {.ops = list, .op_count = 300, .after_start = starts};
    struct gsim_tasks_tables tasks;
    struct gsim_error error = {0};
    CHECK_INT(gsim_tasks_make(&tasks, &plan, &kernel, 1u << 20, cycles, NULL, &error), GSIM_INPUT);
    CHECK_MSG(strstr(error.message, "first 3 ops are more than 33554432 tasks for 1048576 workers") != NULL,
              "found '%s'", error.message);
    gsim_tasks_release(&tasks);
}

static const struct test_case cases[] = {{"random graphs in every mode", modes},
                                         {"refusals", refusals},
                                         {"too many tasks", too_many_tasks},
                                         {"what the check finds", what_the_check_finds}};
TEST_MAIN("traces/runner/resident/tasks", cases)
