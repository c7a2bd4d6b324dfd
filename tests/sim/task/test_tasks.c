/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where tasks meet: streams and priorities, MPS, parts of the SMs; and what a way of sharing refuses. 4 SMs of 2 blocks
 * of 1024 threads each. */
#include "sim/device/rules.h"
#include "tests/sim/task_fixture.h"

static void side_by_side(void)
{
    static const char *const ways[] = {"streams", "mps"};
    for (int w = 0; w < 2; w++) {
        struct task_fixture f = task_fixture();
        add_kernel_task(&f, "a", 4, 10);
        add_kernel_task(&f, "b", 4, 10);
        share(&f, ways[w]);
        CHECK_TASK_KERNEL(&f, 0, 0, 3, 13);
        CHECK_TASK_KERNEL(&f, 1, 0, 3, 13);
        task_fixture_release(&f);
    }
}

/* A launch of another process than the one before occupies the front end for 2 us, so that the third waits; streams of
 * one process do not, nor where the rule is off. */
static void clients_in_turn(void)
{
    for (int i = 0; i < 3; i++) {
        double wait = i ? 0 : 2;
        struct task_fixture f = task_fixture();
        f.device.client_switch_us = 2;
        if (i == 2) f.device.rules_off = 1ull << GSIM_RULE_CLIENT_SWITCH;
        add_kernel_task(&f, "a", 1, 10);
        add_kernel_task(&f, "b", 1, 10);
        add_kernel_task(&f, "c", 1, 10);
        share(&f, i == 1 ? "streams" : "mps");
        CHECK_TASK_KERNEL(&f, 0, 0, 3, 13);
        CHECK_TASK_KERNEL(&f, 1, 0, 3, 13);
        CHECK_TASK_KERNEL(&f, 2, 0, 3 + wait, 13 + wait);
        task_fixture_release(&f);
    }
}

/* Three launches of 2 us, each 1 us before its kernel: on three cores as alone, on two 1.5 times as long. */
static void cores(void)
{
    for (int cores = 2; cores <= 3; cores++) {
        struct task_fixture f = task_fixture();
        f.device.cores = cores;
        for (int i = 0; i < 3; i++) add_kernel_task(&f, "a", 1, 10);
        share(&f, "mps");
        for (uint32_t i = 0; i < 3; i++)
            CHECK_NEAR(gsim_time_us(kernel_of(&f, i, 0)->start), cores == 2 ? 4 : 3, 1e-6);
        task_fixture_release(&f);
    }
}

/* Two kernels of a graph, 0.5 us apart; under MPS 2 us more, not where the rule is off, nor in a process's streams. */
static void nodes_of_clients(void)
{
    for (int i = 0; i < 3; i++) {
        struct task_fixture f = task_fixture();
        f.device.client_node_us = 2;
        if (i == 2) f.device.rules_off = 1ull << GSIM_RULE_TASK_GRAPHS;
        add_kernel_task(&f, "a", 1, 10)->scheduler = gsim_scheduler_find("cudagraph");
        gsim_program_release(&f.programs[0]);
        struct gsim_builder *b = gsim_builder_create("a");
        struct gsim_kernel kernel = fixture_kernel("k", 1, 1024, 10);
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel)};
        uint32_t first = gsim_builder_op(b, &op);
        op.after = &first;
        op.after_count = 1;
        gsim_builder_op(b, &op);
        CHECK_OK(gsim_builder_finish(b, 1, &f.programs[0], &f.error), f.error);
        share(&f, i == 1 ? "streams" : "mps");
        gsim_time first_end = kernel_of(&f, 0, 0)->end, next = kernel_of(&f, 0, 1)->start;
        CHECK_NEAR(gsim_time_us(next - first_end), i ? 0.5 : 2.5, 1e-6);
        task_fixture_release(&f);
    }
}

/* b: 16 blocks in two waves, 3 to 23. a comes at 5 and is ready at 8: its blocks go before b's second wave if it is
 * more urgent. */
