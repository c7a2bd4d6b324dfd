/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/trial.h. */
#include "trust/published/trial.h"

#include <stdio.h>
#include <string.h>

#define MEASURE_US 30 /* as --measure */

static enum gsim_status set_params(const struct gsim_sharing_ops *ops, const char *const *opts, void *params,
                                   struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (ops->params) gsim_params_set_defaults(ops->params, params);
    for (; opts && *opts && status == GSIM_OK; opts++) {
        char text[64];
        snprintf(text, sizeof text, "%s", *opts);
        char *equals = strchr(text, '=');
        *equals = '\0';
        status = gsim_params_set(ops->params, params, text, equals + 1, error);
    }
    return status;
}

enum gsim_status gsim_trial_run(const struct gsim_trial *t, struct gsim_task_stats *stats,
                                struct gsim_timeline *timeline, struct gsim_error *error)
{
    struct gsim_task_set set;
    struct gsim_timeline own = {0}, *used = timeline ? timeline : &own;
    const struct gsim_sharing_ops *ops = gsim_sharing_find(t->way);
    enum gsim_status status = gsim_task_set_init(&set, "services", t->tasks, t->count, error);
    if (status != GSIM_OK) return status;
    void *params = gsim_arena_alloc(&set.arena, ops->params_size + 1);
    status = params ? set_params(ops, t->opts, params, error) : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    struct gsim_simulation s = {.program = &set.all,
                                .device = t->device,
                                .scheduler = t->tasks[0].scheduler,
                                .tasks = &set,
                                .sharing = ops,
                                .sharing_params = params,
                                .profile = t->profiles,
                                .measure_us = t->measure_us,
                                .memory = t->is_managed ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED,
                                .prefetch = true,
                                .seed = 1,
                                .omits_kernels = !t->makes && !t->keeps_kernels};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    if (status == GSIM_OK) status = gsim_simulate(&s, used, error);
    for (uint32_t i = 0; i < t->count; i++) stats[i] = (struct gsim_task_stats){0};
    if (status == GSIM_OK) status = gsim_tasks_measure(used, &set, stats, error);
    if (status == GSIM_OK && t->makes)
        status = gsim_task_profile_make(t->makes, t->set, t->index, used, t->measure_us, error);
    used->program = NULL; /* goes with the set */
    gsim_timeline_release(&own);
    gsim_task_set_release(&set);
    return status;
}

enum gsim_status gsim_trial_measure(const struct gsim_device_spec *device, const struct gsim_task *tasks,
                                    uint32_t count, uint32_t requests, struct gsim_task_profiles *profiles,
                                    struct gsim_error *error)
{
    struct gsim_task_set set;
    enum gsim_status status = gsim_task_profiles_init(profiles, count, error);
    if (status == GSIM_OK) status = gsim_task_set_init(&set, "services", tasks, count, error);
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
        struct gsim_task task = tasks[i];
        struct gsim_task_stats stats;
        task.requests = requests;
        task.duration_us = task.start_us = 0;
        task.arrival = GSIM_ARRIVAL_CLOSED;
        status = gsim_trial_run(&(struct gsim_trial){.device = device,
                                                     .tasks = &task,
                                                     .count = 1,
                                                     .way = "exclusive",
                                                     .measure_us = MEASURE_US,
                                                     .makes = profiles,
                                                     .set = &set,
                                                     .index = i},
                                &stats, NULL, error);
    }
    gsim_task_set_release(&set);
    return status;
}
