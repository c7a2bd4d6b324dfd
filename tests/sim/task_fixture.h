/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several tasks on the device of machine_fixture.h: programs of kernels and host gaps, a way of sharing, and what came
 * of it. */
#pragma once

#include "sim/report/report.h"
#include "tests/sim/machine_fixture.h"

#define MAX_TASKS 8

struct task_fixture {
    struct gsim_device_spec device;
    struct gsim_program programs[MAX_TASKS];
    struct gsim_task tasks[MAX_TASKS];
    uint32_t count;
    struct gsim_task_set set;
    struct gsim_task_profiles profiles;
    struct gsim_program *drawn;    /* where tasks have sources */
    const char *opts[4];           /* of the way: "name=value" */
    uint64_t seed;
    struct gsim_timeline timeline;
    struct gsim_task_stats stats[MAX_TASKS];
    struct gsim_error error;
};

/* A step of a service: a kernel, then so much of the host's time; if it waits, once the kernel has ended. */
struct step {
    struct gsim_kernel kernel;
    double gap_us;
    bool waits;
};

/* Calls that take the host and the front end no time. */
static inline struct gsim_device_spec free_device(void)
{
    struct gsim_device_spec d = fixture_device();
    d.launch_us = d.launch_to_start_us = d.sync_return_us = d.sync_idle_us = d.stream_gap_us = d.thread_create_us =
        d.lock_us = 0;
    d.slice_us = 20;
    d.slice_switch_us = 2;
    d.slice_idle_switch_us = 1;
    d.slice_hold_us = 1;
    d.mps_clients = 4;
    d.part_sms = 2;
    return d;
}

static inline struct task_fixture task_fixture(void)
{
    struct task_fixture f = {.device = fixture_device(), .seed = 1};
    f.device.slice_us = 20;
    f.device.slice_switch_us = 2;
    f.device.slice_idle_switch_us = 1;
    f.device.slice_hold_us = 1;
    f.device.mps_clients = 4;
    f.device.part_sms = 2;
    return f;
}

/* Adds a task that runs the steps in one stream. Returns it, to be changed. */
static inline struct gsim_task *add_service(struct task_fixture *f, const char *name, const struct step *steps,
                                            uint32_t step_count)
{
    struct gsim_builder *b = gsim_builder_create(name);
    uint32_t after[256], after_count = 0, i = f->count++;
    for (uint32_t s = 0; s < step_count; s++) {
        after[after_count++] = gsim_builder_op(
            b, &(struct gsim_op){
                   .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &steps[s].kernel), .stream = 0});
        if (!steps[s].waits && !(steps[s].gap_us > 0)) continue;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                             .host_us = steps[s].gap_us,
                                             .after = after,
                                             .after_count = steps[s].waits ? after_count : 0,
                                             .stream = -1});
        if (steps[s].waits) after_count = 0;
    }
    CHECK_OK(gsim_builder_finish(b, 1, &f->programs[i], &f->error), f->error);
    f->tasks[i] = (struct gsim_task){.name = name,
                                     .program = &f->programs[i],
                                     .scheduler = gsim_scheduler_find("async"),
                                     .process = GSIM_OWN_PROCESS,
                                     .requests = 1};
    return &f->tasks[i];
}

static inline struct gsim_task *add_kernel_task(struct task_fixture *f, const char *name, uint32_t blocks, double us)
{
    const struct step step = {fixture_kernel(name, blocks, 1024, us), 0, true};
    return add_service(f, name, &step, 1);
}

/* A fixture may have been copied. */
static inline void point_to_programs(struct task_fixture *f)
{
    for (uint32_t i = 0; i < f->count; i++) f->tasks[i].program = &f->programs[i];
}

/* The status of a simulation under the way. */
static inline enum gsim_status try_share(struct task_fixture *f, const struct gsim_sharing_ops *ops)
{
    gsim_timeline_release(&f->timeline);
    gsim_task_set_release(&f->set);
    f->error = (struct gsim_error){0};
    point_to_programs(f);
    enum gsim_status status = gsim_task_set_init(&f->set, "tasks", f->tasks, f->count, &f->error);
    if (status != GSIM_OK) return status;
    void *params = gsim_arena_alloc(&f->set.arena, ops->params_size + 1);
    if (ops->params) gsim_params_set_defaults(ops->params, params);
    for (size_t i = 0; i < sizeof f->opts / sizeof f->opts[0] && f->opts[i] && status == GSIM_OK; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", f->opts[i]);
        char *equals = strchr(text, '=');
        *equals = '\0';
        status = gsim_params_set(ops->params, params, text, equals + 1, &f->error);
    }
    struct gsim_simulation s = {.program = &f->set.all,
                                .device = &f->device,
                                .scheduler = f->tasks[0].scheduler,
                                .drawn = f->drawn,
                                .tasks = &f->set,
                                .sharing = ops,
                                .sharing_params = params,
                                .profile = f->profiles.count ? &f->profiles : NULL,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = f->seed,
                                .detailed = true};
    s.gpu.check = true;
    if (status == GSIM_OK) status = gsim_simulate(&s, &f->timeline, &f->error);
    if (status == GSIM_OK) status = gsim_tasks_measure(&f->timeline, &f->set, f->stats, &f->error);
    return status;
}

