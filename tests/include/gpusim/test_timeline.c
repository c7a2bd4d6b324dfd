/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Appending to a timeline: order kept, details only on request, lost memory remembered.
 */
#include "tests/test.h"

#include "gpusim/timeline.h"

static void test_append(void)
{
    const struct gsim_program program = {.name = "p"};
    struct gsim_timeline timeline;
    gsim_timeline_init(&timeline, &program, true);
    for (uint32_t i = 0; i < 500; i++) {
        gsim_timeline_add_kernel(&timeline, &(struct gsim_kernel_record){.op = i, .end = 10 * i});
        gsim_timeline_add_api(&timeline, &(struct gsim_api_record){.api = GSIM_API_LAUNCH, .correlation = i});
    }
    gsim_timeline_add_copy(&timeline, &(struct gsim_copy_record){.bytes = 4096});
    gsim_timeline_add_wait(&timeline, &(struct gsim_wait_record){.event = 3});
    gsim_timeline_add_iteration(&timeline, &(struct gsim_iteration_record){.streams_used = 4});
    CHECK(timeline.program == &program && !timeline.failed);
    CHECK_INT(timeline.kernel_count, 500);
    CHECK_INT(timeline.api_count, 500);
    int wrong = 0;
    for (uint32_t i = 0; i < 500; i++) wrong += timeline.kernels[i].op != i || timeline.apis[i].correlation != i;
    CHECK_INT(wrong, 0);
    CHECK_INT(timeline.copies[0].bytes, 4096);
    CHECK_INT(timeline.waits[0].event, 3);
    CHECK_INT(timeline.iterations[0].streams_used, 4);
    gsim_timeline_release(&timeline);
    CHECK(timeline.kernels == NULL && timeline.kernel_count == 0);
    gsim_timeline_release(&timeline);
    gsim_timeline_release(NULL);
}

static void add_one_of_each(struct gsim_timeline *timeline)
{
    gsim_timeline_add_kernel(timeline, &(struct gsim_kernel_record){.op = 1});
    gsim_timeline_add_copy(timeline, &(struct gsim_copy_record){.op = 1});
    gsim_timeline_add_iteration(timeline, &(struct gsim_iteration_record){.end = 1});
    gsim_timeline_add_api(timeline, &(struct gsim_api_record){.thread = 1});
    gsim_timeline_add_wait(timeline, &(struct gsim_wait_record){.event = 1});
    gsim_timeline_add_occupancy(timeline, &(struct gsim_occupancy_record){.time = 1});
}

static void test_details_on_request(void)
{
    for (int detailed = 0; detailed < 2; detailed++) {
        struct gsim_timeline timeline;
        gsim_timeline_init(&timeline, NULL, detailed != 0);
        add_one_of_each(&timeline);
        CHECK_INT(timeline.kernel_count + timeline.copy_count + timeline.iteration_count, 3);
        CHECK_INT(timeline.api_count, detailed);
        CHECK_INT(timeline.wait_count, detailed);
        CHECK_INT(timeline.occupancy_count, detailed);
        gsim_timeline_release(&timeline);
    }
}

/* Several changes at one instant leave one step: the state after the last of them. */
static void test_occupancy_steps(void)
{
    static const struct gsim_occupancy_record steps[] = {
        {.time = 0, .blocks = 1}, {.time = 0, .blocks = 2}, {.time = 5, .blocks = 3}, {.time = 5, .blocks = 0}};
    struct gsim_timeline timeline;
    gsim_timeline_init(&timeline, NULL, true);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) gsim_timeline_add_occupancy(&timeline, &steps[i]);
    CHECK_INT(timeline.occupancy_count, 2);
    CHECK_INT(timeline.occupancy[0].blocks, 2);
    CHECK_INT(timeline.occupancy[1].time, 5);
    CHECK_INT(timeline.occupancy[1].blocks, 0);
    gsim_timeline_release(&timeline);
}

static void test_out_of_memory(void)
{
    for (uint64_t n = 1; n <= 6; n++) {
        struct gsim_timeline timeline;
        gsim_timeline_init(&timeline, NULL, true);
        gsim_alloc_fail_nth(n);
        add_one_of_each(&timeline);
        CHECK_INT(gsim_alloc_fail_nth(0), 6);
        CHECK(timeline.failed);
        CHECK_INT(timeline.kernel_count + timeline.copy_count + timeline.iteration_count + timeline.api_count +
                      timeline.wait_count + timeline.occupancy_count,
                  5);
        gsim_timeline_release(&timeline);
    }
}

static void test_api_names(void)
{
    CHECK_STR(gsim_api_name(GSIM_API_LAUNCH), "cudaLaunchKernel");
    CHECK_STR(gsim_api_name(GSIM_API_THREAD), "thread");
    for (int i = 0; i < GSIM_API_COUNT; i++) CHECK(gsim_api_name((enum gsim_api)i)[0]);
}

static const struct test_case cases[] = {
    {"append", test_append},
    {"details on request", test_details_on_request},
    {"occupancy steps at one instant", test_occupancy_steps},
    {"out of memory is remembered", test_out_of_memory},
    {"names of API calls", test_api_names},
};
TEST_MAIN("sim/timeline", cases)