static void priorities(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "b", 16, 10)->priority = 5;
    struct gsim_task *a = add_kernel_task(&f, "a", 8, 10);
    a->start_us = 5;
    share(&f, "streams");
    CHECK_TASK_KERNEL(&f, 1, 0, 13, 23);
    CHECK_TASK_KERNEL(&f, 0, 0, 3, 33);
    f.opts[0] = "priority=off";
    share(&f, "streams");
    CHECK_TASK_KERNEL(&f, 0, 0, 3, 23);
    CHECK_TASK_KERNEL(&f, 1, 0, 23, 33);
    share(&f, "mps");
    CHECK_TASK_KERNEL(&f, 1, 0, 23, 33);
    f.opts[0] = "priority=on";
    share(&f, "mps");
    CHECK_TASK_KERNEL(&f, 1, 0, 13, 23);
    task_fixture_release(&f);
}

/* Two SMs each: 8 blocks take two waves, whatever the other one does. */
static void parts(void)
{
    static const struct {
        const char *way, *opt;
    } ways[] = {{"partition", NULL}, {"partition", "memory=divided"}, {"mps", "percentage=50"}};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct task_fixture f = task_fixture();
        add_kernel_task(&f, "a", 8, 10);
        struct gsim_task *b = add_kernel_task(&f, "b", 8, 10);
        b->start_us = 3;
        f.opts[0] = ways[w].opt;
        share(&f, ways[w].way);
        CHECK_TASK_KERNEL(&f, 0, 0, 3, 23);
        CHECK_TASK_KERNEL(&f, 1, 0, 6, 26);
        task_fixture_release(&f);
    }
}

/* Parts of two SMs or a multiple, and what the others leave: of 8 SMs 2, 4 and 6, or 5 and 3, but neither 3 nor 5
 * alone. A kernel of 16 blocks of which an SM has two at a time takes 16 / 2 / SMs waves of 10 us. */