/* What a measurement stage would find of the fixture's tasks, without its cost. */
static inline void profile(struct task_fixture *f)
{
    struct gsim_task_set set;
    gsim_task_profiles_release(&f->profiles);
    point_to_programs(f);
    CHECK_OK(gsim_task_set_init(&set, "tasks", f->tasks, f->count, &f->error), f->error);
    CHECK_OK(gsim_task_profiles_init(&f->profiles, f->count, &f->error), f->error);
    for (uint32_t i = 0; i < f->count; i++) {
        struct gsim_task task = f->tasks[i];
        struct gsim_task_set own;
        struct gsim_timeline timeline;
        task.requests = 2;
        task.start_us = 0;
        task.arrival = GSIM_ARRIVAL_CLOSED;
        CHECK_OK(gsim_task_set_init(&own, "task", &task, 1, &f->error), f->error);
        struct gsim_simulation s = {.program = &own.all,
                                    .device = &f->device,
                                    .scheduler = task.scheduler,
                                    .tasks = &own,
                                    .sharing = gsim_sharing_find("exclusive"),
                                    .memory = GSIM_MEMORY_PINNED,
                                    .seed = 1};
        CHECK_OK(gsim_simulate(&s, &timeline, &f->error), f->error);
        CHECK_OK(gsim_task_profile_make(&f->profiles, &set, i, &timeline, 0, &f->error), f->error);
        gsim_timeline_release(&timeline);
        gsim_task_set_release(&own);
    }
    gsim_task_set_release(&set);
}

/* A step that fills the GPU; GAP_US below 0: the host does not wait for it. */
static inline struct step filling(const char *name, double us, double gap_us)
{
    return (struct step){fixture_kernel(name, 8, 1024, us), gap_us, gap_us >= 0};
}

static inline void share(struct task_fixture *f, const char *way)
{
    CHECK_OK(try_share(f, gsim_sharing_find(way)), f->error);
}

static inline void task_fixture_release(struct task_fixture *f)
{
    gsim_timeline_release(&f->timeline);
    gsim_task_set_release(&f->set);
    gsim_task_profiles_release(&f->profiles);
    for (uint32_t i = 0; i < f->count; i++) gsim_program_release(&f->programs[i]);
}

/* The task's kernel NUMBER, in the order of their ends. */
static inline const struct gsim_kernel_record *kernel_of(const struct task_fixture *f, uint32_t task, uint32_t number)
{
    static const struct gsim_kernel_record none = {.start = -1, .end = -1};
    for (size_t i = 0; i < f->timeline.kernel_count; i++)
        if (f->timeline.kernels[i].task == task && !number--) return &f->timeline.kernels[i];
    return &none;
}

static inline const struct gsim_request_record *request_of(const struct task_fixture *f, uint32_t task,
                                                           uint32_t request)
{
    static const struct gsim_request_record none = {.arrival = -1, .start = -1, .end = -1};
    for (size_t i = 0; i < f->timeline.request_count; i++)
        if (f->timeline.requests[i].task == task && f->timeline.requests[i].request == request)
            return &f->timeline.requests[i];
    return &none;
}

#define CHECK_TASK_KERNEL(f, task, number, start_us, end_us)                                                           \
    do {                                                                                                               \
        const struct gsim_kernel_record *k_ = kernel_of((f), (task), (number));                                        \
        CHECK_MSG(fabs(gsim_time_us(k_->start) - (start_us)) < 1e-3 && fabs(gsim_time_us(k_->end) - (end_us)) < 1e-3,  \
                  "task %u kernel %u: %.3f to %.3f, expected %.3f to %.3f", (unsigned)(task), (unsigned)(number),      \
                  gsim_time_us(k_->start), gsim_time_us(k_->end), (double)(start_us), (double)(end_us));               \
    } while (0)
#define CHECK_REQUEST(f, task, number, arrival_us, begin_us, end_us)                                                   \
    do {                                                                                                               \
        const struct gsim_request_record *r_ = request_of((f), (task), (number));                                      \
        CHECK_MSG(fabs(gsim_time_us(r_->arrival) - (arrival_us)) < 1e-3 &&                                             \
                      fabs(gsim_time_us(r_->start) - (begin_us)) < 1e-3 &&                                             \
                      fabs(gsim_time_us(r_->end) - (end_us)) < 1e-3,                                                   \
                  "task %u request %u: %.3f, %.3f to %.3f", (unsigned)(task), (unsigned)(number),                      \
                  gsim_time_us(r_->arrival), gsim_time_us(r_->start), gsim_time_us(r_->end));                          \
    } while (0)
