/* SPDX-License-Identifier: GPL-3.0-or-later */
/* REEF and REEF-N, hand-computed on an idealised machine: a best-effort kernel of 50 us from 0 on, a real-time one of
 * 20 from 10 on. */
#include "tests/sim/task_fixture.h"

static struct task_fixture pair(double start_us)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front[1] = {filling("u", 20, 0)}, back[2] = {filling("x", 50, -1), filling("y", 10, -1)};
    add_service(&f, "front", front, 1)->start_us = start_us;
    add_service(&f, "back", back, 2)->priority = 1;
    profile(&f);
    f.opts[0] = "preempt_us=5";
    return f;
}

/* x is killed at 10, u goes at 15, and x again from its start at 35. */
static void reset(void)
{
    struct task_fixture f = pair(10);
    share(&f, "reef");
    CHECK_TASK_KERNEL(&f, 0, 0, 15, 35);
    CHECK_TASK_KERNEL(&f, 1, 0, 35, 85);
    CHECK_TASK_KERNEL(&f, 1, 1, 85, 95);
    CHECK_INT(f.timeline.kernel_count, 3);
    f.opts[1] = "wait=on";
    share(&f, "reef");
    CHECK_TASK_KERNEL(&f, 1, 0, 0, 50);
    CHECK_TASK_KERNEL(&f, 0, 0, 50, 70);
    CHECK_TASK_KERNEL(&f, 1, 1, 70, 80);
    task_fixture_release(&f);
}

/* Nothing real-time: the others go at the twelfth look, one each 2 us. The real-time kernel then waits for what
 * runs. */
static void n_depth(void)
{
    struct task_fixture f = pair(40);
    f.opts[1] = "variant=n";
    share(&f, "reef");
    CHECK_TASK_KERNEL(&f, 1, 0, 24, 74);
    CHECK_TASK_KERNEL(&f, 0, 0, 74, 94);
    task_fixture_release(&f);
}

/* Beside a real-time kernel of 20 us on half of the SMs goes the first of the others that is no longer and needs no
 * fewer SMs. */
static void n_pads(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front = {fixture_kernel("u", 4, 1024, 20), 0, true},
                      slow = {fixture_kernel("slow", 4, 1024, 30), 0, true},
                      small = {fixture_kernel("small", 1, 1024, 5), 0, true},
                      fits = {fixture_kernel("fits", 4, 1024, 15), 0, true};
    add_service(&f, "front", &front, 1)->start_us = 10;
    add_service(&f, "slow", &slow, 1)->priority = 1;
    add_service(&f, "small", &small, 1)->priority = 1;
    add_service(&f, "fits", &fits, 1)->priority = 1;
    profile(&f);
    f.opts[0] = "variant=n";
    f.opts[1] = "depth=100";
    share(&f, "reef");
    CHECK_TASK_KERNEL(&f, 0, 0, 10, 30);
    CHECK_TASK_KERNEL(&f, 3, 0, 10, 25);
    CHECK(gsim_time_us(kernel_of(&f, 1, 0)->start) > 30 && gsim_time_us(kernel_of(&f, 2, 0)->start) > 30);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {{"reset", reset}, {"REEF-N's depth", n_depth}, {"REEF-N's padding", n_pads}};
TEST_MAIN("schedulers/sharing/reef", cases)
