/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contract suite: every registered scheduler x every built-in workload x memory mode x prefetch.
 * A new plug-in is covered from the moment it is listed. What is checked: tests/contract/contract.h.
 */
#include "gpusim/workload.h"
#include "sim/device/rules.h"
#include "tests/contract/contract.h"
#include "tests/test.h"

enum { ITERATIONS = 2 };

/* Under all schedulers; IS_SHORT: serial, cudagraph and kesco alone. */
static void check_workload(const struct gsim_workload_ops *workload, enum gsim_shape shape,
                           const struct gsim_device_spec *device, enum gsim_memory_mode memory, bool prefetch,
                           bool is_short)
{
    static const char *const few[] = {"serial", "cudagraph", "kesco"};
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    struct gsim_workload_options options = {.suite = GSIM_SUITE_KESCO, .shape = shape};
    CHECK_OK(workload->build(&options, &program, &error), error);
    if (error.status != GSIM_OK) return;
    double *least_us = contract_least_us(&program, device);
    const struct gsim_scheduler_ops *scheduler;
    for (uint32_t i = 0; least_us && (scheduler = gsim_scheduler_at(i)); i++) {
        char label[160];
        bool is_one = !is_short;
        for (size_t f = 0; f < sizeof few / sizeof few[0]; f++) is_one |= strcmp(scheduler->name, few[f]) == 0;
        if (scheduler->shape != shape || !is_one) continue;
        snprintf(label, sizeof(label), "%s/%s/%s/prefetch %s", workload->name, scheduler->name,
                 memory == GSIM_MEMORY_MANAGED ? "managed" : "pinned", prefetch ? "on" : "off");
        contract_check(&(struct contract){.label = label,
                                          .program = &program,
                                          .device = device,
                                          .scheduler = scheduler,
                                          .memory = memory,
                                          .prefetch = prefetch,
                                          .iterations = ITERATIONS,
                                          .least_us = least_us});
    }
    gsim_free(least_us);
    gsim_program_release(&program);
}

static void check_all(enum gsim_memory_mode memory, bool prefetch)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    CHECK_OK(gsim_device_load(GSIM_DEVICE_DEFAULT, &device, &error), error);
    const struct gsim_workload_ops *workload;
    uint32_t count = 0;
    for (; error.status == GSIM_OK && (workload = gsim_workload_at(count)); count++) {
        bool is_short = prefetch && !test_is_full();
        check_workload(workload, GSIM_SHAPE_CONCURRENT, &device, memory, prefetch, is_short);
        check_workload(workload, GSIM_SHAPE_SERIAL, &device, memory, prefetch, is_short);
    }
    CHECK_MSG(count >= 8, "%" PRIu32 " workloads are registered", count);
    gsim_device_release(&device);
}

/* Without prefetch all schedulers, with it some; all with GPUSIM_FULL. */
static void managed(void) { check_all(GSIM_MEMORY_MANAGED, false); }
static void managed_prefetch(void) { check_all(GSIM_MEMORY_MANAGED, true); }
static void pinned(void) { check_all(GSIM_MEMORY_PINNED, false); }
static void pinned_prefetch(void) { check_all(GSIM_MEMORY_PINNED, true); }

/* Whatever rule of the model is off: copies and faults, both shapes of launches. Each of them is told apart by its name
 * and says what it is in 20 words. */
static void without_a_rule(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    CHECK_OK(gsim_device_load("h200-vm", &device, &error), error);
    const uint64_t given = device.rules_off;
    for (int i = 0; i < GSIM_RULE_COUNT && error.status == GSIM_OK; i++) {
        enum gsim_rule rule = (enum gsim_rule)i;
        const char *sentence = gsim_rule_sentence(rule);
        int words = 1;
        for (; *sentence; sentence++) words += *sentence == ' ';
        CHECK_MSG(words <= 20, "%s: %d words", gsim_rule_name(rule), words);
        CHECK_INT(gsim_rule_find(gsim_rule_name(rule)), rule);
        CHECK_OK(gsim_rule_set(&device, gsim_rule_name(rule), "off", &error), error);
        CHECK(!gsim_rule_holds(device.rules_off, rule) && device.rules_off == (given | UINT64_C(1) << i));
        check_workload(gsim_workload_find("img"), GSIM_SHAPE_CONCURRENT, &device, GSIM_MEMORY_PINNED, true, false);
        check_workload(gsim_workload_find("img"), GSIM_SHAPE_CONCURRENT, &device, GSIM_MEMORY_MANAGED, false, true);
        if (test_is_full()) {
            check_workload(gsim_workload_find("ml"), GSIM_SHAPE_CONCURRENT, &device, GSIM_MEMORY_PINNED, true, true);
            check_workload(gsim_workload_find("m2"), GSIM_SHAPE_SERIAL, &device, GSIM_MEMORY_PINNED, false, true);
        }
        CHECK_OK(gsim_rule_set(&device, gsim_rule_name(rule), "on", &error), error);
        CHECK(gsim_rule_holds(device.rules_off, rule));
        device.rules_off = given;
    }
    gsim_device_release(&device);
}

static void all_are_listed(void)
{
    static const char *const schedulers[] = {"serial", "async", "grsched", "taskflow", "cudagraph", "kesco", "heft"};
    static const char *const workloads[] = {"m1", "m2", "vec", "bs", "img", "ml", "hits", "dl"};
    for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++)
        CHECK_MSG(gsim_scheduler_find(schedulers[i]), "no scheduler '%s'", schedulers[i]);
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
        CHECK_MSG(gsim_workload_find(workloads[i]), "no workload '%s'", workloads[i]);
}

static const struct test_case cases[] = {
    {"schedulers and workloads are listed", all_are_listed}, {"managed memory, no prefetch", managed},
    {"managed memory, prefetch", managed_prefetch},          {"pinned memory", pinned},
    {"pinned memory, prefetch asked for", pinned_prefetch},
    {"without a rule", without_a_rule},
};
TEST_MAIN("contract/contract", cases)
