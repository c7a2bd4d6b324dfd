/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies among tasks from shared objects in GPUSIM_PLUGIN_DIR, and the table of those inside. */
#include "tests/sim/task_fixture.h"

extern const struct gsim_sharing_ops gsim_sharing_skeleton;

/* One at a time: b comes at 1 and waits for a's first kernel; of what waits at 10 c is the most urgent. */
static void check_one_at_a_time(const struct gsim_sharing_ops *ops)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step steps[2] = {{fixture_kernel("x", 1, 256, 10), 0, false},
                                  {fixture_kernel("y", 1, 256, 10), 0, true}};
    add_service(&f, "a", steps, 2)->priority = 2;
    struct gsim_task *b = add_service(&f, "b", steps, 1), *c = add_service(&f, "c", steps, 1);
    b->priority = 1;
    b->start_us = 1;
    c->start_us = 2;
    CHECK_OK(try_share(&f, ops), f.error);
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 10);
    CHECK_TASK_KERNEL(&f, 2, 0, 10, 20);
    CHECK_TASK_KERNEL(&f, 1, 0, 20, 30);
    CHECK_TASK_KERNEL(&f, 0, 1, 30, 40);
    task_fixture_release(&f);
}

static void good(void)
{
    const struct gsim_sharing_ops *ops = NULL;
    struct gsim_error error = {0};
    check_one_at_a_time(&gsim_sharing_skeleton);
    CHECK_OK(gsim_sharing_load(GPUSIM_PLUGIN_DIR "/onekernel.so", &ops, &error), error);
    if (ops) check_one_at_a_time(ops);
    CHECK(gsim_sharing_find("skeleton") == NULL);
}

static void broken(void)
{
    const struct gsim_sharing_ops *ops = NULL;
    struct gsim_error error = {0};
    CHECK_INT(gsim_sharing_load(GPUSIM_PLUGIN_DIR "/symbolless.so", &ops, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "expected a symbol \"gsim_sharing\", found none");
    error = (struct gsim_error){0};
    CHECK_INT(gsim_sharing_load(GPUSIM_PLUGIN_DIR "/oldsharing.so", &ops, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "gsim_sharing.abi: expected");
    error = (struct gsim_error){0};
    CHECK_INT(gsim_sharing_load("onekernel.so", &ops, &error), GSIM_USAGE); /* a path has a slash */
    CHECK(ops == NULL);
}

static void table(void)
{
    uint32_t count = 0;
    for (; gsim_sharing_at(count); count++) {
        const struct gsim_sharing_ops *ops = gsim_sharing_at(count);
        CHECK(gsim_sharing_find(ops->name) == ops);
        CHECK(ops->abi == GSIM_ABI && ops->size == sizeof *ops && ops->base.mechanism && ops->summary && ops->source);
        CHECK_MSG(!(ops->state_size + ops->task_size) == !ops->ready, "%s", ops->name);
    }
    CHECK(count >= 11);
    CHECK_STR(gsim_sharing_at(0)->name, "exclusive");
}

static const struct test_case cases[] = {
    {"an out-of-tree policy runs", good}, {"broken plug-ins are refused", broken}, {"the table", table}};
TEST_MAIN("schedulers/sharing/external", cases)
