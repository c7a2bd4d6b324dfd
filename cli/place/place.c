/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). --place: the placement and its parameters, for a point and for who checks --opt (cli/cli.h). */
#include "cli/cli.h"

enum gsim_status gsim_cli_placement(const struct gsim_cli_arguments *arguments, const struct gsim_placement_ops **ops,
                                    struct gsim_error *error)
{
    const char *name = arguments->value[GSIM_CLI_PLACE];
    *ops = NULL;
    if (!name || gsim_cli_is_best(name) || !gsim_placement_load(name, ops, error)) return GSIM_OK;
    return gsim_error_prefix(error, "--place");
}

struct gsim_scheduler_ops gsim_cli_placement_view(const struct gsim_placement_ops *ops)
{
    return (struct gsim_scheduler_ops){.name = ops->name, .params = ops->params, .params_size = ops->params_size};
}

bool gsim_cli_ignores_place(const struct gsim_scheduler_ops *scheduler)
{
    return scheduler == gsim_scheduler_find("eager");
}

/* Who knows one GPU, but takes a placed program, gets the program's own GPUs. */
static const struct gsim_placement_ops *of_program(const struct gsim_cli_point *point)
{
    const struct gsim_scheduler_ops *scheduler = point->simulation.scheduler;
    uint32_t most = 0;
    for (uint32_t i = 0; i < point->program.op_count && scheduler->takes_placed && !scheduler->uses_devices; i++)
        if (point->program.ops[i].device > most) most = point->program.ops[i].device;
    return most ? gsim_placement_find("program") : NULL;
}

enum gsim_status gsim_cli_place_point(struct gsim_cli_point *point, const struct gsim_cli_setup *setup,
                                      struct gsim_error *error)
{
    void *params = NULL;
    if (point->simulation.scheduler == &gsim_scheduler_plan) {
        if (setup->placement) return gsim_refuse(error, "--place: the plan says which GPU a kernel is for");
        point->simulation.op_plan = &point->plan;
        /* The file of --sched plan=FILE, which may be one of several. */
        char path[1024];
        const char *text = setup->arguments->value[GSIM_CLI_SCHED],
                   *at = text ? strstr(text, GSIM_CLI_PLAN_SCHED) : NULL;
        if (!at) return gsim_refuse(error, "--sched plan=FILE: expected a file");
        at += strlen(GSIM_CLI_PLAN_SCHED);
        snprintf(path, sizeof path, "%.*s", (int)strcspn(at, ","), at);
        return gsim_op_plan_read(&point->plan, path, error) ? gsim_error_prefix(error, "--sched") : GSIM_OK;
    }
    if (setup->arguments->value[GSIM_CLI_PLACE] && setup->arguments->command != GSIM_CLI_COMPARE &&
        gsim_cli_ignores_place(point->simulation.scheduler))
        return gsim_refuse(error, "--place: eager takes none: whichever GPU has room takes a kernel");
    const struct gsim_placement_ops *placement = setup->placement ? setup->placement : of_program(point);
    if (!placement) return GSIM_OK;
    struct gsim_scheduler_ops view = gsim_cli_placement_view(placement);
    enum gsim_status status = gsim_cli_params(setup->arguments, &view, &point->arena, &params, error);
    point->simulation.placement = placement;
    point->simulation.placement_params = params;
    return status;
}

enum gsim_status gsim_cli_write_plan(const struct gsim_cli_arguments *arguments, const struct gsim_timeline *timeline,
                                     struct gsim_error *error)
{
    struct gsim_op_plan plan = {0};
    const char *path = arguments->value[GSIM_CLI_PLAN];
    if (!path) return GSIM_OK;
    enum gsim_status status = gsim_op_plan_make(&plan, timeline, error);
    if (status == GSIM_OK) status = gsim_op_plan_write(&plan, path, error);
    gsim_op_plan_release(&plan);
    return status;
}
