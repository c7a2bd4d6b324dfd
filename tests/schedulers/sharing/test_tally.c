/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tally's rules, hand-computed on an idealised machine: a kernel of two waves of 50 us from 0 on, an urgent one of 20
 * from 10 on. */
#include "tests/sim/task_fixture.h"

static struct task_fixture pair(const char *form)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front[1] = {filling("u", 20, 0)}, back = {fixture_kernel("long", 16, 1024, 50), 0, true};
    add_service(&f, "front", front, 1)->start_us = 10;
    add_service(&f, "back", &back, 1)->priority = 1;
    profile(&f);
    f.opts[0] = form;
    f.opts[1] = "idle_us=10";
    f.opts[2] = "hop_us=0";
    f.opts[3] = "turnaround_us=30";
    return f;
}

/* Its first wave ends at 50, and no further block begins; u 50 to 70; 10 us later the second wave. */
static void stops(void)
{
    struct task_fixture f = pair("form=stops");
    share(&f, "tally");
    CHECK_TASK_KERNEL(&f, 0, 0, 50, 70);
    CHECK_TASK_KERNEL(&f, 1, 0, 0, 130);
    f.opts[3] = "turnaround_us=200"; /* short enough to be left whole: its blocks wait behind the urgent ones */
    share(&f, "tally");
    CHECK_TASK_KERNEL(&f, 0, 0, 50, 70);
    CHECK_TASK_KERNEL(&f, 1, 0, 0, 120);
    task_fixture_release(&f);
}

static void whole(void)
{
    struct task_fixture f = pair("form=whole");
    share(&f, "tally");
    CHECK_TASK_KERNEL(&f, 1, 0, 0, 120);
    task_fixture_release(&f);
}

/* Nothing of others goes until the urgent task has been idle for so long. */
static void waits_for_idleness(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front[2] = {filling("u1", 20, 5), filling("u2", 20, 0)}, back[1] = {filling("x", 10, 0)};
    add_service(&f, "front", front, 2);
    struct gsim_task *b = add_service(&f, "back", back, 1);
    b->priority = 1;
    b->start_us = 1;
    profile(&f);
    f.opts[0] = "idle_us=10";
    f.opts[1] = "hop_us=0";
    share(&f, "tally");
    CHECK_TASK_KERNEL(&f, 0, 1, 25, 45); /* the gap of 5 us is shorter */
    CHECK_TASK_KERNEL(&f, 1, 0, 55, 65);
    f.opts[0] = "idle_us=3";
    share(&f, "tally");
    CHECK_TASK_KERNEL(&f, 1, 0, 23, 33);
    CHECK_TASK_KERNEL(&f, 0, 1, 33, 53);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"stops between blocks", stops}, {"whole kernels", whole}, {"waits for idleness", waits_for_idleness}};
TEST_MAIN("schedulers/sharing/tally", cases)
