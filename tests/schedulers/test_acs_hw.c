/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * acs-hw on the device with round numbers: a reference model of the stale list, the window and its blocking on random
 * programs, by hand when insertion stops, costs in cycles, and every hazard kept in every memory mode.
 */
#include "gpusim/schedulers/moves.h"
#include "sim/program/verify.h"
#include "sim/sm/demand.h"
#include "tests/schedulers/segments.h"
#include "tests/sim/machine_fixture.h"

static struct gsim_device_spec device;
static struct gsim_figure_record told[16];
static size_t told_count;

/* OPTIONS: "name=value name=value". */
static void run(const char *name, const struct gsim_program *program, const char *options, enum gsim_memory_mode memory,
                uint32_t iterations, struct gsim_timeline *timeline)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(name);
    struct gsim_error error = {0};
    double params[64] = {0};
    CHECK(ops && ops->params_size <= sizeof params);
    gsim_params_set_defaults(ops->params, params);
    for (const char *at = options; at && *at; at = strchr(at + 1, ' ')) {
        char key[64], value[64];
        CHECK(sscanf(at, " %63[^= ]=%63[^ ]", key, value) == 2);
        CHECK_OK(gsim_params_set(ops->params, params, key, value, &error), error);
    }
    const struct gsim_simulation simulation = {.program = program,
                                               .device = &device,
                                               .scheduler = ops,
                                               .scheduler_params = params,
                                               .gpu = {.check = true, .tolerance = 0.004},
                                               .memory = memory,
                                               .prefetch = true,
                                               .iterations = iterations,
                                               .seed = 1,
                                               .detailed = true};
    enum gsim_status status = gsim_simulate(&simulation, timeline, &error);
    CHECK_OK(status, error);
    if (status == GSIM_OK) CHECK_OK(gsim_verify_timeline(timeline, program, iterations, false, &error), error);
    told_count = timeline->figure_count < 16 ? timeline->figure_count : 16;
    for (size_t i = 0; i < told_count; i++) told[i] = timeline->figures[i];
}

static double figure(const char *name)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].name, name) == 0) return told[i].value;
    return -1;
}

static const struct gsim_kernel_record *record_of(const struct gsim_timeline *t, uint32_t op)
{
    static const struct gsim_kernel_record none = {.start = -1, .end = -1};
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].op == op) return &t->kernels[i];
    return &none;
}

static void hazards_are_kept(void)
{
    static const char *const options[] = {"window=1 list=1", "window=2 list=3", "window=5 list=2", "window=8 list=32",
                                          "window=32 list=4"};
    static const char *const sw_options[] = {"window=1 threads=1", "window=3 threads=2", "window=8 threads=8",
                                             "window=32 threads=3"};
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct gsim_program program = {0};
        struct gsim_timeline timeline = {0};
        enum gsim_memory_mode memory = (enum gsim_memory_mode)(seed % 3);
        if (seed % 2) segments_random(seed, 40, seed % 5 ? 0 : 8, &program);
        else program_random(seed, &program);
        run("acs-hw", &program, options[seed % 5], memory, 1 + (uint32_t)(seed % 3), &timeline);
        gsim_timeline_release(&timeline);
        run("acs-sw", &program, sw_options[seed % 4], memory, 1 + (uint32_t)(seed % 3), &timeline);
        gsim_timeline_release(&timeline);
        gsim_program_release(&program);
    }
}

/* Kernels that take TIMES us, one block each, all independent. */
static void independent(const double *times, uint32_t count, struct gsim_program *program)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("independent");
    for (uint32_t i = 0; i < count; i++) {
        struct gsim_kernel kernel = fixture_kernel("k", 1, 64, times[i]);
        gsim_builder_op(b, &(struct gsim_op){
                               .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .stream = -1});
    }
    CHECK_OK(gsim_builder_finish(b, 1, program, &error), error);
}

#define FREE "push_us=0 check_us=0 check_entry_us=0 insert_cycles=0 update_cycles=0 start_cycles=0"

