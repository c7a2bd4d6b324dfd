/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: what belongs to one and what does not. Times of graphs are in test_front.c and test_machine.c.
 */
#include "tests/sim/machine_fixture.h"

/* An event that a capture recorded is recorded again outside: who waits for it then is no part of the graph. */
ITERATION(record_again)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_event e = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_capture_begin(d, a);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_capture_end(d, a);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, e, a);
    gsim_stream_wait_event(d, b, e);
    gsim_launch(d, OP(run, 1), b);
}

static void recorded_again(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[2] = {fixture_kernel("a", 1, 32, 20), fixture_kernel("b", 1, 32, 20)};
    fixture_program(&f, k, 2, NULL, 0);
    fixture_run(&f, record_again);
    CHECK_INT(f.timeline.kernel_count, 2);
    fixture_release(&f);
}

/* A graph that begins with two roots, a and b. */
static gsim_graph two_roots(struct gsim_run *run, gsim_graph_node *a, gsim_graph_node *b)
{
    gsim_iteration_begin(run->driver, 0);
    gsim_graph graph = gsim_graph_create(run->driver);
    *a = gsim_graph_add(run->driver, graph, OP(run, 0), NULL, 0);
    *b = gsim_graph_add(run->driver, graph, OP(run, 1), NULL, 0);
    return graph;
}

static enum gsim_status launch_once(struct gsim_run *run, gsim_graph graph)
{
    gsim_graph_launch(run->driver, gsim_graph_instantiate(run->driver, graph), gsim_stream_create(run->driver, 0));
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* Behind the roots a and b: c and e behind both, d and f behind a; then g behind c and b, h behind c and a. A copy, a
 * root of its own; i and j behind it and a. a ends last. */
static enum gsim_status launch_branches(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_graph_node a, b;
    gsim_graph graph = two_roots(run, &a, &b);
    (void)error;
    gsim_graph_node copy = gsim_graph_add(d, graph, OP(run, 10), NULL, 0);
    gsim_graph_node c = gsim_graph_add(d, graph, OP(run, 2), (gsim_graph_node[]){a, b}, 2);
    gsim_graph_add(d, graph, OP(run, 3), &a, 1);
    gsim_graph_add(d, graph, OP(run, 4), (gsim_graph_node[]){a, b}, 2);
    gsim_graph_add(d, graph, OP(run, 5), &a, 1);
    gsim_graph_add(d, graph, OP(run, 6), (gsim_graph_node[]){c, b}, 2);
    gsim_graph_add(d, graph, OP(run, 7), (gsim_graph_node[]){c, a}, 2);
    gsim_graph_add(d, graph, OP(run, 8), (gsim_graph_node[]){copy, a}, 2);
    gsim_graph_add(d, graph, OP(run, 9), (gsim_graph_node[]){copy, a}, 2);
    return launch_once(run, graph);
}

static void run_branches(struct fixture *f, uint32_t blocks, uint32_t threads, gsim_time start[10], gsim_time end[10])
{
    static const char *const names[10] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    struct gsim_kernel k[10];
    for (int i = 0; i < 10; i++)
        k[i] = fixture_kernel(names[i], i > 1 ? blocks : 1, i > 1 ? threads : 32, i ? 20 : 100);
    struct gsim_arg data = {.buffer_index = 0, .reads = true};
    struct gsim_op copy = {
        .kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = 1000, .args = &data, .arg_count = 1, .stream = -1};
    f->device.graph_cross_gap_us = 3;
    f->device.graph_dispatch_us = 0;
    fixture_program(f, k, 10, &copy, 1);
    fixture_run(f, launch_branches);
    CHECK_INT(f->timeline.kernel_count, 10);
    for (size_t i = 0; i < f->timeline.kernel_count; i++) {
        start[f->timeline.kernels[i].op] = f->timeline.kernels[i].start;
        end[f->timeline.kernels[i].op] = f->timeline.kernels[i].end;
    }
}

/* Behind a, which ends last of those that they follow, d and f of its own branch start at once, the others, which
 * cross, later; g follows c and is in b's branch, as c is; h follows a, too. */
static void gaps(void)
{
    static const double gap[10] = {0, 0, 3, 0.5, 3, 0.5, 0.5, 3, 3, 3};
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    gsim_time start[10] = {0}, end[10] = {0};
    run_branches(&f, 1, 32, start, end);
    for (int i = 2; i < 10; i++) CHECK_NEAR(gsim_time_us(start[i] - end[i == 6 || i == 7 ? 2 : 0]), gap[i], 1e-5);
    fixture_release(&f);
}

/* The same where each fills the chip: first a's own branch, then those behind the copy, both as they were added, then e
 * and c, which were added the other way round. */
static void orders(void)
{
    static const char order[] = "dfijec";
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    gsim_time start[10] = {0}, end[10] = {0};
    run_branches(&f, 8, 1024, start, end);
    for (size_t i = 1; order[i]; i++)
        CHECK_MSG(start[order[i] - 'a'] >= end[order[i - 1] - 'a'], "%c starts at %g us, before the end of %c at %g",
                  order[i], gsim_time_us(start[order[i] - 'a']), order[i - 1], gsim_time_us(end[order[i - 1] - 'a']));
    fixture_release(&f);
}

/* Behind the root b: full; with four kernels one that waits for the root a as well, with five another one behind b
 * alone. */
static enum gsim_status launch_signal(struct gsim_run *run, struct gsim_error *error)
{
    gsim_graph_node a, b;
    gsim_graph graph = two_roots(run, &a, &b);
    (void)error;
    gsim_graph_add(run->driver, graph, OP(run, 2), &b, 1);
    if (run->program->op_count > 3) gsim_graph_add(run->driver, graph, OP(run, 3), (gsim_graph_node[]){a, b}, 2);
    if (run->program->op_count > 4) gsim_graph_add(run->driver, graph, OP(run, 4), &b, 1);
    return launch_once(run, graph);
}

/* How long full takes, a block of 20 us on each SM. */
static double behind_signal(uint32_t kernels, double signal_us)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel k[5] = {fixture_kernel("a", 1, 32, 10), fixture_kernel("b", 1, 32, 50),
                               fixture_kernel("full", 0, 64, 20), fixture_kernel("crosses", 1, 32, 20),
                               fixture_kernel("own", 1, 32, 20)};
    k[2].grid.x = (uint32_t)f.device.sm_count;
    k[2].smem_bytes = 140 * 1024;
    f.device.graph_signal_us = signal_us;
    f.device.graph_dispatch_us = 0;
    fixture_program(&f, k, kernels, NULL, 0);
    fixture_run(&f, launch_signal);
    const struct gsim_kernel_record *full = fixture_record(&f, 2, 0);
    double us = gsim_time_us(full->end - full->start);
    CHECK_INT(f.timeline.kernel_count, kernels); /* signals are no kernels */
    fixture_release(&f);
    return us;
}

