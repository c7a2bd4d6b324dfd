/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Simulates a point that cli/setup.c has made and measures it. */
#include "cli/cli.h"
#include "gpusim/scenario.h"
#include "sim/sm/demand.h"

enum gsim_status gsim_cli_point_run(struct gsim_cli_point *point, bool detailed, struct gsim_timeline *timeline,
                                    struct gsim_metrics *metrics, struct gsim_error *error)
{
    struct gsim_scenario scenario = {.simulation = point->simulation, .is_checked = true};
    const struct gsim_device_spec *device = point->simulation.device;
    scenario.simulation.detailed = detailed;
    if (point->source) gsim_program_release(&point->program); /* of a run before */
    enum gsim_status status = gsim_run(&scenario, timeline, error);
    if (status != GSIM_OK) return status;
    struct gsim_kernel_alone *alone = gsim_alloc(sizeof(*alone) * point->program.kernel_count);
    for (uint32_t i = 0; i < point->program.kernel_count && status == GSIM_OK; i++)
        status = gsim_kernel_alone(device, &point->program.kernels[i], &alone[i], error);
    if (status == GSIM_OK) status = gsim_metrics_compute(timeline, device, alone, metrics, error);
    point->iteration = *metrics;
    point->iteration_kernels = timeline->kernel_count;
    if (status == GSIM_OK && timeline->iteration_count > 1)
        status = gsim_metrics_iteration(timeline, device, alone, &point->iteration, &point->iteration_kernels, error);
    gsim_free(alone);
    return status;
}
