/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading recorded cases: what becomes of the fields, and that malformed files are refused with the place, what was
 * expected and what was found.
 */
#include "traces/cases.h"

#include <math.h>

#include "tests/test.h"

#define KERNEL                                                                                                         \
    "{\"type\":\"fma\",\"grid\":4,\"block\":128,\"smem\":0,\"regs\":15,\"flops\":1e6,\"dram_bytes\":0,\"solo_ns\":"    \
    "50000}"
#define PLAIN  "{\"grid\":[2,3,4],\"block\":[32,4,1],\"smem\":1024,\"regs\":40,\"solo_ns\":8000}"
#define TIMES                                                                                                          \
    "\"span\":60000,\"min\":59000,\"max\":62000,\"a_start\":0,\"a_end\":50000,\"b_start\":10000,\"b_end\":60000"
#define BLOCKS "\"blocks_a\":[[0,0,1],[0,0,1],[1,0,1],[2,0,1]],\"blocks_b\":[[1,0,1],[1,0,1],[1,0,1],[1,0,1]]"

static enum gsim_status parse(struct gsim_case_set *set, const char *text, struct gsim_error *error)
{
    return gsim_cases_parse(set, "x.json.gz", text, strlen(text), error);
}

static void pairs_are_read(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"sms\":3,\"solo\":[" KERNEL "," KERNEL "],\"pairs\":[{\"a\":1,\"b\":0," TIMES "," BLOCKS "},"
                   "{\"a\":" KERNEL ",\"b\":" PLAIN "," TIMES ",\"tag\":\"t1\"}]}",
                   &error),
             error);
    CHECK_INT(set.count, 2);
    if (set.count != 2) return;
    const struct gsim_case *c = &set.cases[0];
    CHECK_INT(c->kind, GSIM_CASE_PAIR);
    CHECK_STR(c->file, "x.json.gz");
    CHECK_STR(c->name, "pairs[0]");
    CHECK_STR(set.cases[1].name, "pairs[1] t1");
    CHECK_INT(set.cases[1].index, 1);
    CHECK_NEAR(c->kernels[0].solo_us, 50, 1e-12);
    CHECK_NEAR(c->kernels[0].flops, 1e6, 0);
    CHECK(c->kernels[0].demand_given && !set.cases[1].kernels[1].demand_given);
    CHECK_STR(c->kernels[0].name, "kernel"); /* its type is not for predictions */
    CHECK_INT(set.cases[1].kernels[1].grid.z, 4);
    CHECK_INT(set.cases[1].kernels[1].block.y, 4);
    CHECK_INT(set.cases[1].kernels[1].smem_bytes, 1024);
    CHECK_NEAR(c->delay_us, 0, 0);
    CHECK_NEAR(c->span_us, 60, 1e-12);
    CHECK_NEAR(c->start_us[1], 10, 1e-12);
    CHECK_NEAR(c->end_us[1], 60, 1e-12);
    CHECK_NEAR(c->spread_ratio, 0.025, 1e-12);
    CHECK(c->blocks_by_sm[0] != NULL && set.cases[1].blocks_by_sm[0] == NULL);
    if (c->blocks_by_sm[0]) {
        CHECK_INT(c->blocks_by_sm[0][0], 2);
        CHECK_INT(c->blocks_by_sm[1][1], 4);
    }
    gsim_case_set_release(&set);
}

/* Of five repetitions three have the first launched first, with spans 60, 80, 70: 70 stands for the case. */
static void repetitions_in_launch_order_count(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL "," TIMES ",\"all\":[[0,50000,10,60000],"
                   "[5,50000,0,90000],[0,50000,20,80000],[5,50000,0,95000],[0,55000,30,70000]]}]}",
                   &error),
             error);
    CHECK_INT(set.count, 1);
    if (set.count == 1) {
        CHECK_NEAR(set.cases[0].span_us, 70, 1e-12);
        CHECK_NEAR(set.cases[0].end_us[0], 55, 1e-12);
        CHECK_NEAR(set.cases[0].start_us[1], 0.03, 1e-12);
    }
    gsim_case_set_release(&set);
}

