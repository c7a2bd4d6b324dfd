/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XSched's levels, hand-computed on an idealised machine: slices of 20 us, 2 to switch from a busy context, 1 from an
 * idle one, which is held for 1. The background has three kernels of 30 us in one stream from 0 on, the foreground two
 * of 20 from 10 on.
 */
#include "tests/sim/task_fixture.h"

static struct task_fixture pair(const char *level)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front[2] = {filling("u1", 20, -1), filling("u2", 20, -1)},
                      back[3] = {filling("x", 30, -1), filling("y", 30, -1), filling("z", 30, -1)};
    add_service(&f, "back", back, 3)->priority = 1; /* the first context */
    add_service(&f, "front", front, 2)->start_us = 10;
    f.opts[0] = level;
    f.opts[1] = "hop_us=0";
    f.opts[2] = "interrupt_us=5";
    return f;
}

/* x is stopped at 20; u1 22 to 42; x's rest 44 to 54; y was launched before, and goes until the slice is over at 64; u2
 * 66 to 86. */
static void level_1(void)
{
    struct task_fixture f = pair("level=1");
    share(&f, "xsched");
    CHECK_TASK_KERNEL(&f, 1, 0, 22, 42);
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 54);
    CHECK_TASK_KERNEL(&f, 1, 1, 42, 86);
    CHECK_TASK_KERNEL(&f, 0, 1, 54, 108); /* 10 done; its context again from 88: held to 87, 1 to switch */
    f.opts[3] = "threshold=1";            /* nothing is launched ahead: as level 2 */
    share(&f, "xsched");
    CHECK_TASK_KERNEL(&f, 1, 1, 42, 76);
    task_fixture_release(&f);
}

/* y waits; x's context is idle from 54 on, held to 55, and 1 to switch: u2's rest, all of it, from 56. */
static void level_2(void)
{
    struct task_fixture f = pair("level=2");
    share(&f, "xsched");
    CHECK_TASK_KERNEL(&f, 1, 0, 22, 42);
    CHECK_TASK_KERNEL(&f, 1, 1, 42, 76);
    CHECK_TASK_KERNEL(&f, 0, 1, 78, 108); /* held to 77, 1 to switch */
    task_fixture_release(&f);
}

/* At 10 x is interrupted, 5 until the foreground has the SMs; x goes on when that has nothing more. */
static void level_3(void)
{
    struct task_fixture f = pair("level=3");
    share(&f, "xsched");
    CHECK_TASK_KERNEL(&f, 1, 0, 15, 35);
    CHECK_TASK_KERNEL(&f, 1, 1, 35, 55);
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 76);
    CHECK_TASK_KERNEL(&f, 0, 2, 106, 136);
    task_fixture_release(&f);
}

/* Two closed loops of requests of 1 ms share the time 150 to 50 us; who ends a request loses the rest of its slice, 75
 * us on average. */
static void partition(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    struct step steps[100];
    for (int i = 0; i < 100; i++) steps[i] = filling("k", 10, i == 99 ? 0 : -1);
    for (int i = 0; i < 2; i++) {
        struct gsim_task *t = add_service(&f, i ? "b" : "a", steps, 100);
        t->percentage = i ? 25 : 75;
        t->requests = 0;
        t->duration_us = 1e5;
    }
    f.opts[0] = "policy=partition";
    f.opts[1] = "slice_us=200";
    f.opts[2] = "hop_us=0";
    f.device.slice_idle_switch_us = 0;
    share(&f, "xsched");
    double ratio = f.stats[0].kernel_us / (f.stats[0].kernel_us + f.stats[1].kernel_us);
    CHECK_MSG(ratio > 0.70 && ratio < 0.77, "%.3f of the time", ratio);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"level 1", level_1}, {"level 2", level_2}, {"level 3", level_3}, {"partition", partition}};
TEST_MAIN("schedulers/sharing/xsched", cases)
