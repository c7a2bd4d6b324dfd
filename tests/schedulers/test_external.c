/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedulers outside the tree, from shared objects in GPUSIM_PLUGIN_DIR: a good one does what those inside do;
 * broken ones, and those of another interface, are refused with a message.
 */
#include "gpusim/simulate.h"
#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

static void test_good(void)
{
    const struct gsim_scheduler_ops *ops = NULL;
    struct gsim_error error = {0};
    CHECK_OK(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/depthfirst.so", &ops, &error), error);
    if (!ops) return;
    CHECK_STR(ops->name, "depthfirst");
    CHECK(gsim_scheduler_find("depthfirst") == NULL); /* loading does not register */
    for (unsigned long seed = 0; seed < 30; seed++) {
        struct gsim_program program = {0};
        program_random(seed, &program);
        for (int mode = 0; mode < 6; mode++) {
            enum gsim_status status;
            struct trial t = {.ops = ops,
                              .program = &program,
                              .memory = (enum gsim_memory_mode)(mode / 2),
                              .prefetch = mode % 2,
                              .iterations = 2,
                              .options = "streams=3"};
            struct recorder *r = trial_run(&t, &status, &error);
            struct verdict v = check_record(&t, r);
            CHECK_OK(status, error);
            CHECK_MSG(!v.text[0], "program %lu, mode %d: %s", seed, mode, v.text);
            rec_destroy(r);
        }
        gsim_program_release(&program);
    }
}

/* Host functions, waits for any and queues, in the simulator; tests/schedulers/external/waits.c says how on a GPU. */
static void test_waits(void)
{
    const struct gsim_scheduler_ops *ops = NULL;
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    CHECK_OK(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/waits.so", &ops, &error), error);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    for (unsigned long seed = 0; ops && seed < 9; seed++) {
        struct gsim_program program = {0};
        struct gsim_timeline timeline;
        program_random(seed, &program);
        struct gsim_simulation simulation = {.program = &program, .scheduler = ops, .device = &device,
                                             .memory = (enum gsim_memory_mode)(seed % 3), .iterations = 2};
        CHECK_OK(gsim_simulate(&simulation, &timeline, &error), error);
        gsim_timeline_release(&timeline);
        gsim_program_release(&program);
    }
    gsim_device_release(&device);
}

static void test_broken(void)
{
    const struct gsim_scheduler_ops *ops = NULL;
    struct gsim_error error = {0};
    CHECK_INT(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/unnamed.so", &ops, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "unnamed.so': gsim_scheduler.name: expected a name, found none");
    CHECK_INT(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/symbolless.so", &ops, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "symbolless.so': expected a symbol \"gsim_scheduler\", found none");
    CHECK_INT(gsim_scheduler_load("tests/test.h.so", &ops, &error), GSIM_INPUT);
    CHECK(ops == NULL);
}

/* One line that names what was found and what was expected, at load and in gsim_simulate(). */
static void test_other_interface(void)
{
    const struct gsim_scheduler_ops *ops = NULL;
    struct gsim_error error = {0};
    char expected[160];
    CHECK_INT(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/otherabi.so", &ops, &error), GSIM_INPUT);
    snprintf(expected, sizeof expected, "otherabi.so': gsim_scheduler.abi: expected %u, found %u: compile it again",
             GSIM_ABI, GSIM_ABI + 6);
    CHECK_HAS(error.message, expected);
    CHECK_INT(gsim_scheduler_load(GPUSIM_PLUGIN_DIR "/othersize.so", &ops, &error), GSIM_INPUT);
    snprintf(expected, sizeof expected, "othersize.so': gsim_scheduler.size: expected %zu, found %zu: compile it again",
             sizeof *ops, sizeof *ops - sizeof(void *));
    CHECK_HAS(error.message, expected);
    CHECK(!strchr(error.message, '\n'));
    CHECK(ops == NULL);

    struct gsim_scheduler_ops other = *gsim_scheduler_find("serial");
    other.abi = 0;
    struct gsim_program program = {.name = "p", .iterations = 1};
    struct gsim_timeline timeline;
    struct gsim_simulation simulation = {.program = &program, .scheduler = &other};
    CHECK_INT(gsim_simulate(&simulation, &timeline, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "scheduler.abi: expected ");
    gsim_timeline_release(&timeline);
}

static const struct test_case cases[] = {
    {"an out-of-tree scheduler runs", test_good},
    {"an out-of-tree scheduler waits for host functions", test_waits},
    {"broken plug-ins are refused", test_broken},
    {"plug-ins of another interface are refused", test_other_interface},
};

TEST_MAIN("schedulers/external", cases)