static void priorities_and_arrivals_are_read(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"arrivals\":[{\"a\":" KERNEL ",\"b\":" KERNEL ",\"delay_us\":30," TIMES "}],"
                   "\"priority\":[{\"a\":" KERNEL ",\"b\":" KERNEL ",\"delay_us\":20," TIMES "},"
                   "{\"A\":" KERNEL ",\"B\":" KERNEL ",\"high\":0,\"a_end\":50000,\"b_start\":1,\"b_end\":60000}]}",
                   &error),
             error);
    CHECK_INT(set.count, 3);
    if (set.count == 3) {
        CHECK_INT(set.cases[0].kind, GSIM_CASE_ARRIVAL);
        CHECK_NEAR(set.cases[0].delay_us, 30, 0);
        CHECK_INT(set.cases[0].priority, 0);
        CHECK_INT(set.cases[1].kind, GSIM_CASE_PRIORITY);
        CHECK_INT(set.cases[1].priority, -5);
        CHECK_INT(set.cases[2].priority, 0);
        CHECK(isnan(set.cases[2].delay_us)); /* when it was launched is not recorded */
    }
    gsim_case_set_release(&set);
}

/* The host's times of a file replace those of the machine that the defaults come from: 1.4 times what a call takes
 * among its like. */
static void host_times_are_read(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"aten\":{\"host\":{\"op\":{\"add\":10},\"stream\":20,\"record\":5,\"sync\":9},\"dags\":[{"
                   "\"streams\":1,\"live_us\":100,"
                   "\"nodes\":[{\"stream\":0,\"dep\":[],\"op\":\"add\",\"kernels\":[" PLAIN "]},"
                   "{\"stream\":0,\"dep\":[],\"op\":\"mul\",\"kernels\":[" PLAIN "]}]}]}}",
                   &error),
             error);
    CHECK_INT(set.count, 1);
    if (set.count == 1) {
        const struct gsim_case *c = &set.cases[0];
        CHECK_NEAR(c->nodes[0].host_us, 14, 1e-12);
        CHECK_NEAR(c->nodes[1].host_us, 1.4 * 10.2, 1e-12); /* not in the file */
        CHECK_NEAR(c->host.stream_us, 28, 1e-12);
        CHECK_NEAR(c->host.record_us, 7, 1e-12);
        CHECK_NEAR(c->host.wait_us, 1.4 * 1.8, 1e-12);
        CHECK_NEAR(c->host.sync_us, 9, 1e-12);
    }
    gsim_case_set_release(&set);
    static const char *const wrong[][2] = {
        {"{\"sync\":-1}", "sync"}, {"{\"op\":5}", "aten.host.op"}, {"5", "aten.host"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"aten\":{\"host\":%s,\"dags\":[{\"streams\":1,\"live_us\":1,\"nodes\":[{\"stream\":0,\"dep\":[],"
                 "\"kernels\":[" PLAIN "]}]}]}}",
                 wrong[i][0]);
        CHECK_INT(parse(&set, text, &error), GSIM_INPUT);
        CHECK_MSG(strstr(error.message, wrong[i][1]) != NULL, "%s", error.message);
        gsim_case_set_release(&set);
    }
}

