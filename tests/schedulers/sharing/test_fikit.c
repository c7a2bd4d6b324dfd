/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIKIT's rules on an idealised machine (calls take no time), hand-computed, and its invariants over random tasks
 * (fikit_sharing.md, 5). */
#include <gsl/gsl_rng.h>
#include <math.h>

#include "tests/sim/task_fixture.h"

/* Figure 2's case: three urgent kernels of 20 us, gaps of 30; the other task has kernels of 10 and 20 in turn, and no
 * gaps. */
static struct task_fixture figure_2(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[3] = {filling("u1", 20, 30), filling("u2", 20, 30), filling("u3", 20, 0)};
    const struct step other[4] = {filling("x", 10, -1), filling("y", 20, -1), filling("x", 10, -1),
                                  filling("y", 20, -1)};
    add_service(&f, "urgent", urgent, 3);
    struct gsim_task *o = add_service(&f, "other", other, 4);
    o->priority = 5;
    o->start_us = 0.001;
    return f;
}

static void figure_2_exclusive(void)
{
    struct task_fixture f = figure_2();
    share(&f, "exclusive");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 120);
    CHECK_REQUEST(&f, 1, 0, 0.001, 120, 180);
    task_fixture_release(&f);
}

/* Slices of 20, 2 to switch, 1 when idle, which is held for 1: urgent to 20; other 22 to 42 (20 of 60); urgent is ready
 * at 50. Its second kernel waits for the slice that ends at 42, 62: the SMs are other's from 22 on. */
static void figure_2_sliced(void)
{
    struct task_fixture f = figure_2();
    share(&f, "timeslice");
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 20);
    CHECK_TASK_KERNEL(&f, 1, 0, 22, 32); /* the slice was over as the kernel ended: a busy context's switch */
    CHECK_TASK_KERNEL(&f, 0, 1, 64, 84); /* others' slices end at 42 and 62 */
    CHECK_TASK_KERNEL(&f, 1, 1, 32, 52);
    CHECK_TASK_KERNEL(&f, 1, 2, 52, 62);
    CHECK_TASK_KERNEL(&f, 1, 3, 62, 106);  /* stopped at once, from 86 on */
    CHECK_TASK_KERNEL(&f, 0, 2, 115, 135); /* ready at 114 */
    task_fixture_release(&f);
}

/* The gaps are filled to the last microsecond, and the urgent task is where it is alone. */
static void figure_2_fikit(void)
{
    struct task_fixture f = figure_2();
    profile(&f);
    CHECK_NEAR(f.profiles.tasks[0].entries[0].kernel_us, 20, 1e-6);
    CHECK_NEAR(f.profiles.tasks[0].entries[0].gap_us, 30, 1e-6);
    CHECK_NEAR(f.profiles.tasks[0].entries[2].gap_us, -1, 1e-6);
    f.opts[0] = "small_gap_us=0";
    f.opts[1] = "sched_us=0";
    share(&f, "fikit");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 120);
    CHECK_TASK_KERNEL(&f, 1, 0, 20, 30);
    CHECK_TASK_KERNEL(&f, 1, 1, 30, 50);
    CHECK_TASK_KERNEL(&f, 0, 1, 50, 70);
    CHECK_TASK_KERNEL(&f, 1, 2, 70, 80);
    CHECK_TASK_KERNEL(&f, 1, 3, 80, 100);
    f.opts[0] = "small_gap_us=25"; /* what is left of a gap after x is too small */
    share(&f, "fikit");
    CHECK_REQUEST(&f, 0, 0, 0, 0, 120);
    CHECK_TASK_KERNEL(&f, 1, 0, 20, 30);
    CHECK_TASK_KERNEL(&f, 1, 1, 70, 90);
    CHECK_TASK_KERNEL(&f, 1, 2, 120, 130); /* the urgent task has left */
    f.opts[0] = "small_gap_us=100";
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 1, 0, 120, 130);
    task_fixture_release(&f);
}