/* Launches arrive at 3, 5, 7, ... us. */
static void insertion_stops_when_the_list_could_forget(void)
{
    static const double times[] = {100, 10, 10, 10, 10, 10};
    struct gsim_program program = {0};
    struct gsim_timeline t = {0};
    independent(times, 6, &program);
    run("acs-hw", &program, FREE " window=8 list=3", GSIM_MEMORY_PINNED, 1, &t);
    CHECK_NEAR(gsim_time_us(record_of(&t, 3)->start), 9, 1e-5);   /* three newer than the first are known to the list */
    CHECK_NEAR(gsim_time_us(record_of(&t, 4)->start), 103, 1e-5); /* the fourth would push it out */
    CHECK_NEAR(gsim_time_us(record_of(&t, 5)->start), 103, 1e-5);
    CHECK_NEAR(figure("wait for the list"), (103 - 11) / 6.0, 1e-5);
    CHECK_NEAR(figure("wait for the window"), 0, 1e-9);
    gsim_timeline_release(&t);
    run("acs-hw", &program, FREE " window=2 list=32", GSIM_MEMORY_PINNED, 1, &t);
    CHECK_NEAR(gsim_time_us(record_of(&t, 1)->start), 5, 1e-5);
    CHECK_NEAR(gsim_time_us(record_of(&t, 2)->start), 15, 1e-5); /* no room until the second has ended */
    CHECK_NEAR(gsim_time_us(record_of(&t, 3)->start), 25, 1e-5);
    CHECK_NEAR(figure("wait for the window"), (8 + 10 + 10 + 10) / 6.0, 1e-5);
    CHECK_NEAR(figure("wait for the list"), 0, 1e-9);
    gsim_timeline_release(&t);
    gsim_program_release(&program);
}

/* A chain of two behind one kernel: 1 GHz, 4 entries: insertion 4 x 10 ns, update 3 x 100 ns, start 50 ns. */
static void costs_are_cycles(void)
{
    struct gsim_program program = {0};
    struct gsim_timeline t = {0};
    static const char *const lines[] = {"a: > x", "b: x > y", NULL};
    program_write(lines, GSIM_INIT_DEVICE, &program);
    run("acs-hw", &program,
        "push_us=1 check_us=0.5 check_entry_us=0.25 window=4 insert_cycles=10 update_cycles=100 start_cycles=50",
        GSIM_MEMORY_PINNED, 1, &t);
    const struct gsim_kernel_record *a = record_of(&t, 0), *b = record_of(&t, 1);
    CHECK_NEAR(gsim_time_us(a->launch), 1 + 0.5, 1e-5);
    CHECK_NEAR(gsim_time_us(b->launch), 1.5 + 2 + 1 + 0.5 + 0.25, 1e-5);
    CHECK_NEAR(gsim_time_us(a->start), 1.5 + 3 + 0.04 + 0.05, 1e-5);
    CHECK_NEAR(gsim_time_us(b->start), gsim_time_us(a->end) + 0.3 + 0.05, 1e-5);
    CHECK_NEAR(figure("dependence check"), (0.5 + 0.75) / 2, 1e-5);
    CHECK_NEAR(figure("launch"), 2, 1e-5);
    gsim_timeline_release(&t);
    gsim_program_release(&program);
}

/* --- the reference model: what each kernel starts at, one event after the other --- */
#define KERNELS 60

struct model {
    double arrival[KERNELS], us[KERNELS], start[KERNELS], end[KERNELS];
    bool follows[KERNELS][KERNELS];
};

/* Whether kernel N may come in at T: the window has room, and none older than the list is in it. */
static bool has_room(const struct model *m, uint32_t n, double t, uint32_t window, uint32_t list)
{
    uint32_t live = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (m->end[k] <= t) continue;
        live++;
        if (n - k > list) return false;
    }
    return live < window;
}

static void predict(struct model *m, uint32_t window, uint32_t list)
{
    double inserted = 0;
    for (uint32_t n = 0; n < KERNELS; n++) {
        double t = inserted > m->arrival[n] ? inserted : m->arrival[n];
        while (!has_room(m, n, t, window, list)) { /* until the next end */
            double next = INFINITY;
            for (uint32_t k = 0; k < n; k++)
                if (m->end[k] > t && m->end[k] < next) next = m->end[k];
            t = next;
        }
        inserted = m->start[n] = t;
        for (uint32_t k = 0; k < n; k++)
            if (m->follows[n][k] && m->end[k] > m->start[n]) m->start[n] = m->end[k];
        m->end[n] = m->start[n] + m->us[n];
    }
}