/* The second op of the ATen DAG is two kernels: the third node, which follows that op, follows its last kernel. */
static void dags_are_read(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"dags\":[{\"streams\":2,\"live_us\":100,\"live_min_us\":98,\"live_max_us\":104,\"serial_us\":120,"
                   "\"nodes\":["
                   "{\"stream\":0,\"dep\":[],\"start\":5,\"end\":7,\"kernel\":" KERNEL "},"
                   "{\"stream\":1,\"dep\":[0],\"copy\":\"d2h\",\"bytes\":4096}]}],"
                   "\"aten\":{\"dags\":[{\"streams\":1,\"live_us\":100,\"graph_serial_us\":90,\"nodes\":["
                   "{\"stream\":0,\"dep\":[],\"kernels\":[" PLAIN "]},{\"stream\":0,\"dep\":[],\"kernels\":[" PLAIN
                   "," PLAIN "]},"
                   "{\"stream\":0,\"dep\":[0,1],\"kernels\":[" PLAIN "]}]}],"
                   "\"pairs\":[{\"ka\":[" PLAIN "," PLAIN "],\"kb\":[" PLAIN "],\"graph_us\":50}]}}",
                   &error),
             error);
    CHECK_INT(set.count, 3);
    if (set.count == 3) {
        const struct gsim_case *dag = &set.cases[0], *aten = &set.cases[1], *pair = &set.cases[2];
        CHECK_INT(dag->kind, GSIM_CASE_DAG);
        CHECK_INT(dag->node_count, 2);
        CHECK(dag->nodes[1].is_copy && dag->nodes[1].copy_kind == GSIM_COPY_D2H);
        CHECK_INT(dag->nodes[1].bytes, 4096);
        CHECK_NEAR(dag->spread_ratio, 0.03, 1e-12);
        CHECK_NEAR(dag->nodes[0].end_us, 0.007, 1e-12);
        CHECK_NEAR(dag->makespan_us[GSIM_SCHEDULE_SERIAL], 120, 0);
        CHECK_NEAR(dag->makespan_us[GSIM_SCHEDULE_GRAPH], 0, 0);
        CHECK_INT(aten->kind, GSIM_CASE_ATEN);
        CHECK_INT(aten->node_count, 4);
        CHECK_INT(aten->nodes[2].dep_count, 1);
        CHECK_INT(aten->nodes[2].deps[0], 1);
        CHECK_INT(aten->nodes[3].dep_count, 2);
        CHECK_INT(aten->nodes[3].deps[0], 0);
        CHECK_INT(aten->nodes[3].deps[1], 2);
        CHECK_NEAR(aten->makespan_us[GSIM_SCHEDULE_CHAIN], 90, 0);
        CHECK_INT(pair->node_count, 3);
        CHECK_INT(pair->nodes[1].stream, 0);
        CHECK_INT(pair->nodes[2].stream, 1);
        CHECK_NEAR(pair->makespan_us[GSIM_SCHEDULE_GRAPH], 50, 0);
        CHECK(dag->host.sync_us == 0 && dag->nodes[0].host_us == 0); /* a C program */
        CHECK(aten->nodes[1].host_us > 0 && aten->nodes[2].host_us == 0 && aten->nodes[3].host_us > 0); /* by op */
        CHECK(aten->host.sync_us > 0 && pair->host.sync_us > 0);
    }
    gsim_case_set_release(&set);
}

/* Kernels of 8 us on average make a DAG launch-bound, of 50 us not. */
static void short_kernels_make_a_launch_bound_dag(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set,
                   "{\"dags\":[{\"streams\":1,\"live_us\":10,\"nodes\":[{\"stream\":0,\"dep\":[],\"kernel\":" PLAIN
                   "}]},"
                   "{\"streams\":1,\"live_us\":10,\"nodes\":[{\"stream\":0,\"dep\":[],\"kernel\":" KERNEL "}]}]}",
                   &error),
             error);
    CHECK_INT(set.count, 2);
    if (set.count == 2) {
        CHECK_INT(set.cases[0].kind, GSIM_CASE_LAUNCH);
        CHECK_INT(set.cases[1].kind, GSIM_CASE_DAG);
    }
    gsim_case_set_release(&set);
}

#define REPEATED(kernels, nodes)                                                                                       \
    "{\"kernels\":[" kernels "],\"graphs\":[{\"one_stream_us\":9,\"sync_each_us\":8,\"streams8_us\":7,\"graph_"        \
                             "relaunch_us\":6,\"nodes\":[" nodes "]}]}"
#define STREAM(buf)                                                                                                    \
    "{\"type\":\"stream\",\"grid\":4,\"block\":128,\"smem\":0,\"regs\":15,\"elems\":100,\"buf\":" buf                  \
    ",\"solo_ns\":5000}"

