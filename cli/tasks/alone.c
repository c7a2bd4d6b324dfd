/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Simulates tasks, together and each alone (cli/tasks/tasks.h). */
#include "cli/tasks/tasks.h"

#include <string.h>

#include "gpusim/scenario.h"
#include "sim/base/text.h"

enum gsim_status gsim_cli_tasks_run(const struct gsim_cli_tasks *t, const struct gsim_simulation *simulation,
                                    struct gsim_timeline *timeline, struct gsim_task_stats *stats,
                                    struct gsim_error *error)
{
    gsim_program_release(simulation->drawn); /* of a run before */
    *simulation->drawn = (struct gsim_program){0};
    const struct gsim_scenario scenario = {.simulation = *simulation, .is_checked = true};
    enum gsim_status status = gsim_run(&scenario, timeline, error);
    for (uint32_t i = 0; i < simulation->tasks->count && stats != t->alone && simulation->tasks == &t->set; i++)
        stats[i] = t->alone[i];
    return status == GSIM_OK ? gsim_tasks_measure(timeline, simulation->tasks, stats, error) : status;
}

/* --- alone --- */

static bool is_same(const struct gsim_cli_tasks *t, uint32_t a, uint32_t b)
{
    const char *x = t->words[a].value[GSIM_CLI_SIZE], *y = t->words[b].value[GSIM_CLI_SIZE];
    return strcmp(t->programs[a], t->programs[b]) == 0 && t->tasks[a].scheduler == t->tasks[b].scheduler &&
           t->tasks[a].gap_us == t->tasks[b].gap_us && t->gpus[a] == t->gpus[b] &&
           (x == y || (x && y && strcmp(x, y) == 0));
}

enum gsim_status gsim_cli_task_alone(const struct gsim_cli_tasks *t, uint32_t index, double measure_us,
                                     struct gsim_timeline *timeline, struct gsim_task_stats *stats,
                                     struct gsim_error *error)
{
    struct gsim_task task;
    struct gsim_task_set set;
    enum gsim_status status = gsim_cli_task_alone_set(t, index, &task, &set, error);
    if (status != GSIM_OK) return status;
    struct gsim_simulation s = gsim_cli_tasks_simulation(t, gsim_sharing_find("exclusive"), NULL);
    s.program = &set.all;
    s.tasks = &set;
    s.detailed = s.omits_kernels = false;
    s.measure_us = measure_us;
    *stats = (struct gsim_task_stats){0};
    status = gsim_cli_tasks_run(t, &s, timeline, stats, error);
    timeline->program = NULL; /* gone with the set */
    gsim_task_set_release(&set);
    return status;
}

static enum gsim_status run_alone(const struct gsim_cli_tasks *t, uint32_t index, struct gsim_task_stats *alone,
                                  struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    struct gsim_task_stats stats;
    enum gsim_status status = gsim_cli_task_alone(t, index, 0, &timeline, &stats, error);
    alone->alone_us = stats.mean_us;
    alone->alone_p99_us = stats.p99_us;
    gsim_timeline_release(&timeline);
    return status;
}

enum gsim_status gsim_cli_tasks_alone(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t same = 0;
        while (same < i && !is_same(t, same, i)) same++;
        enum gsim_status status = GSIM_OK;
        if (same < i) t->alone[i] = t->alone[same];
        else status = run_alone(t, i, &t->alone[i], error);
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

/* --- gpusim run --- */
static enum gsim_status run(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = t->setup->arguments;
    const char *share = arguments->value[GSIM_CLI_SHARE];
    const struct gsim_sharing_ops *ops;
    struct gsim_timeline timeline = {0};
    void *params = NULL;
    enum gsim_status status = gsim_cli_tasks_profile(t, error);
    if (status != GSIM_OK || (arguments->value[GSIM_CLI_MEASURE] && !share)) return status;
    status = gsim_cli_share(share ? share : "exclusive", &ops, error);
    if (status == GSIM_OK) status = gsim_cli_check_share_opts(t, &ops, 1, error);
    if (status == GSIM_OK) status = gsim_cli_share_params(t, ops, &params, error);
    if (status != GSIM_OK) return status;
    struct gsim_task_stats *stats = GSIM_ARENA_ARRAY(&t->arena, struct gsim_task_stats, t->count);
    struct gsim_simulation s = gsim_cli_tasks_simulation(t, ops, params);
    status = gsim_cli_tasks_alone(t, error);
    if (status == GSIM_OK) status = gsim_cli_tasks_run(t, &s, &timeline, stats, error);
    if (status == GSIM_OK) status = gsim_cli_deliver_all(arguments, &s, &timeline, &t->points[0], stats, error);
    gsim_timeline_release(&timeline);
    return status;
}

enum gsim_status gsim_cli_run_tasks(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_tasks tasks = {0};
    gsim_time from, until;
    enum gsim_status status = gsim_cli_trace_window(arguments, &from, &until, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&setup, arguments, error);
    if (status != GSIM_OK) return status;
    status = gsim_cli_tasks_init(&tasks, &setup, error);
    if (status == GSIM_OK) status = run(&tasks, error);
    gsim_cli_tasks_release(&tasks);
    gsim_cli_setup_release(&setup);
    return status;
}

/* --- --measure and --profile: the measurement that policies' profiles come from --- */
#define MEASURE_US 30 /* of host time a launch: ours, the papers only say that it is much */

enum gsim_status gsim_cli_tasks_measure(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    enum gsim_status status = gsim_task_profiles_init(&t->profiles, t->count, error);
    if (status == GSIM_OK) status = gsim_cli_tasks_alone(t, error);
    for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) {
        struct gsim_timeline timeline = {0};
        struct gsim_task_stats stats;
        status = gsim_cli_task_alone(t, i, MEASURE_US, &timeline, &stats, error);
        if (status == GSIM_OK) status = gsim_task_profile_make(&t->profiles, &t->set, i, &timeline, MEASURE_US, error);
        gsim_timeline_release(&timeline);
        t->profiles.tasks[i].request_us = t->alone[i].alone_us;
        t->profiles.tasks[i].measured_us = stats.mean_us;
    }
    return status;
}

enum gsim_status gsim_cli_tasks_profile(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    const char *from = t->setup->arguments->value[GSIM_CLI_PROFILE], *to = t->setup->arguments->value[GSIM_CLI_MEASURE];
    enum gsim_status status = GSIM_OK;
    if (from && to) return gsim_refuse(error, "--profile and --measure: expected one of them");
    if (!to && (!from || strcmp(from, "measure") != 0))
        return from ? gsim_task_profiles_read(&t->profiles, &t->set, from, error) : GSIM_OK;
    status = gsim_cli_tasks_measure(t, error);
    for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) {
        double with = t->profiles.tasks[i].measured_us, without = t->profiles.tasks[i].request_us;
        char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE];
        fprintf(stderr, "gpusim: measured %s: a request took %s, %s without measuring (%.2fx)\n", t->tasks[i].name,
                gsim_text_us(a, with), gsim_text_us(b, without),
                with / without);
    }
    return status == GSIM_OK && to ? gsim_task_profiles_write(&t->profiles, t->setup->device.name, to, error) : status;
}
