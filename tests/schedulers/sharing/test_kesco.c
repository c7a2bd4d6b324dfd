/* SPDX-License-Identifier: GPL-3.0-or-later */
/* KeSCo's tasks, hand-computed on an idealised machine: a less urgent task's stream stands behind the more urgent one's
 * of the same place. */
#include "tests/sim/task_fixture.h"

/* A task with a kernel in each of COUNT streams, of 10, 20, ... us, a block each. */
static struct gsim_task *add_streams(struct task_fixture *f, const char *name, uint32_t count, double us)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create(name);
    uint32_t i = f->count++;
    for (uint32_t s = 0; s < count; s++) {
        struct gsim_kernel k = fixture_kernel("k", 1, 256, us * (s + 1));
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &k),
                                             .stream = (int32_t)s});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &f->programs[i], &error), error);
    f->tasks[i] = (struct gsim_task){.name = name,
                                     .program = &f->programs[i],
                                     .scheduler = gsim_scheduler_find("async"),
                                     .process = GSIM_OWN_PROCESS,
                                     .requests = 1,
                                     .priority = (int)i};
    return &f->tasks[i];
}

/* a: 0 to 10 and 0 to 20 in two streams; b's first stream follows at 10, its second at 20. */
static void postponed(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    add_streams(&f, "a", 2, 10);
    add_streams(&f, "b", 2, 5)->start_us = 0.001;
    share(&f, "kesco");
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 10);
    CHECK_TASK_KERNEL(&f, 0, 1, 0, 20);
    CHECK_TASK_KERNEL(&f, 1, 0, 10, 15);
    CHECK_TASK_KERNEL(&f, 1, 1, 20, 30);
    f.opts[0] = "demotion=off";
    share(&f, "kesco");
    CHECK_TASK_KERNEL(&f, 1, 0, 0.001, 5.001);
    f.opts[0] = "streams=1"; /* one place for all: behind both */
    share(&f, "kesco");
    CHECK_TASK_KERNEL(&f, 1, 0, 20, 25);
    task_fixture_release(&f);
}

/* A third stream has none before it. */
static void free_places(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    add_streams(&f, "a", 1, 40);
    add_streams(&f, "b", 2, 5)->start_us = 0.001;
    share(&f, "kesco");
    CHECK_TASK_KERNEL(&f, 1, 0, 0.001, 10.001);
    CHECK_TASK_KERNEL(&f, 1, 1, 40, 45);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {{"postponed", postponed}, {"free places", free_places}};
TEST_MAIN("schedulers/sharing/kesco", cases)