/* A graph of two streams, one of which shares buffers. */
static void repeated_kernels_share_buffers(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set, REPEATED(STREAM("3") "," STREAM("-1"), "[1,0,[]],[0,1,[0]],[0,1,[0,1]]"), &error), error);
    CHECK_INT(set.count, 1);
    if (set.count == 1) {
        const struct gsim_case *c = &set.cases[0];
        CHECK_INT(c->kind, GSIM_CASE_REPEATED);
        CHECK_INT(c->node_count, 3);
        CHECK_INT(c->stream_count, 2);
        CHECK_INT(c->buffer_count, 8);
        CHECK_INT(c->nodes[0].part_bytes, 0);
        CHECK_INT(c->nodes[1].buffer, 6);
        CHECK_INT(c->nodes[1].part_bytes, 1600);
        CHECK_INT(c->nodes[2].dep_count, 2);
        CHECK_INT(c->nodes[2].deps[1], 1);
        CHECK_NEAR(c->makespan_us[GSIM_SCHEDULE_SERIAL], 9, 0);
        CHECK_NEAR(c->makespan_us[GSIM_SCHEDULE_GRAPH], 6, 0);
    }
    gsim_case_set_release(&set);
}

#define MADE                                                                                                           \
    "{\"kernels\":[{\"type\":\"atomic\",\"grid\":4,\"block\":128,\"smem\":8,\"regs\":15,\"flops\":0,\"dram_bytes\":0," \
    "\"solo_ns\":5000}],\"dags\":["
#define OF_LIBRARY(times, nodes)                                                                                       \
    "{\"profiles\":{\"mm\":{\"name\":\"nvjet\",\"grid\":[8,6,1],\"block\":[384,1,1],\"regs\":168,\"smem\":9,"          \
    "\"solo_us\":2.5,\"ncu_id\":1}},\"dags\":[{\"kind\":\"dag\",\"streams\":2," times ",\"nodes\":[" nodes "]}]}"
#define TIMES_OF_LIBRARY "\"multi_us\":[7,5,9],\"one_stream_us\":[12,12,11]"

/* A made kernel is called by its type and is the row of its place; of a library's times the middle one counts. Neither
 * says what its kernels compute and move: zeros in the file are no knowledge. */
static void unlike_kernels_are_read(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    CHECK_OK(parse(&set, MADE "{\"kind\":\"pair\",\"live_us\":9,\"live_min_us\":8,\"live_max_us\":10,\"one_us\":12,"
                              "\"nodes\":[[0,0,[]],[0,1,[0]]]}]}", &error), error);
    CHECK_OK(parse(&set, OF_LIBRARY(TIMES_OF_LIBRARY, "{\"op\":\"mm\",\"stream\":1,\"dep\":[]}"), &error), error);
    CHECK_INT(set.count, 2);
    if (set.count == 2) {
        const struct gsim_case *made = &set.cases[0], *library = &set.cases[1];
        CHECK_INT(made->kind, GSIM_CASE_BESIDE);
        CHECK_STR(made->nodes[1].kernel.name, "atomic");
        CHECK(made->nodes[1].has_profile_row && !made->nodes[1].kernel.demand_given);
        CHECK_INT(made->nodes[1].profile_row, 0);
        CHECK_INT(made->nodes[1].dep_count, 1);
        CHECK_NEAR(made->nodes[0].kernel.solo_us, 5, 1e-12);
        CHECK_NEAR(made->spread_ratio, 1.0 / 9, 1e-12);
        CHECK_NEAR(made->makespan_us[GSIM_SCHEDULE_SERIAL], 12, 0);
        CHECK_INT(library->kind, GSIM_CASE_UNLIKE);
        CHECK_INT(library->stream_count, 2);
        CHECK_INT(library->nodes[0].profile_row, 1);
        CHECK(library->nodes[0].kernel.solo_profiled && library->nodes[0].kernel.grid.y == 6);
        CHECK_NEAR(library->makespan_us[GSIM_SCHEDULE_GRAPH], 7, 0);
        CHECK_NEAR(library->makespan_us[GSIM_SCHEDULE_CHAIN], 12, 0);
        CHECK_NEAR(library->spread_ratio, 2.0 / 7, 1e-12);
    }
    gsim_case_set_release(&set);
}

