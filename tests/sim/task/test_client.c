/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of tasks, hand-computed: a kernel that fills the GPU for 10 us takes 15 us as a request: call to 2, blocks
 * from 3 to 13, synchronise to 15.
 */
#include "tests/sim/task_fixture.h"

#include <math.h>

static void one_after_the_other(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 8, 10)->requests = 2;
    add_kernel_task(&f, "b", 8, 10)->requests = 2;
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 15);
    CHECK_REQUEST(&f, 1, 0, 0, 15, 30);
    CHECK_REQUEST(&f, 0, 1, 15, 30, 45);
    CHECK_REQUEST(&f, 1, 1, 30, 45, 60);
    CHECK_TASK_KERNEL(&f, 1, 0, 18, 28);
    CHECK_INT(f.stats[0].requests, 2);
    CHECK_NEAR(f.stats[0].mean_us, (15 + 30) / 2.0, 1e-6);
    f.opts[0] = "unit=task"; /* all of a's, then all of b's */
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 1, 15, 15, 30);
    CHECK_REQUEST(&f, 1, 0, 0, 30, 45);
    CHECK_REQUEST(&f, 1, 1, 45, 45, 60);
    task_fixture_release(&f);
}

/* c is less urgent than b, which comes later: b is next all the same. */
static void urgent_first(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 8, 10)->priority = 5;
    struct gsim_task *b = add_kernel_task(&f, "b", 8, 10);
    b->start_us = 5;
    add_kernel_task(&f, "c", 8, 10)->priority = 3;
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 15);
    CHECK_REQUEST(&f, 1, 0, 5, 15, 30);
    CHECK_REQUEST(&f, 2, 0, 0, 30, 45);
    task_fixture_release(&f);
}

static void arrivals(void)
{
    static const double times[] = {0, 10, 100};
    struct task_fixture f = task_fixture();
    struct gsim_task *t = add_kernel_task(&f, "t", 8, 10);
    t->requests = 3;
    t->gap_us = 7;
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 1, 22, 22, 37);
    t->arrival = GSIM_ARRIVAL_PERIODIC;
    t->period_us = 12;
    t->deadline_us = 18.5;
    t->start_us = 1;
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 0, 1, 1, 16);
    CHECK_REQUEST(&f, 0, 1, 13, 16, 31);
    CHECK_REQUEST(&f, 0, 2, 25, 31, 46);
    CHECK_INT(f.stats[0].late, 1); /* 15, 18, 21 us */
    t->arrival = GSIM_ARRIVAL_LIST;
    t->times_us = times;
    t->time_count = 3;
    t->start_us = 0;
    t->requests = 0;
    share(&f, "exclusive");
    CHECK_INT(f.stats[0].requests, 3);
    CHECK_REQUEST(&f, 0, 1, 10, 15, 30);
    CHECK_REQUEST(&f, 0, 2, 100, 100, 115);
    task_fixture_release(&f);
}

/* A thousand at 10,000 a second take a tenth of a second, and the same seed gives the same. */
static void poisson(void)
{
    struct task_fixture f = task_fixture();
    struct gsim_task *t = add_kernel_task(&f, "t", 8, 10);
    t->requests = 1000;
    t->arrival = GSIM_ARRIVAL_POISSON;
    t->rate_per_s = 10000;
    share(&f, "exclusive");
    double last = gsim_time_us(request_of(&f, 0, 999)->arrival);
    CHECK_MSG(fabs(last / 1e5 - 1) < 0.12, "%.0f us", last);
    share(&f, "exclusive");
    CHECK_NEAR(gsim_time_us(request_of(&f, 0, 999)->arrival), last, 1e-9);
    f.seed = 2;
    share(&f, "exclusive");
    CHECK(fabs(gsim_time_us(request_of(&f, 0, 999)->arrival) - last) > 1);
    task_fixture_release(&f);
}

/* A task without a number of requests ends with the last of the others; one with a duration begins none later. */
static void ends(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 4, 10)->requests = 10;
    add_kernel_task(&f, "b", 4, 10)->requests = 0;
    share(&f, "mps");
    CHECK_INT(f.stats[0].requests, 10);
    CHECK_INT(f.stats[1].requests, 10);
    f.tasks[0].requests = 0;
    f.tasks[0].duration_us = 100;
    share(&f, "mps");
    CHECK_INT(f.stats[0].requests, 7); /* from 0, 15, ... 90 */
    f.tasks[0].duration_us = 0;
    CHECK_INT(try_share(&f, gsim_sharing_find("mps")), GSIM_INPUT);
    CHECK_HAS(f.error.message, "expected one that ends");
    f.tasks[0].requests = 400; /* 1e4 s apart, of at most 4e6 s: 2^63 ps are 9.2e6 s */
    f.tasks[0].gap_us = 1e10;
    CHECK_INT(try_share(&f, gsim_sharing_find("exclusive")), GSIM_OK);
    f.tasks[0].requests = 402;
    CHECK_INT(try_share(&f, gsim_sharing_find("exclusive")), GSIM_INPUT);
    CHECK_HAS(f.error.message, "a request arrives later");
    task_fixture_release(&f);
}

/* Threads of one process: each waits for its own streams alone, the default stream too. */
static void own_streams(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 4, 10);
    add_kernel_task(&f, "b", 4, 100);
    share(&f, "streams");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 15);
    CHECK_REQUEST(&f, 1, 0, 0, 0, 105);
    f.tasks[0].scheduler = f.tasks[1].scheduler = gsim_scheduler_find("serial"); /* uses the default stream */
    share(&f, "streams");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 15);
    CHECK_REQUEST(&f, 1, 0, 0, 0, 105);
    task_fixture_release(&f);
}

/* Every scheduler serves two tasks under every mechanism: no kernel is lost. */
static void schedulers(void)
{
    struct task_fixture f = task_fixture();
    const struct step steps[3] = {{fixture_kernel("x", 4, 256, 10), 0, false},
                                  {fixture_kernel("y", 2, 256, 5), 3, true},
                                  {fixture_kernel("z", 8, 256, 7), 0, false}};
    add_service(&f, "a", steps, 3)->requests = 4;
    add_service(&f, "b", steps, 3)->requests = 3;
    for (uint32_t s = 0; gsim_scheduler_at(s); s++)
        for (uint32_t w = 0; w < 5; w++) {
            f.tasks[0].scheduler = f.tasks[1].scheduler = gsim_scheduler_at(s);
            enum gsim_status status = try_share(&f, gsim_sharing_at(w));
            bool is_resident = strcmp(gsim_scheduler_at(s)->name, "ccks") == 0 ||
                               strcmp(gsim_scheduler_at(s)->name, "persistent") == 0;
            if (is_resident && strcmp(gsim_sharing_at(w)->name, "timeslice") == 0) {
                CHECK(status != GSIM_OK); /* refused */
                continue;
            }
            CHECK_OK(status, f.error);
            CHECK_MSG(f.timeline.kernel_count == 21 && f.timeline.request_count == 7, "%s under %s: %zu kernels",
                      gsim_scheduler_at(s)->name, gsim_sharing_at(w)->name, f.timeline.kernel_count);
        }
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"one after the other", one_after_the_other},
    {"the urgent one first", urgent_first},
    {"arrivals", arrivals},
    {"Poisson arrivals", poisson},
    {"ends", ends},
    {"streams of one's own", own_streams},
    {"every scheduler under every mechanism", schedulers},
};
TEST_MAIN("sim/task/client", cases)