/* 1 to 60 us each, in whole us; room on the SMs for all of them at once. */
static void against_a_model(void)
{
    static const uint32_t windows[] = {1, 2, 5, 16, 64}, lists[] = {1, 3, 8, 40};
    uint32_t waits = 0;
    for (unsigned long seed = 1; seed <= 40; seed++) {
        static struct model m;
        struct gsim_program program = {0};
        struct gsim_timeline t = {0};
        struct gsim_random rng = {0};
        struct gsim_error error = {0};
        char options[160];
        uint32_t window = windows[seed % 5], list = lists[seed % 4];
        segments_random(seed, KERNELS, seed % 3 ? 0 : 20, &program);
        CHECK_OK(gsim_random_init(&rng, seed, &error), error);
        for (uint32_t i = 0; i < program.kernel_count; i++) {
            double us = 1 + gsim_random_integer(&rng, 60);
            program.kernels[i].solo_us = 0;
            program.kernels[i].grid.x = 1;
            program.kernels[i].regs_per_thread = 16;
            program.kernels[i].thread_cycles = us * 1000;
        }
        for (uint32_t n = 0; n < KERNELS; n++) {
            m.us[n] = program.kernels[program.ops[n].kernel_index].thread_cycles / 1000;
            m.arrival[n] = 3 + 2 * n;
            for (uint32_t k = 0; k < n; k++)
                m.follows[n][k] = segments_conflict(&program.ops[k], &program.ops[n]) ||
                                  (program.ops[n].after_count && program.ops[n].after[0] == k);
        }
        predict(&m, window, list);
        snprintf(options, sizeof options, FREE " window=%u list=%u", window, list);
        run("acs-hw", &program, options, GSIM_MEMORY_PINNED, 1, &t);
        for (uint32_t n = 0; n < KERNELS; n++) {
            double start = gsim_time_us(record_of(&t, n)->start);
            CHECK_MSG(fabs(start - m.start[n]) < 1e-5,
                      "program %lu, window %u, list %u, kernel %u: at %.3f, expected %.3f", seed, window, list, n,
                      start, m.start[n]);
            waits += m.start[n] > m.arrival[n];
        }
        gsim_timeline_release(&t);
        gsim_random_release(&rng);
        gsim_program_release(&program);
    }
    CHECK(waits > 40 * KERNELS / 2);
}

/* Where there is no front end to put it into. */
static void needs_a_front_end(void)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find("acs-hw");
    struct gsim_driver_ops none = {.name = "none"};
    struct gsim_driver driver = {.ops = &none};
    struct gsim_error error = {0};
    struct gsim_lowering lowering = {0};
    double params[64] = {0};
    CHECK(ops && ops->has_frontend);
    gsim_params_set_defaults(ops->params, params);
    struct gsim_run run = {.driver = &driver, .params = params, .state = &lowering, .iterations = 1};
    CHECK_INT(ops->execute(&run, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "which only simulated GPUs have");
}

static void out_of_memory(void)
{
    static const char *const names[] = {"acs-hw", "acs-sw"};
    struct gsim_program program = {0};
    struct gsim_demand demands[12];
    struct gsim_error problem = {0};
    segments_random(3, 12, 6, &program);
    CHECK_OK(gsim_demands_init(demands, program.kernel_count, &device, program.kernels, &problem), problem);
    for (int s = 0; s < 2; s++) {
        bool is_done = false;
        for (uint64_t nth = 1; nth < 3000 && !is_done; nth += 3) {
            struct gsim_timeline timeline = {0};
            struct gsim_error error = {0};
            const struct gsim_simulation simulation = {.program = &program,
                                                       .device = &device,
                                                       .scheduler = gsim_scheduler_find(names[s]),
                                                       .gpu = {.tolerance = 0.004},
                                                       .memory = GSIM_MEMORY_PINNED,
                                                       .iterations = 1,
                                                       .seed = 1,
                                                       .demands = demands};
            gsim_alloc_fail_nth(nth);
            enum gsim_status status = gsim_simulate(&simulation, &timeline, &error);
            is_done = gsim_alloc_fail_nth(0) < nth;
            CHECK_MSG(status == GSIM_OK || (!is_done && status == GSIM_NOMEM), "%s: allocation %d: status %d: %s",
                      names[s], (int)nth, (int)status, error.message);
            if (status == GSIM_OK)
                CHECK_OK(gsim_verify_timeline(&timeline, &program, 1, false, &error),
                         error); /* some memory is not needed */
            gsim_timeline_release(&timeline);
        }
        CHECK(is_done);
    }
    gsim_program_release(&program);
}

static void setup(void)
{
    device = fixture_device();
    device.sm_count = 64;
}

static const struct test_case cases[] = {
    {"set up", setup},
    {"hazards are kept", hazards_are_kept},
    {"insertion stops when the list could forget", insertion_stops_when_the_list_could_forget},
    {"costs are cycles", costs_are_cycles},
    {"against a model", against_a_model},
    {"needs a front end", needs_a_front_end},
    {"allocations may fail", out_of_memory},
};

TEST_MAIN("schedulers/acs_hw", cases)
