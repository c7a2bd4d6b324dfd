/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). Simulates a point that sim/cli_setup.c has made and measures it. */
#include "sim/cli.h"
#include "sim/gpu_work.h"

enum gsim_status gsim_cli_point_run(const struct gsim_cli_point *point, bool detailed, struct gsim_timeline *timeline,
                                    struct gsim_metrics *metrics, struct gsim_error *error)
{
    struct gsim_simulation simulation = point->simulation;
    simulation.detailed = detailed;
    enum gsim_status status = gsim_simulate(&simulation, timeline, error);
    if (status != GSIM_OK) return status;
    gsim_time *solo = gsim_alloc(sizeof(*solo) * point->program.kernel_count);
    if (!solo) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < point->program.kernel_count && status == GSIM_OK; i++)
        status = gsim_kernel_solo(simulation.device, &point->program.kernels[i], &solo[i], error);
    if (status == GSIM_OK) status = gsim_metrics_compute(timeline, simulation.device, solo, metrics, error);
    gsim_free(solo);
    return status;
}
