/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim run --task ... --share WAY": one simulation of several tasks. */
#include "cli/tasks/tasks.h"

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
    if (!stats) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
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
    enum gsim_status status = gsim_cli_check_files(arguments, error);
    if (status == GSIM_OK) status = gsim_cli_trace_window(arguments, &from, &until, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&setup, arguments, error);
    if (status != GSIM_OK) return status;
    status = gsim_cli_tasks_init(&tasks, &setup, error);
    if (status == GSIM_OK) status = run(&tasks, error);
    gsim_cli_tasks_release(&tasks);
    gsim_cli_setup_release(&setup);
    return status;
}