/* Each release takes the scheduler 2 us: the urgent kernels' too. */
static void decisions_cost(void)
{
    struct task_fixture f = figure_2();
    profile(&f);
    f.opts[0] = "small_gap_us=0";
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 0, 0, 2, 22);
    CHECK_TASK_KERNEL(&f, 1, 0, 24, 34);
    CHECK_TASK_KERNEL(&f, 0, 1, 54, 74); /* 52 left, and y, which would take to 56, did not fit */
    task_fixture_release(&f);
}

/* The first queue with one that fits, and the longest of that queue. */
static void best_prio_fit(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[2] = {filling("u", 20, 30), filling("u2", 20, 0)};
    const struct step late[1] = {filling("late", 29, 0)}, medium[1] = {filling("medium", 12, 0)},
                      big[1] = {filling("big", 18, 0)}, huge[1] = {filling("huge", 40, 0)};
    add_service(&f, "urgent", urgent, 2);
    add_service(&f, "huge", huge, 1)->priority = 1;
    add_service(&f, "medium", medium, 1)->priority = 2;
    add_service(&f, "big", big, 1)->priority = 2;
    add_service(&f, "late", late, 1)->priority = 3;
    for (uint32_t i = 1; i < 5; i++) f.tasks[i].start_us = 0.001 * i;
    profile(&f);
    f.opts[0] = "small_gap_us=0";
    f.opts[1] = "sched_us=0";
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 3, 0, 20, 38);  /* big: huge does not fit, late's queue is behind */
    CHECK_TASK_KERNEL(&f, 2, 0, 38, 50);  /* medium: 12 us are left */
    CHECK_TASK_KERNEL(&f, 0, 1, 50, 70);
    CHECK_TASK_KERNEL(&f, 1, 0, 70, 110); /* the urgent one has left: queue after queue */
    CHECK_TASK_KERNEL(&f, 4, 0, 110, 139);
    task_fixture_release(&f);
}

/* Two holders, each half of the GPU. One's gap of 20 to 50 us is none while the other's kernel lasts, to 45, behind
 * which nothing is foretold; where that one ends at 15, it is filled. */
static void two_holders(void)
{
    for (int is_short = 0; is_short < 2; is_short++) {
        struct task_fixture f = {.device = free_device(), .seed = 1};
        const struct step a[2] = {{fixture_kernel("a1", 4, 1024, 20), 30, true},
                                  {fixture_kernel("a2", 4, 1024, 20), 0, true}},
                          b[1] = {{fixture_kernel("b", 4, 1024, is_short ? 15 : 45), 0, true}},
                          x[1] = {{fixture_kernel("x", 4, 1024, 10), 0, true}};
        add_service(&f, "a", a, 2);
        add_service(&f, "b", b, 1);
        struct gsim_task *other = add_service(&f, "x", x, 1);
        other->priority = 5;
        other->start_us = 0.001;
        profile(&f);
        f.opts[0] = "small_gap_us=0";
        f.opts[1] = "sched_us=0";
        share(&f, "fikit");
        CHECK_TASK_KERNEL(&f, 1, 0, 0, is_short ? 15 : 45);
        CHECK_TASK_KERNEL(&f, 0, 1, 50, 70);
        CHECK_TASK_KERNEL(&f, 2, 0, is_short ? 20 : 70, is_short ? 30 : 80);
        task_fixture_release(&f);
    }
}

/* Fillers of one kernel each: that a filler's request ends does not close the holder's gap, which is 200 to 1,200 us.
 * The first queue's D, then the longest of the other queue that fits, B, then A; C fits into no gap, and A's later
 * requests do: three in each gap. */
