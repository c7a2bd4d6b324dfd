/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Simulates tasks, together and each alone (cli/tasks/tasks.h). */
#include "cli/tasks/tasks.h"

#include <string.h>

#include "gpusim/scenario.h"

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
