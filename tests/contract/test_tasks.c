/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One task and three under every way of sharing, each with every scheduler, on random DAGs: every op runs once a
 * request, and each task keeps its dependences. And every allocation of a run with tasks fails in turn: it ends with a
 * message.
 */
#include <gsl/gsl_rng.h>

#include "sim/program/verify.h"
#include "tests/contract/laws.h"
#include "tests/sim/machine_fixture.h"

enum { TASKS = 3, BUFFERS = 4, OPS = 14, REQUESTS = 2 };

static bool make_program(gsl_rng *r, const char *name, struct gsim_program *program)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create(name);
    for (uint32_t i = 0; i < BUFFERS; i++)
        gsim_builder_buffer(b, ((const char *const[]){"w", "x", "y", "z"})[i], 65536,
                            i % 2 ? GSIM_INIT_HOST : GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < OPS; i++) {
        uint32_t read = (uint32_t)gsl_rng_uniform_int(r, BUFFERS),
                 written = (read + 1 + (uint32_t)gsl_rng_uniform_int(r, BUFFERS - 1)) % BUFFERS;
        struct gsim_kernel k =
            fixture_kernel(name, 1 + (uint32_t)gsl_rng_uniform_int(r, 12), 256, 1 + floor(gsl_rng_uniform(r) * 20));
        struct gsim_arg args[2] = {{read, true, false, true}, {written, false, true, false}};
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .kernel_index = gsim_builder_kernel(b, &k),
                             .args = args,
                             .arg_count = 2,
                             .stream = (int32_t)gsl_rng_uniform_int(r, 3)};
        if (i % 7 == 6)
            op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .args = args, .arg_count = 1, .bytes = 4, .stream = -1};
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, program, &error), error);
    return error.status == GSIM_OK;
}

/* What of TIMELINE is the task's, as of its program alone. */
static void check_task(const struct gsim_timeline *all, const struct gsim_task_set *set, uint32_t task,
                       const char *label)
{
    const struct gsim_program *program = &set->programs[task];
    struct gsim_error error = {0};
    struct gsim_timeline own;
    gsim_timeline_init(&own, program, false);
    for (size_t i = 0; i < all->kernel_count; i++) {
        struct gsim_kernel_record k = all->kernels[i];
        if (k.task != task) continue;
        k.op -= set->first_op[task];
        gsim_timeline_add_kernel(&own, &k);
    }
    for (uint32_t q = 0; q < REQUESTS; q++)
        for (size_t i = 0; i < all->request_count; i++)
            if (all->requests[i].task == task && all->requests[i].request == q)
                gsim_timeline_add_iteration(&own, &(struct gsim_iteration_record){.start = all->requests[i].start,
                                                                                  .end = all->requests[i].end});
    enum gsim_status status = gsim_verify_timeline(&own, program, REQUESTS, false, &error);
    CHECK_MSG(status == GSIM_OK, "%s, task %u: %s", label, task, error.message);
    gsim_timeline_release(&own);
}

struct setup {
    struct gsim_device_spec device;
    struct gsim_program programs[TASKS];
    struct gsim_task tasks[TASKS];
    struct gsim_task_set set;
    uint32_t count;
};

static bool set_up(struct setup *s, gsl_rng *r, uint32_t count)
{
    struct gsim_error error = {0};
    *s = (struct setup){.device = fixture_device(), .count = count};
    s->device.sm_count = 8;
    s->device.mps_clients = 4;
    s->device.part_sms = 2;
    s->device.mig_1g_sms = 1;
    s->device.mig_2g_sms = 2;
    s->device.slice_us = 20;
    s->device.slice_switch_us = 2;
    s->device.slice_idle_switch_us = s->device.slice_hold_us = 1;
    bool is_made = true;
    for (uint32_t t = 0; t < count; t++)
        is_made = make_program(r, ((const char *const[]){"a", "b", "c"})[t], &s->programs[t]) && is_made;
    return is_made && error.status == GSIM_OK;
}

static enum gsim_status run(struct setup *s, const struct gsim_sharing_ops *way,
                            const struct gsim_scheduler_ops *scheduler, enum gsim_memory_mode memory,
                            struct gsim_timeline *timeline, struct gsim_error *error)
{
    struct gsim_kernel_profile kernels[OPS];
    struct gsim_task_profile tasks[TASKS];
    struct gsim_task_profiles profile = {.tasks = tasks, .count = s->count};
    for (uint32_t i = 0; i < OPS; i++) kernels[i] = (struct gsim_kernel_profile){.kernel_us = 10, .gap_us = 5};
    for (uint32_t t = 0; t < s->count; t++) tasks[t] = (struct gsim_task_profile){.entries = kernels, .count = OPS};
    struct gsim_simulation simulation = {.program = &s->set.all,
                                         .device = &s->device,
                                         .scheduler = scheduler,
                                         .tasks = &s->set,
                                         .sharing = way,
                                         .profile = &profile,
                                         .memory = memory,
                                         .seed = 1,
                                         .detailed = true};
    simulation.gpu.check = true;
    return gsim_simulate(&simulation, timeline, error);
}

