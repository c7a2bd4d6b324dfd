/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Simulates a point that cli/setup.c has made and measures it. */
#include "cli/cli.h"
#include "sim/sm/demand.h"
#include "sim/spread.h"
#include "sim/program/verify.h"

static enum gsim_status verify(const struct gsim_simulation *s, const struct gsim_timeline *timeline,
                               struct gsim_error *error)
{
    struct gsim_error found = {0};
    uint32_t iterations = s->until_steady ? (uint32_t)timeline->iteration_count
                          : s->iterations ? s->iterations
                                          : s->program->iterations;
    bool is_placed = timeline->gpu_count > 1 && s->memory != GSIM_MEMORY_MANAGED &&
                     (s->placement || s->op_plan || s->scheduler->places);
    enum gsim_status status = gsim_verify_timeline(timeline, s->program, iterations, is_placed, &found);
    if (status == GSIM_OK) return GSIM_OK;
    return gsim_error_set(error, status, "%s with %s: %s", s->program->name, s->scheduler->name, found.message);
}

static enum gsim_status makespan(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                                 double *time_us, struct gsim_error *error)
{
    struct gsim_metrics metrics;
    enum gsim_status status = gsim_metrics_compute(timeline, &copy->device, NULL, &metrics, error);
    if (status == GSIM_OK) *time_us = gsim_time_us(metrics.makespan);
    return status;
}

enum gsim_status gsim_cli_point_spread(const struct gsim_cli_point *point, uint32_t runs, struct gsim_spread *spread,
                                       struct gsim_error *error)
{
    return gsim_spread_run(&point->simulation, runs, makespan, spread, error);
}

enum gsim_status gsim_cli_point_run(struct gsim_cli_point *point, bool detailed, struct gsim_timeline *timeline,
                                    struct gsim_metrics *metrics, struct gsim_error *error)
{
    struct gsim_simulation simulation = point->simulation;
    simulation.detailed = detailed;
    if (point->source) gsim_program_release(&point->program); /* of a run before */
    enum gsim_status status = gsim_simulate(&simulation, timeline, error);
    if (status == GSIM_OK && !simulation.folds) status = verify(&simulation, timeline, error);
    if (status != GSIM_OK) return status;
    struct gsim_kernel_alone *alone = gsim_alloc(sizeof(*alone) * point->program.kernel_count);
    if (!alone) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < point->program.kernel_count && status == GSIM_OK; i++)
        status = gsim_kernel_alone(simulation.device, &point->program.kernels[i], &alone[i], error);
    if (status == GSIM_OK) status = gsim_metrics_compute(timeline, simulation.device, alone, metrics, error);
    point->iteration = *metrics;
    point->iteration_kernels = timeline->kernel_count;
    if (status == GSIM_OK && timeline->iteration_count > 1)
        status = gsim_metrics_iteration(timeline, simulation.device, alone, &point->iteration,
                                        &point->iteration_kernels, error);
    gsim_free(alone);
    return status;
}