/* The row of its place, where that has the kernel's shape; else the profile of its name and shape, or none. */
static void profiles_are_given(void)
{
    struct gsim_error error = {0};
    struct gsim_case_set set = {0};
    const struct gsim_kernel known[] = {
        {.name = "other", .grid = {4, 1, 1}, .block = {128, 1, 1}, .solo_us = 9, .pipes_given = true},
        {.name = "nvjet", .grid = {8, 6, 2}, .block = {384, 1, 1}, .solo_us = 5},
    };
    struct gsim_profiles profiles = {.kernels = (struct gsim_kernel *)known, .count = 2};
    CHECK_OK(parse(&set, MADE "{\"kind\":\"pair\",\"live_us\":9,\"live_min_us\":8,\"live_max_us\":10,\"one_us\":12,"
                              "\"nodes\":[[0,0,[]]]}]}", &error), error);
    CHECK_OK(parse(&set, OF_LIBRARY(TIMES_OF_LIBRARY, "{\"op\":\"mm\",\"stream\":1,\"dep\":[]}"), &error), error);
    gsim_cases_apply(&set, &profiles);
    CHECK_INT(profiles.asked, 2);
    CHECK_INT(profiles.matched, 1);
    if (set.count == 2) {
        CHECK(set.cases[0].nodes[0].kernel.pipes_given);
        CHECK_NEAR(set.cases[0].nodes[0].kernel.cold_us, 9 - 1.8, 1e-9);
        CHECK_NEAR(set.cases[1].nodes[0].kernel.cold_us, 0, 0);
    }
    gsim_case_set_release(&set);
}

#define DAG(nodes) "{\"dags\":[{\"streams\":1,\"live_us\":9,\"nodes\":[" nodes "]}]}"

/* What is in the file, and what the message says. */
static const char *const refusals[][2] = {
    {"{\"pairs\":[", "line 1: not JSON"},
    {"[1]", "expected an object with lists of cases"},
    {"{\"solo\":[]}", "expected an object with lists of cases"},
    {"{\"pairs\":3}", "pairs: expected a list, found 3"},
    {"{\"pairs\":[7]}", "pairs[0]: expected an object, found 7"},
    {"{\"pairs\":[{\"b\":" KERNEL "," TIMES "}]}", "pairs[0].a: expected a kernel, found nothing"},
    {"{\"solo\":[" KERNEL "],\"pairs\":[{\"a\":0,\"b\":1," TIMES "}]}",
     "pairs[0].b: expected an index of the list solo, found 1"},
    {"{\"pairs\":[{\"a\":" KERNEL ",\"b\":{\"grid\":0}," TIMES "}]}",
     "pairs[0].b.grid: expected a positive whole number or three, found 0"},
    {"{\"pairs\":[{\"a\":{\"grid\":1,\"block\":2048},\"b\":0," TIMES "}]}", "pairs[0].a.block: expected a positive"},
    {"{\"pairs\":[{\"a\":{\"grid\":1,\"block\":32,\"smem\":0},\"b\":0}]}",
     "pairs[0].a.regs: expected a number that is not negative, found nothing"},
    {"{\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL
     ",\"span\":9,\"a_start\":0,\"a_end\":\"8\",\"b_start\":0,\"b_end\":9}]}",
     "pairs[0].a_end: expected a number that is not negative, found \"8\""},
    {"{\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL ",\"span\":9,\"a_start\":8,\"a_end\":8,\"b_start\":0,\"b_end\":9}]}",
     "pairs[0].a_end: expected a time after a_start, found 8"},
    {"{\"sms\":2,\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL "," TIMES "," BLOCKS "}]}",
     "pairs[0].blocks: expected lists [sm, start, end] with an SM of the device, found 2"},
    {"{\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL "," TIMES ",\"all\":[[1,2]]}]}",
     "pairs[0].all: expected lists of four numbers"},
    {"{\"dags\":[{\"streams\":1,\"live_us\":9}]}", "dags[0].nodes: expected a list, found nothing"},
    {"{\"dags\":[{\"streams\":1,\"nodes\":[]}]}", "dags[0].live_us: expected a measured makespan, found nothing"},
    {DAG(""), "dags[0].nodes: expected at least one node"},
    {DAG("{\"stream\":1,\"dep\":[],\"kernel\":" KERNEL "}"),
     "dags[0].nodes[0].stream: expected a stream below the DAG's number of streams, found 1"},
    {DAG("{\"stream\":0,\"dep\":[0],\"kernel\":" KERNEL "}"),
     "dags[0].nodes[0].dep: expected indices of earlier nodes, found 0"},
    {DAG("{\"stream\":0,\"dep\":[],\"copy\":\"up\",\"bytes\":1}"),
     "dags[0].nodes[0].copy: expected h2d or d2h, found \"up\""},
    {DAG("{\"stream\":0,\"dep\":[]}"), "dags[0].nodes[0].kernel: expected a kernel, found nothing"},
    {REPEATED(STREAM("0"), ""), "graphs[0].nodes: expected at least one node"},
    {REPEATED(STREAM("0"), "[1,0,[]]"), "graphs[0].nodes[0].[0]: expected an index of the list kernels, found 1"},
    {REPEATED(STREAM("0"), "[0,-1,[]]"), "graphs[0].nodes[0].[1]: expected a stream, found -1"},
    {REPEATED(STREAM("0"), "[0,0,[0]]"), "graphs[0].nodes[0].[2]: expected indices of earlier nodes, found 0"},
    {REPEATED(STREAM("0"), "[0,0]"), "graphs[0].nodes[0].[2]: expected a list, found nothing"},
    {REPEATED(STREAM("64"), "[0,0,[]]"), "graphs[0].nodes[0].buf: expected a pair of buffers, or -1, found 64"},
    {MADE "{\"kind\":\"three\"}]}", "dags[0].nodes: expected a list, found nothing"},
    {MADE "{\"kind\":\"three\",\"nodes\":[]}]}", "dags[0].kind: expected pair or dag, found \"three\""},
    {OF_LIBRARY("\"multi_us\":[],\"one_stream_us\":[1]", ""), "dags[0].multi_us: expected positive times"},
    {OF_LIBRARY(TIMES_OF_LIBRARY, ""), "dags[0].nodes: expected at least one node"},
    {OF_LIBRARY(TIMES_OF_LIBRARY, "{\"op\":\"nn\"}"),
     "dags[0].nodes[0].op: expected a name of the object profiles, found \"nn\""},
    {"{\"aten\":{\"pairs\":[{\"ka\":[],\"kb\":[],\"graph_us\":1}]}}", "aten.pairs[0].ka: expected at least one kernel"},
};

