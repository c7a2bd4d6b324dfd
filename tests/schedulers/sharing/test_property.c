/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way of sharing, on random tasks: no kernel is lost, each task's kernels and requests keep their order, equal
 * runs are equal. */
#include <gsl/gsl_rng.h>

#include "tests/sim/task_fixture.h"

static void random_tasks(struct task_fixture *f, gsl_rng *r)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static char kernel_names[4][8][16];
    *f = task_fixture();
    uint32_t count = 2 + (uint32_t)gsl_rng_uniform_int(r, 3);
    for (uint32_t t = 0; t < count; t++) {
        struct step steps[8];
        uint32_t n = 1 + (uint32_t)gsl_rng_uniform_int(r, 8);
        for (uint32_t s = 0; s < n; s++) {
            snprintf(kernel_names[t][s], sizeof kernel_names[t][s], "%c%u", 'a' + (int)t, s);
            steps[s] =
                (struct step){fixture_kernel(kernel_names[t][s], 1 + (uint32_t)gsl_rng_uniform_int(r, 40),
                                             256u << gsl_rng_uniform_int(r, 3), 1 + floor(gsl_rng_uniform(r) * 60)),
                              gsl_rng_uniform(r) * 30, gsl_rng_uniform(r) < 0.5};
        }
        struct gsim_task *task = add_service(f, names[t], steps, n);
        task->priority = (int)gsl_rng_uniform_int(r, 10);
        task->requests = 1 + (uint32_t)gsl_rng_uniform_int(r, 5);
        task->gap_us = gsl_rng_uniform(r) * 50;
        task->start_us = gsl_rng_uniform(r) * 50;
    }
    f->device.sm_count = 8;
    f->device.mps_clients = 16;
    f->device.mig_1g_sms = 1;
    profile(f);
}

static void check(const struct task_fixture *f, const char *way, unsigned long seed)
{
    for (uint32_t t = 0; t < f->count; t++) {
        size_t expected = 0, found = 0;
        gsim_time last = 0, last_request = 0;
        for (uint32_t o = 0; o < f->programs[t].op_count; o++)
            expected += f->programs[t].ops[o].kind == GSIM_OP_KERNEL ? f->tasks[t].requests : 0;
        for (size_t i = 0; i < f->timeline.kernel_count; i++) {
            const struct gsim_kernel_record *k = &f->timeline.kernels[i];
            if (k->task != t) continue;
            CHECK_MSG(k->start >= last, "%s, seed %lu: kernels of one stream overlap", way, seed);
            last = k->end;
            found++;
        }
        CHECK_MSG(found == expected, "%s, seed %lu, task %u: %zu kernels of %zu", way, seed, t, found, expected);
        for (uint32_t q = 0; q < f->tasks[t].requests; q++) {
            const struct gsim_request_record *r = request_of(f, t, q);
            CHECK_MSG(r->start >= last_request && r->start >= r->arrival && r->end > r->start,
                      "%s, seed %lu: request %u of task %u", way, seed, q, t);
            last_request = r->end;
        }
    }
}

static void nothing_is_lost(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 25; seed++)
        for (uint32_t w = 0; gsim_sharing_at(w); w++) {
            struct task_fixture f;
            gsl_rng_set(r, seed);
            random_tasks(&f, r);
            CHECK_OK(try_share(&f, gsim_sharing_at(w)), f.error);
            check(&f, gsim_sharing_at(w)->name, seed);
            size_t count = f.timeline.kernel_count;
            gsim_time end = count ? f.timeline.kernels[count - 1].end : 0;
            CHECK_OK(try_share(&f, gsim_sharing_at(w)), f.error);
            CHECK_MSG(count == f.timeline.kernel_count && end == f.timeline.kernels[count - 1].end,
                      "%s, seed %lu: another run differs", gsim_sharing_at(w)->name, seed);
            task_fixture_release(&f);
        }
    gsl_rng_free(r);
}