static void fillers_end(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[3] = {filling("u1", 200, 1000), filling("u2", 200, 1000), filling("u3", 200, 0)};
    const struct step d[1] = {filling("d", 100, 0)}, a[1] = {filling("a", 300, 0)}, b[1] = {filling("b", 500, 0)},
                      c[1] = {filling("c", 1200, 0)};
    add_service(&f, "urgent", urgent, 3);
    add_service(&f, "D", d, 1)->priority = 1;
    add_service(&f, "A", a, 1)->priority = 5;
    add_service(&f, "B", b, 1)->priority = 5;
    add_service(&f, "C", c, 1)->priority = 5;
    for (uint32_t i = 1; i < 5; i++) f.tasks[i].start_us = 50;
    profile(&f);
    f.opts[0] = "sched_us=0";
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 1, 0, 200, 300);
    CHECK_TASK_KERNEL(&f, 3, 0, 300, 800);
    CHECK_TASK_KERNEL(&f, 2, 0, 800, 1100);
    CHECK_TASK_KERNEL(&f, 0, 1, 1200, 1400);
    CHECK_TASK_KERNEL(&f, 4, 0, 2600, 3800);
    f.tasks[2].requests = 8; /* and B and C have left by its last */
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 2, 1, 1400, 1700);
    CHECK_TASK_KERNEL(&f, 2, 2, 1700, 2000);
    CHECK_TASK_KERNEL(&f, 2, 3, 2000, 2300);
    CHECK_REQUEST(&f, 0, 0, 0, 0, 2600);
    task_fixture_release(&f);
}

/* The profile foretells 30 us where the gap is 12 this time: the filler overruns, by less than its length, and no other
 * one follows. */
static void feedback(void)
{
    struct task_fixture f = figure_2();
    profile(&f);
    f.profiles.tasks[1].entries[0].kernel_us = 10;
    const struct step hasty[3] = {filling("u1", 20, 12), filling("u2", 20, 12), filling("u3", 20, 0)};
    struct task_fixture g = {.device = free_device(), .seed = 1};
    add_service(&g, "urgent", hasty, 3);
    const struct step other[4] = {filling("x", 10, -1), filling("y", 20, -1), filling("x", 10, -1),
                                  filling("y", 20, -1)};
    add_service(&g, "other", other, 4)->priority = 5;
    g.tasks[1].start_us = 0.001;
    g.profiles = f.profiles;
    f.profiles = (struct gsim_task_profiles){0};
    g.opts[0] = "small_gap_us=0";
    g.opts[1] = "sched_us=0";
    share(&g, "fikit");
    CHECK_TASK_KERNEL(&g, 1, 0, 20, 30);
    CHECK_TASK_KERNEL(&g, 1, 1, 30, 50);   /* began with 20 us of the foretold gap left */
    CHECK_TASK_KERNEL(&g, 0, 1, 50, 70);   /* ready at 32: waits for the filler's rest */
    CHECK_TASK_KERNEL(&g, 1, 2, 70, 80);
    CHECK_TASK_KERNEL(&g, 1, 3, 80, 100);
    task_fixture_release(&g);
    task_fixture_release(&f);
}

/* The less urgent task has the GPU until the other one comes, and gives it up at the end of its kernel. */
static void demotion(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[1] = {filling("u", 20, 0)},
                      other[3] = {filling("x", 30, -1), filling("y", 30, -1), filling("z", 30, -1)};
    add_service(&f, "urgent", urgent, 1)->start_us = 10;
    add_service(&f, "other", other, 3)->priority = 1;
    profile(&f);
    f.opts[0] = "sched_us=0";
    share(&f, "fikit");
    CHECK_TASK_KERNEL(&f, 1, 0, 0, 30);
    CHECK_TASK_KERNEL(&f, 0, 0, 30, 50);
    CHECK_TASK_KERNEL(&f, 1, 1, 50, 80);
    CHECK_TASK_KERNEL(&f, 1, 2, 80, 110);
    task_fixture_release(&f);
}

/* --- properties ------------------------------------------------------------------------------------------------- */

static void random_tasks(struct task_fixture *f, gsl_rng *r, uint32_t count, bool has_gaps)
{
    *f = (struct task_fixture){.device = free_device(), .seed = 1};
    for (uint32_t t = 0; t < count; t++) {
        struct step steps[12];
        static char names[5][12][16];
        uint32_t n = 2 + (uint32_t)gsl_rng_uniform_int(r, 10);
        for (uint32_t s = 0; s < n; s++) {
            snprintf(names[t][s], sizeof names[t][s], "%c%u", 'a' + (int)t, s);
            double gap = t == 0                     ? (has_gaps ? 5 + gsl_rng_uniform(r) * 60 : 0)
                         : gsl_rng_uniform(r) < 0.3 ? gsl_rng_uniform(r) * 40
                                                    : -1;
            steps[s] = filling(names[t][s], 2 + floor(gsl_rng_uniform(r) * 40), gap);
        }
        static const char *const task_names[] = {"urgent", "b", "c", "d", "e"};
        struct gsim_task *task = add_service(f, task_names[t], steps, n);
        task->priority = t == 0 ? 0 : 1 + (int)gsl_rng_uniform_int(r, 9);
        task->requests = t == 0 ? 3 : 2;
    }
    profile(f);
    f->opts[0] = "small_gap_us=0";
    f->opts[1] = "sched_us=0";
}

