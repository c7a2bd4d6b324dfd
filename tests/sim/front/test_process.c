/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams, hardware queues and the legacy default stream, by hand on the device of machine_fixture.h: a launch call
 * takes 2 us, a kernel starts 1 later, the gap in a stream is 1. Kernels of 10 us on one SM each.
 */
#include "tests/sim/machine_fixture.h"

#define MOST 5

/* Launches in the order of the ops; each one's stream, 0 the default one. SYNC: the host waits for that stream before
 * op SYNC_BEFORE. */
struct scene {
    const char *name;
    uint32_t hw_queues;
    uint32_t count, streams[MOST];
    uint32_t sync_before; /* 0: never */
    double start_us[MOST];
};
static const struct scene *scene;

ITERATION(play)
{
    gsim_stream streams[MOST] = {0};
    for (uint32_t i = 1; i < MOST; i++) streams[i] = gsim_stream_create(d, 0);
    for (uint32_t i = 0; i < scene->count; i++) {
        if (scene->sync_before && scene->sync_before == i) gsim_stream_synchronize(d, streams[scene->streams[0]]);
        gsim_launch(d, OP(run, i), streams[scene->streams[i]]);
    }
}

static const struct scene scenes[] = {
    /* Calls end at 2, 4, 6, 8: each starts 1 later, or 1 behind its stream's. */
    {"four streams", 8, 4, {1, 2, 3, 4}, 0, {3, 5, 7, 9}},
    {"one stream", 8, 3, {1, 1, 1}, 0, {3, 14, 25}},
    /* The default stream's waits for all before it, 13, and all behind it for that, 23. */
    {"the default stream is a barrier", 8, 4, {1, 0, 2, 1}, 0, {3, 13, 23, 23}},
    {"the default stream behind several", 8, 4, {1, 2, 0, 3}, 0, {3, 5, 15, 25}},
    {"the default stream twice", 8, 4, {0, 1, 0, 2}, 0, {3, 13, 23, 33}},
    {"nothing before it", 8, 2, {0, 1}, 0, {3, 13}},
    /* One queue: the second of stream 1 stands at its head until 14, and stream 2's behind it. */
    {"a false dependence", 1, 3, {1, 1, 2}, 0, {3, 14, 14}},
    {"no false dependence", 2, 3, {1, 1, 2}, 0, {3, 14, 7}},
    {"a third stream shares a queue", 2, 4, {1, 1, 2, 3}, 0, {3, 14, 7, 14}},
    /* The host waits to 15 for stream 1, which has left its queue: stream 3 has it for itself. */
    {"a queue that is free again", 2, 4, {1, 2, 3, 3}, 2, {3, 5, 18, 29}},
};

static void all_scenes(void)
{
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel kernels[MOST];
        scene = &scenes[s];
        f.device.hw_queues = scene->hw_queues;
        for (uint32_t i = 0; i < scene->count; i++) kernels[i] = fixture_kernel("k", 1, 256, 10);
        fixture_program(&f, kernels, scene->count, NULL, 0);
        fixture_run(&f, play);
        for (uint32_t i = 0; i < scene->count; i++) {
            double start_us = gsim_time_us(fixture_record(&f, i, 0)->start);
            CHECK_MSG(fabs(start_us - scene->start_us[i]) < 1e-5, "%s: kernel %u starts at %.3f, expected %.3f",
                      scene->name, i, start_us, scene->start_us[i]);
        }
        fixture_release(&f);
    }
}

/* Three roots, whose edges cost the dispatcher nothing: adding 3, instantiating 13, the launch 3, the start 2: 21, and
 * 0.25 for each before it. */
static enum gsim_status launch_graph(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    (void)error;
    gsim_iteration_begin(d, 0);
    gsim_stream stream = gsim_stream_create(d, 0);
    gsim_graph graph = gsim_graph_create(d);
    for (uint32_t i = 0; i < run->program->op_count; i++) gsim_graph_add(d, graph, OP(run, i), NULL, 0);
    gsim_graph_launch(d, gsim_graph_instantiate(d, graph), stream);
    gsim_stream_synchronize(d, stream);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

static void a_graph_is_dispatched(void)
{
    for (int has_edges = 0; has_edges < 2; has_edges++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel kernels[3];
        uint32_t correlation = 0;
        f.device.graph_edge_us = 0.5 * has_edges;
        for (uint32_t i = 0; i < 3; i++) kernels[i] = fixture_kernel("k", 1, 256, 10);
        fixture_program(&f, kernels, 3, NULL, 0);
        fixture_run(&f, launch_graph);
        for (size_t i = 0; i < f.timeline.api_count; i++)
            if (f.timeline.apis[i].api == GSIM_API_GRAPH_LAUNCH) correlation = f.timeline.apis[i].correlation;
        CHECK(correlation > 0);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_KERNEL(&f, i, 21 + 0.25 * i, 31 + 0.25 * i);
            CHECK_INT(fixture_record(&f, i, 0)->correlation, correlation);
        }
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"streams and queues", all_scenes},
    {"a graph is dispatched", a_graph_is_dispatched},
};
TEST_MAIN("sim/front/process", cases)