static void parts_by_number(void)
{
    static const struct {
        uint32_t a, b;
        double us;
        const char *message;
    } rows[] = {{2, 0, 40, NULL},
                {4, 2, 20, NULL},
                {6, 0, 20, NULL},
                {5, 3, 20, NULL},
                {8, 0, 10, NULL},
                {3, 0, 0, "process 0 has 3 SMs: a part has 2 or 4 of the 8, or what the others leave"},
                {2, 5, 0, "process 1 has 5 SMs: a part has 4 or 6 of the 8"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct task_fixture f = task_fixture();
        f.device.sm_count = 8;
        add_kernel_task(&f, "a", 16, 10)->sms = rows[i].a;
        if (rows[i].b) add_kernel_task(&f, "b", 1, 1)->sms = rows[i].b;
        CHECK_INT(try_share(&f, gsim_sharing_find("partition")), rows[i].message ? GSIM_USAGE : GSIM_OK);
        if (rows[i].message) CHECK_HAS(f.error.message, rows[i].message);
        else CHECK_TASK_KERNEL(&f, 0, 0, 3, 3 + rows[i].us);
        task_fixture_release(&f);
    }
}

/* Of 4 SMs an unknown kernel of 8 blocks has two: 20 us, less 0.4 of that for the half that idles as it starts. Not
 * while the others have a request, not where memory is divided, not of two blocks, which have two SMs alone as well,
 * nor without the rule. Of 16 tiles each block takes two of 5 us alone, here 20 us in all, less 0.2 of the half. */
static void idle_others(void)
{
    static const struct {
        uint32_t blocks;
        double b_starts_us, a_ends_us, b_ends_us;
        const char *opt;
        bool is_off;
        uint32_t tiles;
    } runs[] = {{8, 2, 23, 25, NULL, false, 0},
                {8, 10, 19, 33, NULL, false, 0},
                {8, 0, 23, 23, NULL, false, 0},
                {8, 50, 19, 69, NULL, false, 0},
                {2, 50, 13, 69, NULL, false, 0},
                {8, 50, 23, 73, NULL, true, 0},
                {8, 50, 21, 69, NULL, false, 16},
                {8, 50, 23, 73, "memory=divided", false, 0}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct task_fixture f = task_fixture();
        f.device.shared_part = 0.4;
        f.device.tiled_part = 0.2;
        if (runs[i].is_off) f.device.rules_off = 1ull << GSIM_RULE_IDLE_OTHERS;
        for (int t = 0; t < 2; t++) {
            struct step step = {fixture_kernel(t ? "b" : "a", t ? 8 : runs[i].blocks, 1024, 0), 0, true};
            step.kernel.solo_us = 10;
            if (!t && runs[i].tiles) step.kernel.tile_order = GSIM_TILES_DYNAMIC;
            if (!t) step.kernel.tiles = runs[i].tiles;
            add_service(&f, step.kernel.name, &step, 1)->start_us = t ? runs[i].b_starts_us : 0;
        }
        f.opts[0] = runs[i].opt;
        share(&f, "partition");
        CHECK_TASK_KERNEL(&f, 0, 0, 3, runs[i].a_ends_us);
        CHECK_TASK_KERNEL(&f, 1, 0, runs[i].b_starts_us + 3, runs[i].b_ends_us);
        task_fixture_release(&f);
    }
}

/* Kernels that draw on DRAM are in each other's way also from parts of their own, but not where it is divided. */
static void shared_dram(void)
{
    struct gsim_kernel k = {.name = "stream",
                            .grid = {4, 1, 1},
                            .block = {1024, 1, 1},
                            .regs_per_thread = 32,
                            .dram_bytes = 4e6,
                            .demand_given = true};
    const struct step step = {k, 0, true};
    double took[3];
    for (int i = 0; i < 3; i++) {
        struct task_fixture f = task_fixture();
        f.device.dram_gbps = 60;
        add_service(&f, "a", &step, 1)->percentage = 50;
        if (i) add_service(&f, "b", &step, 1);
        else add_kernel_task(&f, "b", 1, 1);
        if (i == 2) f.opts[0] = "memory=divided";
        share(&f, "partition");
        took[i] = f.stats[0].kernel_us;
        task_fixture_release(&f);
    }
    CHECK_MSG(took[1] > 1.2 * took[0], "%.1f us, beside another one %.1f", took[0], took[1]);
    CHECK_MSG(took[2] > took[0], "%.1f us, with half of DRAM %.1f", took[0], took[2]);
}

static void refusals(void)
{
    struct task_fixture f = task_fixture();
    for (uint32_t i = 0; i < 5; i++) add_kernel_task(&f, "t", 8, 10);
    CHECK_INT(try_share(&f, gsim_sharing_find("mps")), GSIM_USAGE);
    CHECK_HAS(f.error.message, "5 processes, and MPS takes 4 clients");
    CHECK_INT(try_share(&f, gsim_sharing_find("partition")), GSIM_USAGE);
    CHECK_HAS(f.error.message, "a part has 2 of them or a multiple");
    CHECK_INT(try_share(&f, gsim_sharing_find("fikit")), GSIM_USAGE);
    CHECK_HAS(f.error.message, "needs a profile");
    f.tasks[1].process = 7;
    CHECK_INT(try_share(&f, gsim_sharing_find("streams")), GSIM_USAGE);
    CHECK_HAS(f.error.message, "its tasks are threads of one process");
    f.tasks[0].percentage = 100;
    f.tasks[1].percentage = 75;
    for (uint32_t i = 2; i < 5; i++) f.tasks[i].process = 7;
    CHECK_INT(try_share(&f, gsim_sharing_find("partition")), GSIM_USAGE);
    CHECK_HAS(f.error.message, "parts that overlap are not simulated");
    task_fixture_release(&f);
}

/* Two tasks of one number are threads of one process, which others see as one context. */
static void processes(void)
{
    struct task_fixture f = task_fixture();
    for (uint32_t i = 0; i < 5; i++) add_kernel_task(&f, "t", 8, 10)->process = i % 2;
    share(&f, "mps");
    CHECK_INT(f.timeline.request_count, 5);
    task_fixture_release(&f);
}

/* Queueing theory: kernels of 10 us that fill the GPU, arrivals at random at half of what it can serve: M/D/1, whose
 * mean wait is r D / (2 (1 - r)) = 5 us. Of 20,000 requests its standard error is 2 to 3 %; 10 % are four of them, and
 * a load of 0.55 is 22 % off. */
static void queueing(void)
{
    struct task_fixture f = task_fixture();
    f.device = free_device();
    struct gsim_task *task = add_kernel_task(&f, "a", 8, 10);
    task->arrival = GSIM_ARRIVAL_POISSON;
    task->rate_per_s = 5e4;
    task->requests = 20000;
    share(&f, "streams");
    double all = 0, busy = 0;
    uint32_t at_once = 0;
    CHECK_INT(f.timeline.request_count, 20000);
    for (size_t i = 0; i < f.timeline.request_count; i++) {
        const struct gsim_request_record *r = &f.timeline.requests[i];
        all += gsim_time_us(r->end - r->arrival);
        at_once += r->end - r->arrival < 10001000;
    }
    for (size_t i = 0; i < f.timeline.kernel_count; i++)
        busy += gsim_time_us(f.timeline.kernels[i].end - f.timeline.kernels[i].start);
    CHECK_NEAR(all / 20000 - 10, 5, 0.5);
    CHECK_NEAR(at_once / 20000.0, 0.5, 0.02);
    CHECK_NEAR(busy, 200000, 1);
    task_fixture_release(&f);
}

/* Three queues before one server, each at random at 0.2 of its time: 20,000 requests a second of 10 us, 50,000 of 4,
 * 10,000 of 20. What is under way takes R = (0.02 x 100 + 0.05 x 16 + 0.01 x 400) / 2 = 3.4 us more. First come, first
 * served: all wait R / (1 - 0.6) = 8.5 (M/G/1). By priority: R / ((1 - s') (1 - s)), s' of the more urgent and s with
 * one's own (Cobham): 4.25, 7.08, 14.17. Of 6,000 to 30,000 requests the standard errors are 1.5 to 3 %, 10 % three of
 * them. Shortest first differs by 20 % or more for the first two. */
static void queueing_by_priority(void)
{
    static const double us[] = {10, 4, 20}, rates[] = {2e4, 5e4, 1e4};
    static const double waits[2][3] = {{8.5, 8.5, 8.5}, {4.25, 3.4 / 0.48, 3.4 / 0.24}};
    for (int by_priority = 0; by_priority < 2; by_priority++) {
        struct task_fixture f = task_fixture();
        double all[3] = {0};
        uint32_t count[3] = {0};
        f.device = free_device();
        for (int i = 0; i < 3; i++) {
            struct gsim_task *task = add_kernel_task(&f, "a", 8, us[i]);
            task->arrival = GSIM_ARRIVAL_POISSON;
            task->rate_per_s = rates[i];
            task->requests = 0;
            task->duration_us = 6e5;
            task->priority = by_priority ? i : 5;
        }
        share(&f, "exclusive");
        for (size_t i = 0; i < f.timeline.request_count; i++) {
            const struct gsim_request_record *r = &f.timeline.requests[i];
            all[r->task] += gsim_time_us(r->end - r->arrival);
            count[r->task]++;
        }
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(count[i] / (rates[i] * 0.6), 1, 0.03);
            CHECK_NEAR((all[i] / count[i] - us[i]) / waits[by_priority][i], 1, 0.1);
        }
        task_fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"parts by number", parts_by_number},
    {"queueing", queueing},
    {"queueing by priority", queueing_by_priority},
    {"side by side", side_by_side},
    {"priorities", priorities},
    {"parts", parts},
    {"shared DRAM", shared_dram},
    {"refusals", refusals},
    {"processes", processes},
    {"clients in turn", clients_in_turn},
    {"nodes of clients", nodes_of_clients},
    {"cores", cores},
    {"idle others", idle_others},
};
TEST_MAIN("sim/task/tasks", cases)