/* How long the task's requests take with the GPU to itself, in all. */
static double alone_us(const struct task_fixture *f)
{
    struct task_fixture one = {.device = f->device, .seed = 1, .count = 1};
    one.programs[0] = f->programs[0];
    one.tasks[0] = f->tasks[0];
    one.tasks[0].program = &f->programs[0];
    share(&one, "exclusive");
    double sum = one.stats[0].mean_us * one.stats[0].requests;
    one.count = 0;
    task_fixture_release(&one);
    return sum;
}

static bool is_first_of_request(const struct task_fixture *f, const struct gsim_kernel_record *k)
{
    for (size_t i = 0; i < f->timeline.kernel_count; i++) {
        const struct gsim_kernel_record *o = &f->timeline.kernels[i];
        if (o->task == k->task && o->iteration == k->iteration && o->start < k->start) return false;
    }
    return true;
}

/* With exact profiles and free decisions the urgent task is as fast as alone, but for what runs when its requests
 * begin. No filler begins while an urgent kernel is ready or runs; no kernel is lost. */
static void exact_profiles(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct task_fixture f;
        gsl_rng_set(r, seed);
        random_tasks(&f, r, 2, true);
        share(&f, "fikit");
        size_t expected = 0;
        for (uint32_t t = 0; t < f.count; t++)
            for (uint32_t o = 0; o < f.programs[t].op_count; o++)
                expected += f.programs[t].ops[o].kind == GSIM_OP_KERNEL ? f.tasks[t].requests : 0;
        CHECK_INT(f.timeline.kernel_count, expected);
        double late = 0;
        for (size_t i = 0; i < f.timeline.kernel_count; i++) {
            const struct gsim_kernel_record *k = &f.timeline.kernels[i];
            if (k->task) continue;
            if (is_first_of_request(&f, k)) late += gsim_time_us(k->start - k->ready);
            else
                CHECK_MSG(k->start - k->ready < 1000000, "seed %lu: an urgent kernel waited %.3f us", seed,
                          gsim_time_us(k->start - k->ready));
            for (size_t j = 0; j < f.timeline.kernel_count; j++) {
                const struct gsim_kernel_record *o = &f.timeline.kernels[j];
                CHECK_MSG(!o->task || o->start <= k->ready || o->start >= k->end,
                          "seed %lu: a filler began while an urgent kernel was ready", seed);
            }
        }
        double alone = alone_us(&f), with_others = f.stats[0].mean_us * f.stats[0].requests;
        CHECK_MSG(fabs(with_others - alone - late) < 1, "seed %lu: %.3f us, alone %.3f, first kernels waited %.3f",
                  seed, with_others, alone, late);
        task_fixture_release(&f);
    }
    gsl_rng_free(r);
}

/* Wrong profiles cost the urgent task at most one filler's rest in each gap; without gaps others get nothing while it
 * has a request. */