static bool choose(struct setup *s, const struct gsim_scheduler_ops *scheduler)
{
    struct gsim_error error = {0};
    for (uint32_t t = 0; t < s->count; t++)
        s->tasks[t] = (struct gsim_task){.name = s->programs[t].name,
                                         .program = &s->programs[t],
                                         .scheduler = scheduler,
                                         .process = GSIM_OWN_PROCESS,
                                         .priority = (int)t,
                                         .requests = REQUESTS};
    enum gsim_status status = gsim_task_set_init(&s->set, "tasks", s->tasks, s->count, &error);
    CHECK_OK(status, error);
    return status == GSIM_OK;
}

/* Schedulers whose kernels stay on the SMs go under few ways. */
static bool may_refuse(const struct gsim_error *error)
{
    return strstr(error->message, "resident") || strstr(error->message, "several programs");
}

static void every_scheduler(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    uint32_t ran = 0;
    for (uint32_t count = 1; count <= TASKS; count += 2) {
        struct setup s;
        gsl_rng_set(r, count);
        if (!set_up(&s, r, count)) break;
        for (uint32_t w = 0; gsim_sharing_at(w); w++)
            for (uint32_t i = 0; gsim_scheduler_at(i / 2); i++) {
                const struct gsim_sharing_ops *way = gsim_sharing_at(w);
                const struct gsim_scheduler_ops *scheduler = gsim_scheduler_at(i / 2);
                enum gsim_memory_mode memory = i % 2 ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED;
                struct gsim_timeline timeline;
                struct gsim_error error = {0};
                char label[100];
                snprintf(label, sizeof label, "%u tasks with %s under %s%s", count, scheduler->name, way->name,
                         memory == GSIM_MEMORY_MANAGED ? ", managed" : "");
                if (!choose(&s, scheduler)) continue;
                enum gsim_status status = run(&s, way, scheduler, memory, &timeline, &error);
                CHECK_MSG(status == GSIM_OK || may_refuse(&error), "%s: %s", label, error.message);
                for (uint32_t t = 0; t < count && status == GSIM_OK; t++) check_task(&timeline, &s.set, t, label);
                if (!status && !(i % 8)) laws_of_energy(&timeline, &s.device, label);
                if (!status) laws_of_tasks(&timeline, &s.set, label);
                ran += status == GSIM_OK;
                gsim_timeline_release(&timeline);
                gsim_task_set_release(&s.set);
            }
        for (uint32_t t = 0; t < count; t++) gsim_program_release(&s.programs[t]);
    }
    CHECK_MSG(ran > 500, "only %u runs", ran);
    gsl_rng_free(r);
}

static void failing_allocations(void)
{
    static const char *const ways[] = {"exclusive", "timeslice", "partition", "mps"};
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    struct setup s;
    gsl_rng_set(r, 5);
    for (bool is_made = set_up(&s, r, TASKS) && choose(&s, gsim_scheduler_find("async")); is_made; is_made = false)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            uint64_t failed = 0;
            for (uint64_t nth = 1;; nth += nth < 100 ? 1 : 13) {
                struct gsim_timeline timeline;
                struct gsim_error error = {0};
                gsim_alloc_fail_nth(nth);
                enum gsim_status status =
                    run(&s, gsim_sharing_find(ways[w]), s.tasks[0].scheduler, GSIM_MEMORY_PINNED, &timeline, &error);
                bool was_reached = gsim_alloc_fail_nth(0) >= nth;
                gsim_timeline_release(&timeline);
                CHECK_MSG(status == GSIM_OK || status == GSIM_NOMEM, "%s, allocation %" PRIu64 ": %s", ways[w], nth,
                          error.message);
                failed += status == GSIM_NOMEM;
                if (!was_reached) break;
            }
            CHECK_MSG(failed > 50, "%s: only %" PRIu64 " allocations failed a run", ways[w], failed);
        }
    gsim_task_set_release(&s.set);
    for (uint32_t t = 0; t < TASKS; t++) gsim_program_release(&s.programs[t]);
    gsl_rng_free(r);
}

static const struct test_case cases[] = {
    {"one task and three, every way, every scheduler", every_scheduler},
    {"failing allocations", failing_allocations},
};
TEST_MAIN("contract/tasks", cases)