static void malformed_files_are_refused(void)
{
    struct gsim_case_set set = {0};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct gsim_error error = {0};
        enum gsim_status status = parse(&set, refusals[i][0], &error);
        CHECK_MSG(status == GSIM_INPUT, "%s: status %d", refusals[i][0], (int)status);
        CHECK_HAS(error.message, refusals[i][1]);
        CHECK_INT(set.count, 0);
    }
    gsim_case_set_release(&set);
}

static void memory_may_run_out(void)
{
    static const char text[] =
        "{\"sms\":3,\"pairs\":[{\"a\":" KERNEL ",\"b\":" KERNEL "," TIMES "," BLOCKS "}],"
        "\"dags\":[{\"streams\":1,\"live_us\":9,\"nodes\":[{\"stream\":0,\"dep\":[],\"kernel\":" KERNEL "}]}]}";
    for (uint64_t nth = 1; nth < 100; nth++) {
        struct gsim_error error = {0};
        struct gsim_case_set set = {0};
        gsim_alloc_fail_nth(nth);
        enum gsim_status status = parse(&set, text, &error);
        gsim_alloc_fail_nth(0);
        gsim_case_set_release(&set);
        if (status == GSIM_OK) {
            CHECK_MSG(nth > 2, "only %d allocations can fail", (int)nth);
            return;
        }
        CHECK_INT(status, GSIM_NOMEM);
    }
    CHECK_MSG(0, "never succeeds");
}

static const struct test_case cases[] = {
    {"pairs", pairs_are_read},
    {"repetitions in launch order", repetitions_in_launch_order_count},
    {"priorities and arrivals", priorities_and_arrivals_are_read},
    {"DAGs", dags_are_read},
    {"the issuing host's times are read", host_times_are_read},
    {"launch-bound DAGs", short_kernels_make_a_launch_bound_dag},
    {"kernels that share buffers", repeated_kernels_share_buffers},
    {"unlike kernels", unlike_kernels_are_read},
    {"what a profiler knows of them", profiles_are_given},
    {"malformed files", malformed_files_are_refused},
    {"out of memory", memory_may_run_out},
};
TEST_MAIN("traces/cases", cases)