static void with_options(void)
{
    static const struct { const char *way, *opts[3];
    } ways[] = {{"exclusive", {"unit=task"}},
                {"streams", {"priority=off"}},
                {"partition", {"memory=divided"}},
                {"xsched", {"level=1"}},
                {"xsched", {"level=3"}},
                {"xsched", {"policy=partition", "slice_us=100"}},
                {"xsched", {"policy=partition", "level=3", "slice_us=100"}},
                {"reef", {"variant=n"}},
                {"reef", {"wait=on"}},
                {"tally", {"form=whole"}},
                {"tally", {"form=beside"}},
                {"tally", {"turnaround_us=5"}},
                {"tgs", {"message_us=500", "window_us=100", "tick_us=20"}},
                {"fikit", {"most_fillers=4", "small_gap_us=0"}},
                {"orion", {"max_be_us=20", "sm_threshold=4"}}};
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (unsigned long seed = 100; seed < 125; seed++) {
            struct task_fixture f;
            gsl_rng_set(r, seed);
            random_tasks(&f, r);
            for (int i = 0; i < 3; i++) f.opts[i] = ways[w].opts[i];
            share(&f, ways[w].way);
            check(&f, ways[w].way, seed);
            task_fixture_release(&f);
        }
    gsl_rng_free(r);
}

/* Kernels in more streams than there are hardware queues, each behind one to three earlier ones of other streams. */
static void add_many_streams(struct task_fixture *f, const char *name, gsl_rng *r)
{
    uint32_t streams = 20 + (uint32_t)gsl_rng_uniform_int(r, 30), count = 60 + (uint32_t)gsl_rng_uniform_int(r, 60);
    struct gsim_builder *b = gsim_builder_create(name);
    for (uint32_t i = 0; i < count; i++) {
        char kernel_name[16];
        uint32_t after[3], n = i ? (uint32_t)gsl_rng_uniform_int(r, 4) : 0;
        snprintf(kernel_name, sizeof kernel_name, "%s%u", name, (uint32_t)gsl_rng_uniform_int(r, 4));
        struct gsim_kernel k = fixture_kernel(kernel_name, 1 + (uint32_t)gsl_rng_uniform_int(r, 12), 256, 5);
        for (uint32_t a = 0; a < n; a++) after[a] = (uint32_t)gsl_rng_uniform_int(r, i);
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &k),
                                             .stream = (int32_t)gsl_rng_uniform_int(r, streams),
                                             .after = after,
                                             .after_count = n});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &f->programs[f->count], &f->error), f->error);
    f->tasks[f->count] = (struct gsim_task){.name = name,
                                            .program = &f->programs[f->count],
                                            .scheduler = gsim_scheduler_find("async"),
                                            .process = 0,
                                            .priority = (int)gsl_rng_uniform_int(r, 10),
                                            .requests = 1 + (uint32_t)gsl_rng_uniform_int(r, 3),
                                            .start_us = gsl_rng_uniform(r) * 200,
                                            .gap_us = gsl_rng_uniform(r) * 50};
    f->count++;
}

/* Of one process: nobody waits for ever, whatever a policy holds back. */
static void many_streams(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 8; seed++)
        for (uint32_t w = 0; gsim_sharing_at(w); w++) {
            struct task_fixture f = task_fixture();
            gsl_rng_set(r, seed);
            f.device.sm_count = 8;
            f.device.mig_1g_sms = 1;
            f.device.hw_queues = 8;
            add_many_streams(&f, "a", r);
            add_many_streams(&f, "b", r);
            profile(&f);
            enum gsim_status status = try_share(&f, gsim_sharing_at(w));
            CHECK_MSG(status == GSIM_OK, "%s, seed %lu: %s", gsim_sharing_at(w)->name, seed, f.error.message);
            size_t expected = 0;
            for (uint32_t t = 0; t < f.count; t++) expected += (size_t)f.programs[t].op_count * f.tasks[t].requests;
            CHECK_MSG(f.timeline.kernel_count == expected, "%s, seed %lu: %zu kernels of %zu", gsim_sharing_at(w)->name,
                      seed, f.timeline.kernel_count, expected);
            task_fixture_release(&f);
        }
    gsl_rng_free(r);
}

static const struct test_case cases[] = {
    {"nothing is lost", nothing_is_lost}, {"with options", with_options}, {"many streams", many_streams}};
TEST_MAIN("schedulers/sharing/property", cases)