static void wrong_profiles(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct task_fixture f;
        gsl_rng_set(r, seed);
        random_tasks(&f, r, 2, seed % 2);
        for (uint32_t t = 0; t < f.count && seed % 2; t++)
            for (uint32_t e = 0; e < f.profiles.tasks[t].count; e++) {
                f.profiles.tasks[t].entries[e].kernel_us *= 0.3 + 2 * gsl_rng_uniform(r);
                f.profiles.tasks[t].entries[e].gap_us *= 0.3 + 2 * gsl_rng_uniform(r);
            }
        share(&f, "fikit");
        for (size_t i = 0; i < f.timeline.kernel_count; i++) {
            const struct gsim_kernel_record *k = &f.timeline.kernels[i];
            uint32_t waited_for = 0;
            double longest = 0;
            for (size_t j = 0; j < f.timeline.kernel_count && !k->task; j++) {
                const struct gsim_kernel_record *o = &f.timeline.kernels[j];
                if (!o->task || o->end <= k->ready || o->start >= k->start) continue;
                waited_for++;
                longest = gsim_time_us(o->end - o->start);
                CHECK_MSG(seed % 2 || is_first_of_request(&f, k), "seed %lu: a filler ran where there is no gap", seed);
            }
            CHECK_MSG(waited_for <= 1 && gsim_time_us(k->start - k->ready) * (k->task == 0) <= longest + 1e-3,
                      "seed %lu: an urgent kernel waited for %u fillers", seed, waited_for);
        }
        task_fixture_release(&f);
    }
    gsl_rng_free(r);
}

/* Of many tasks, some of one priority, no kernel is lost, and the most urgent one is the least slowed down. */
static void many_tasks(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 30; seed++) {
        struct task_fixture f;
        size_t expected = 0;
        gsl_rng_set(r, seed);
        random_tasks(&f, r, 3 + seed % 3, true);
        share(&f, "fikit");
        for (uint32_t t = 0; t < f.count; t++)
            for (uint32_t o = 0; o < f.programs[t].op_count; o++)
                expected += f.programs[t].ops[o].kind == GSIM_OP_KERNEL ? f.tasks[t].requests : 0;
        CHECK_INT(f.timeline.kernel_count, expected);
        double fikit_us = f.stats[0].mean_us;
        f.opts[0] = f.opts[1] = NULL;
        share(&f, "timeslice");
        CHECK_MSG(fikit_us < f.stats[0].mean_us, "seed %lu: %.1f us, time-sliced %.1f", seed, fikit_us,
                  f.stats[0].mean_us);
        task_fixture_release(&f);
    }
    gsl_rng_free(r);
}

static void profile_files(void)
{
    struct task_fixture f = figure_2();
    struct gsim_task_profiles again = {0};
    const char *path = "test-fikit-profile.json";
    profile(&f);
    CHECK_OK(gsim_task_profiles_write(&f.profiles, "fixture", path, &f.error), f.error);
    CHECK_OK(gsim_task_set_init(&f.set, "tasks", f.tasks, f.count, &f.error), f.error);
    CHECK_OK(gsim_task_profiles_read(&again, &f.set, path, &f.error), f.error);
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t e = 0; e < f.profiles.tasks[t].count; e++) {
            CHECK_NEAR(again.tasks[t].entries[e].kernel_us, f.profiles.tasks[t].entries[e].kernel_us, 1e-5);
            CHECK_NEAR(again.tasks[t].entries[e].gap_us, f.profiles.tasks[t].entries[e].gap_us, 1e-5);
        }
    gsim_task_profiles_release(&again);
    gsim_task_set_release(&f.set);
    f.tasks[1].name = "stranger";
    CHECK_OK(gsim_task_set_init(&f.set, "tasks", f.tasks, f.count, &f.error), f.error);
    CHECK_INT(gsim_task_profiles_read(&again, &f.set, path, &f.error), GSIM_INPUT);
    CHECK_HAS(f.error.message, "expected a task \"stranger\"");
    gsim_task_profiles_release(&again);
    remove(path);
    task_fixture_release(&f);
    CHECK(gsim_sharing_find("fikit")->needs_profile);
}

static const struct test_case cases[] = {
    {"figure 2, exclusive", figure_2_exclusive},
    {"figure 2, time slices", figure_2_sliced},
    {"figure 2, FIKIT", figure_2_fikit},
    {"decisions cost", decisions_cost},
    {"BestPrioFit", best_prio_fit},
    {"two holders", two_holders},
    {"fillers end", fillers_end},
    {"feedback", feedback},
    {"demotion", demotion},
    {"exact profiles", exact_profiles},
    {"wrong profiles", wrong_profiles},
    {"many tasks", many_tasks},
    {"profile files", profile_files},
};
TEST_MAIN("schedulers/sharing/fikit", cases)
