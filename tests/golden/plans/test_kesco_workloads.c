/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in workloads of KeSCo's suite give its published plans (KeSCo, ICCD 2023), one iteration without and
 * with prefetching. The same plans kernel by kernel, from hand-written programs: test_kesco.c.
 */
#include "gpusim/workload.h"
#include "tests/golden/suite.h"

static void build(const char *name, struct gsim_program *program)
{
    const struct gsim_workload_ops *workload = gsim_workload_find(name);
    struct gsim_workload_options options = {.suite = GSIM_SUITE_KESCO};
    struct gsim_error error = {0};
    CHECK_MSG(workload != NULL, "no workload '%s'", name);
    if (workload) CHECK_OK(workload->build(&options, program, &error), error);
}

/* Prefetching off. */
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
        struct gsim_program program = {0};
        char text[512];
        build(golden[i].name, &program);
        struct recorder *r = suite_run("kesco", NULL, &program, 0);
        CHECK_MSG(suite_streams_used(r, false) == golden[i].streams, "%s: %u streams", golden[i].name,
                  suite_streams_used(r, false));
        CHECK_MSG(r->records == golden[i].events && r->waits == golden[i].events, "%s: %u events", golden[i].name,
                  r->records);
        suite_waits(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].waits);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* Prefetching on. SEED is --seed. B&S: five kernels find no free predecessor's stream, and the authors' pass draws
 * one of ten; 14 is the first seed to draw as the log shows, 15 events with kernels on 8 streams. HITS and DL are not
 * reproduced, why: test_kesco.c. */
static const struct {
    const char *name, *options;
    unsigned long seed;
    uint32_t log, events;
} prefetched[] = {
    {"vec", NULL, 1, 4, 4},    {"bs", "placement=random", 14, 15, 15}, {"ml", NULL, 1, 13, 13},
    {"hits", NULL, 1, 16, 18}, {"img", NULL, 1, 18, 18},               {"dl", NULL, 1, 10, 12},
};

static void test_prefetched_plans(void)
{
    for (size_t i = 0; i < sizeof(prefetched) / sizeof(prefetched[0]); i++) {
        struct gsim_program program = {0};
        build(prefetched[i].name, &program);
        /* A trial's generator starts from its seed + 1, a run's from --seed. */
        struct recorder *r = suite_run_with("kesco", prefetched[i].options, &program, prefetched[i].seed - 1, true);
        CHECK_MSG(r->records == prefetched[i].events && r->waits == prefetched[i].events, "%s: %u events, expected %u",
                  prefetched[i].name, r->records, prefetched[i].events);
        bool is_reproduced = strcmp(prefetched[i].name, "hits") != 0 && strcmp(prefetched[i].name, "dl") != 0;
        CHECK_MSG((r->records == prefetched[i].log) == is_reproduced, "%s: %u events, the log has %u",
                  prefetched[i].name, r->records, prefetched[i].log);
        if (strcmp(prefetched[i].name, "bs") == 0) CHECK_INT(suite_streams_used(r, true), 8);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* No earlier seed draws B&S as the log shows it. */
static void test_first_seed(void)
{
    struct gsim_program program = {0};
    build("bs", &program);
    for (unsigned long seed = 1; seed <= 14; seed++) {
        struct recorder *r = suite_run_with("kesco", "placement=random", &program, seed - 1, true);
        bool as_log = r->records == 15 && suite_streams_used(r, true) == 8;
        CHECK_MSG(as_log == (seed == 14), "seed %lu: %u events, kernels on %u streams", seed, r->records,
                  suite_streams_used(r, true));
        rec_destroy(r);
    }
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"plans of the kesco suite", test_plans},
    {"plans with prefetching", test_prefetched_plans},
    {"the seed for B&S", test_first_seed},
};

TEST_MAIN("golden/plans/kesco_workloads", cases)
