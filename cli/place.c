/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). --place: the placement and its parameters, for a point and for who checks --opt (cli/cli.h). */
#include "cli/cli.h"

enum gsim_status gsim_cli_placement(const struct gsim_cli_arguments *arguments, const struct gsim_placement_ops **ops,
                                    struct gsim_error *error)
{
    const char *name = arguments->value[GSIM_CLI_PLACE];
    *ops = NULL;
    if (!name || !gsim_placement_load(name, ops, error)) return GSIM_OK;
    return gsim_error_prefix(error, "--place");
}

struct gsim_scheduler_ops gsim_cli_placement_view(const struct gsim_placement_ops *ops)
{
    return (struct gsim_scheduler_ops){.name = ops->name, .params = ops->params, .params_size = ops->params_size};
}

enum gsim_status gsim_cli_place_point(struct gsim_cli_point *point, const struct gsim_cli_setup *setup, struct gsim_error *error)
{
    void *params = NULL;
    if (!setup->placement) return GSIM_OK;
    struct gsim_scheduler_ops view = gsim_cli_placement_view(setup->placement);
    enum gsim_status status = gsim_cli_params(setup->arguments, &view, &point->arena, &params, error);
    point->simulation.placement = setup->placement;
    point->simulation.placement_params = params;
    return status;
}
