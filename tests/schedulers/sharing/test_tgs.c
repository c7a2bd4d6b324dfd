/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TGS: others launch nothing while five messages find the production job's rate, then up to the limit of the window. */
#include "tests/sim/task_fixture.h"

static struct task_fixture pair(uint32_t blocks)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step front = {fixture_kernel("p", 800, 256, 4), 0, true},
                      back = {fixture_kernel("x", blocks, 256, 1), 0, true};
    struct gsim_task *p = add_service(&f, "production", &front, 1);
    p->requests = 0;
    p->duration_us = 20000;
    p = add_service(&f, "other", &back, 1);
    p->priority = 1;
    p->requests = 0;
    p->duration_us = 20000;
    f.opts[0] = "message_us=1000";
    f.opts[1] = "window_us=1000";
    f.opts[2] = "tick_us=10";
    return f;
}

static void profiles_first(void)
{
    struct task_fixture f = pair(32);
    share(&f, "tgs");
    double first = gsim_time_us(kernel_of(&f, 1, 0)->start);
    CHECK_MSG(first >= 5000 && first < 5100, "at %.0f us", first);
    task_fixture_release(&f);
}

/* Kernels of 25,000 blocks: one takes a window past the first limit of 20,000, so the next one waits for the next
 * window. */
static void limit(void)
{
    struct task_fixture f = pair(25000);
    share(&f, "tgs");
    const struct gsim_kernel_record *one = kernel_of(&f, 1, 0), *two = kernel_of(&f, 1, 1);
    CHECK(one->start > 0 && two->start > 0);
    CHECK_MSG(gsim_time_us(two->start - one->start) >= 980, "%.0f us", gsim_time_us(two->start - one->start));
    task_fixture_release(&f);
}

/* A production job that has ended holds nobody back: the limit is lifted. */
static void lifted(void)
{
    struct task_fixture f = pair(32);
    f.tasks[0].duration_us = 0;
    f.tasks[0].requests = 1;
    share(&f, "tgs");
    CHECK_MSG(f.stats[1].requests > 20, "%u requests", f.stats[1].requests);
    task_fixture_release(&f);
}

/* The production job's kernel of 4 us ends long before the first message: the other task begins there, not at the fifth
 * message. */
static void ends_first(void)
{
    struct task_fixture f = pair(32);
    f.tasks[0].duration_us = f.tasks[1].duration_us = 0;
    f.tasks[0].requests = f.tasks[1].requests = 1;
    share(&f, "tgs");
    double end = gsim_time_us(kernel_of(&f, 0, 0)->end), first = gsim_time_us(kernel_of(&f, 1, 0)->start);
    CHECK_MSG(end > 0 && end < 1000, "ends at %.3f us", end);
    CHECK_MSG(first >= end && first <= end + f.device.slice_switch_us, "at %.3f us", first);
    task_fixture_release(&f);
}

/* A message each 1 ms: 20 of them say enough, 19 do not. */
static void notes(void)
{
    const struct gsim_sharing_ops *tgs = gsim_sharing_find("tgs");
    const double params[] = {1000, 1000, 10}; /* message_us, window_us, tick_us */
    char text[GSIM_REPORT_NOTE] = "";
    struct gsim_task_stats stats[2] = {{.end_us = 100}, {.end_us = 19999}};
    CHECK(gsim_sharing_note(tgs, params, stats, 2, text));
    CHECK_MSG(strstr(text, "tgs: 19 messages") != NULL, "%s", text);
    stats[1].end_us = 20000;
    CHECK(!gsim_sharing_note(tgs, params, stats, 2, text));
    CHECK(!gsim_sharing_note(gsim_sharing_find("mps"), params, stats, 2, text));
}

static const struct test_case cases[] = {{"profiles first", profiles_first},
                                         {"limit", limit},
                                         {"lifted", lifted},
                                         {"ends first", ends_first},
                                         {"notes", notes}};
TEST_MAIN("schedulers/sharing/tgs", cases)
