/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in workloads of KeSCo's suite give its published plans (KeSCo, ICCD 2023), one iteration without
 * prefetching. The same plans kernel by kernel, from hand-written programs: test_kesco_plans.c.
 */
#include "sim/workload.h"
#include "tests/golden/suite.h"

static const struct {
    const char *name;
    uint32_t streams, events;
    const char *waits;
} golden[] = {
    {"vec", 2, 1, "square>reduce"},
    {"bs", 10, 0, ""},
    {"ml", 2, 1, "softmax>argmax"},
    {"hits", 2, 3, "spmv3>divide spmv3>divide divide>reset"},
    {"img", 4, 4, "sobel>minimum minimum>extend unsharpen>combine combine>combine"},
    {"dl", 2, 1, "conv2d>concat"},
};

static void test_plans(void)
{
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const struct gsim_workload_ops *workload = gsim_workload_find(golden[i].name);
        struct gsim_workload_options options = {.suite = GSIM_SUITE_KESCO};
        struct gsim_program program = {0};
        struct gsim_error error = {0};
        char text[512];
        CHECK_MSG(workload != NULL, "no workload '%s'", golden[i].name);
        if (!workload) continue;
        CHECK_OK(workload->build(&options, &program, &error), error);
        struct recorder *r = suite_run("kesco", NULL, &program, 0);
        CHECK_MSG(suite_streams_used(r, false) == golden[i].streams, "%s: %u streams", golden[i].name, suite_streams_used(r, false));
        CHECK_MSG(r->records == golden[i].events && r->waits == golden[i].events, "%s: %u events", golden[i].name, r->records);
        suite_waits(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].waits);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

static const struct test_case cases[] = {{"plans of the kesco suite", test_plans}};

TEST_MAIN("golden/kesco_workloads", cases)