static void signals_take_an_sm(void)
{
    CHECK_NEAR(behind_signal(3, 0.85), 20, 1e-5);
    CHECK_NEAR(behind_signal(4, 0.85), 20 + 0.85, 1e-5);
    CHECK_NEAR(behind_signal(4, 0), 20, 1e-5);
    CHECK_NEAR(behind_signal(5, 0.85), 20, 1e-5); /* two others */
}

/* Two chains of two nodes: the second of one starts while the other's first, which is longer, is under way. */
static enum gsim_status launch_chains(struct gsim_run *run, struct gsim_error *error)
{
    gsim_graph_node a, b;
    gsim_graph graph = two_roots(run, &a, &b);
    (void)error;
    gsim_graph_add(run->driver, graph, OP(run, 2), &a, 1);
    gsim_graph_add(run->driver, graph, OP(run, 3), &b, 1);
    return launch_once(run, graph);
}

/* Where times are a profiler's a node starts graph_beside_us later for each other one under way: the first chain's
 * second beside one, the second chain's beside none. */
static void beside_others(void)
{
    for (int i = 0; i < 4; i++) {
        bool is_profiled = i & 1, is_known = i & 2;
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel k[4];
        for (int n = 0; n < 4; n++)
            k[n] = (struct gsim_kernel){.name = "k",
                                        .grid = {1, 1, 1},
                                        .block = {32, 1, 1},
                                        .regs_per_thread = 32,
                                        .solo_us = n == 1 ? 100 : 20 + n,
                                        .solo_profiled = is_profiled};
        f.device.graph_beside_us = is_known ? 0.75 : 0;
        fixture_program(&f, k, 4, NULL, 0);
        fixture_run(&f, launch_chains);
        double first = gsim_time_us(fixture_record(&f, 2, 0)->start - fixture_record(&f, 0, 0)->end);
        double second = gsim_time_us(fixture_record(&f, 3, 0)->start - fixture_record(&f, 1, 0)->end);
        CHECK_NEAR(first, 0.5 + (is_profiled && is_known ? 0.75 : 0), 1e-6);
        CHECK_NEAR(second, 0.5, 1e-6);
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"an event recorded again", recorded_again},
    {"behind the branch of its own and behind others", gaps},
    {"who starts first", orders},
    {"a signal has an SM for itself", signals_take_an_sm},
    {"a node beside others", beside_others},
};
TEST_MAIN("sim/graphs", cases)
