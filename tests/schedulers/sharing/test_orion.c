/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orion's rule, hand-computed on an idealised machine of 4 SMs, each with room for 2 blocks of 1024 threads. */
#include "tests/sim/task_fixture.h"

static struct task_fixture beside(const struct gsim_kernel *others, uint32_t count)
{
    static const char *const names[] = {"b", "c", "d", "e"};
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent = {fixture_kernel("u", 4, 1024, 20), 0, true};
    add_service(&f, "urgent", &urgent, 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct step step = {others[i], 0, true};
        struct gsim_task *t = add_service(&f, names[i], &step, 1);
        t->priority = 1 + (int)i;
        t->start_us = 0.001 * (i + 1);
    }
    profile(&f);
    f.opts[0] = "decision_us=0";
    return f;
}

/* The urgent kernel needs 2 SMs; 2 more fit beside it; one that needs 8 never does, and goes when the urgent task has
 * no request. */
static void sm_need(void)
{
    const struct gsim_kernel others[2] = {fixture_kernel("small", 4, 1024, 10), fixture_kernel("big", 16, 1024, 10)};
    struct task_fixture f = beside(others, 2);
    share(&f, "orion");
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 20);
    CHECK_TASK_KERNEL(&f, 1, 0, 0.001, 10.001);
    CHECK_TASK_KERNEL(&f, 2, 0, 20, 40);
    f.opts[1] = "sm_threshold=1";
    share(&f, "orion");
    CHECK_TASK_KERNEL(&f, 1, 0, 20, 30);
    task_fixture_release(&f);
}

/* Two of 10 us pass the budget of 15: the third waits until both have ended. */
static void budget(void)
{
    const struct gsim_kernel others[3] = {fixture_kernel("k1", 1, 1024, 10), fixture_kernel("k2", 1, 1024, 10),
                                          fixture_kernel("k3", 1, 1024, 5)};
    struct task_fixture f = beside(others, 3);
    f.opts[1] = "max_be_us=15";
    share(&f, "orion");
    CHECK_TASK_KERNEL(&f, 1, 0, 0.001, 10.001);
    CHECK_TASK_KERNEL(&f, 2, 0, 0.002, 10.002);
    CHECK_TASK_KERNEL(&f, 3, 0, 10.002, 15.002);
    task_fixture_release(&f);
}

/* All compute-bound: three tasks wait for the urgent kernel, 2 to 22 with its decision. Its end lets one kernel of each
 * go, 2 us later; b's second, in another stream, goes with the next look, at the end of its first. */
static void round_robin(void)
{
    static const char *const names[] = {"b", "c", "d"};
    for (uint32_t at = 0; at <= 3; at += 3) { /* of the urgent one */
        struct task_fixture f = {.device = free_device(), .seed = 1};
        struct step urgent = {fixture_kernel("u", 2, 1024, 20), 0, true};
        struct step steps[2] = {{fixture_kernel("k1", 2, 1024, 10), -1, false},
                                {fixture_kernel("k2", 2, 1024, 10), -1, false}};
        urgent.kernel.flops = steps[0].kernel.flops = steps[1].kernel.flops = 1;
        for (uint32_t i = 0; i < 4; i++) {
            bool is_first = i == (at == 0);
            struct gsim_task *t = i == at ? add_service(&f, "urgent", &urgent, 1)
                                          : add_service(&f, names[i - (at == 0)], steps, is_first ? 2 : 1);
            t->priority = i == at ? 0 : 1 + (int)i;
            t->start_us = i == at ? 0 : 0.001 * (i + 1);
            if (is_first) f.programs[i].ops[1].stream = 1;
        }
        profile(&f);
        share(&f, "orion");
        for (uint32_t i = 0; i < 4; i++) CHECK_TASK_KERNEL(&f, i, 0, i == at ? 2 : 24, i == at ? 22 : 34);
        CHECK_TASK_KERNEL(&f, at == 0, 1, 36, 46);
        task_fixture_release(&f);
    }
}

/* Both compute-bound: not beside each other. One that needs DRAM is. */
static void profiles_differ(void)
{
    for (int differs = 0; differs < 2; differs++) {
        struct gsim_kernel other = fixture_kernel("other", 2, 1024, 10);
        struct task_fixture f = {.device = free_device(), .seed = 1};
        struct step urgent = {fixture_kernel("u", 2, 1024, 20), 0, true};
        urgent.kernel.flops = 1;
        if (differs) other.dram_bytes = 1;
        else other.flops = 1;
        const struct step step = {other, 0, true};
        add_service(&f, "urgent", &urgent, 1);
        struct gsim_task *t = add_service(&f, "other", &step, 1);
        t->priority = 1;
        t->start_us = 1;
        profile(&f);
        f.opts[0] = "decision_us=0";
        share(&f, "orion");
        double start = gsim_time_us(kernel_of(&f, 1, 0)->start), end = gsim_time_us(kernel_of(&f, 0, 0)->end);
        if (differs) CHECK_NEAR(start, 1, 1e-3);
        else CHECK_NEAR(start, end, 1e-3);
        task_fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"SM need", sm_need}, {"budget", budget}, {"round robin", round_robin}, {"profiles differ", profiles_differ}};
TEST_MAIN("schedulers/sharing/orion", cases)
