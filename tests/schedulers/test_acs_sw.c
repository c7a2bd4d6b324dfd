/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * acs-sw on random programs: windows of 1 to 64 kernels, 1 to 8 threads, every memory mode; all ops run once and every
 * hazard is kept (gsim_verify_timeline). A chain gains nothing, independent kernels run as many at once as there are
 * threads.
 */
#include "gpusim/simulate.h"
#include "sim/program/verify.h"
#include "tests/schedulers/programs.h"
#include "tests/test.h"

struct acs_params { /* as in schedulers/acs_sw.c: set by name */
    char room[256];
};

static struct gsim_device_spec device;

static void set(const struct gsim_scheduler_ops *ops, void *params, const char *name, unsigned value)
{
    struct gsim_error error = {0};
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    CHECK_OK(gsim_params_set(ops->params, params, name, text, &error), error);
}

static gsim_time run(const struct gsim_program *program, unsigned window, unsigned threads,
                     enum gsim_memory_mode memory, uint32_t iterations)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find("acs-sw");
    struct gsim_timeline timeline = {0};
    struct gsim_error error = {0};
    struct acs_params params;
    CHECK(ops && ops->params_size <= sizeof params);
    gsim_params_set_defaults(ops->params, &params);
    set(ops, &params, "window", window);
    set(ops, &params, "threads", threads);
    const struct gsim_simulation simulation = {.program = program,
                                               .device = &device,
                                               .scheduler = ops,
                                               .scheduler_params = &params,
                                               .gpu = {.check = true, .tolerance = 0.004},
                                               .memory = memory,
                                               .prefetch = true,
                                               .iterations = iterations,
                                               .seed = 1};
    enum gsim_status status = gsim_simulate(&simulation, &timeline, &error);
    CHECK_OK(status, error);
    if (status == GSIM_OK) CHECK_OK(gsim_verify_timeline(&timeline, program, iterations, false, &error), error);
    gsim_time end = timeline.iteration_count ? timeline.iterations[timeline.iteration_count - 1].end : 0;
    gsim_timeline_release(&timeline);
    return end;
}

static void random_programs_keep_every_hazard(void)
{
    static const unsigned windows[] = {1, 2, 3, 8, 64}, threads[] = {1, 2, 3, 8};
    for (unsigned long seed = 1; seed <= 40; seed++) {
        struct gsim_program program = {0};
        program_random(seed, &program);
        run(&program, windows[seed % 5], threads[seed % 4], (enum gsim_memory_mode)(seed % 3),
            1 + (uint32_t)(seed % 3));
        gsim_program_release(&program);
    }
}

static void write_kernels(struct gsim_program *program, bool is_chain)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("kernels");
    const struct gsim_kernel kernel = {.name = "k", .grid = {4, 1, 1}, .block = {128, 1, 1}, .solo_us = 200};
    uint32_t k = gsim_builder_kernel(b, &kernel);
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t before = i - 1;
        const struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                                   .kernel_index = k,
                                   .after = &before,
                                   .after_count = is_chain && i > 0,
                                   .stream = -1};
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, program, &error), error);
}

static void threads_bound_what_runs_at_once(void)
{
    struct gsim_program chain = {0}, independent = {0};
    write_kernels(&chain, true);
    write_kernels(&independent, false);
    double one = gsim_time_us(run(&independent, 32, 1, GSIM_MEMORY_PINNED, 1)),
           four = gsim_time_us(run(&independent, 32, 4, GSIM_MEMORY_PINNED, 1)),
           narrow = gsim_time_us(run(&independent, 2, 4, GSIM_MEMORY_PINNED, 1)),
           serial = gsim_time_us(run(&chain, 32, 4, GSIM_MEMORY_PINNED, 1));
    CHECK_MSG(one > 24 * 200 && one < 24 * 230, "one thread: %.1f us", one);
    CHECK_MSG(four > 6 * 200 && four < 6 * 240, "four threads: %.1f us", four);
    CHECK_MSG(narrow > 12 * 200 && narrow < 12 * 240, "a window of two: %.1f us", narrow);
    CHECK_MSG(serial > 24 * 200 && serial < 24 * 240, "a chain: %.1f us", serial);
    gsim_program_release(&chain);
    gsim_program_release(&independent);
}

static void setup(void)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
}

static void teardown(void) { gsim_device_release(&device); }

static const struct test_case cases[] = {
    {"set up", setup},
    {"random programs keep every hazard", random_programs_keep_every_hazard},
    {"threads bound what runs at once", threads_bound_what_runs_at_once},
    {"tear down", teardown},
};

TEST_MAIN("schedulers/acs_sw", cases)
