/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The energy of a finished run: the base power for all of its time, and on top what each kernel and copy
 * draws (docs/model/energy.md). Measured per kernel (energy_mj of its solo_device), else estimated, with an interval.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/timeline.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_ENERGY_WINDOW_US 10000.0 /* of the peak power */

struct gsim_energy {
    /* the base power while no kernel and no copy runs, and while one does; all GPUs */
    double base_idle_mj, base_busy_mj;
    double kernels_mj, copies_mj;      /* above the base */
    double total_mj, low_mj, high_mj;  /* the sum, and where it lies nine times in ten */
    double mean_w, peak_w;             /* of GSIM_ENERGY_WINDOW_US each; of all GPUs */
    uint64_t launches, estimated;      /* of kernels; those without a measured energy */
    double *iteration_mj;              /* by iteration of the timeline */
    double *task_mj;                   /* by task: its kernels, above the base */
    double *gpu_mj;                    /* by GPU: base, kernels and copies */
    size_t iteration_count, task_count, gpu_count;
};

/* Whether anything is known of energy: a kernel of PROGRAM has its own, or DEVICE's base power was measured. */
bool gsim_energy_is_known(const struct gsim_program *program, const struct gsim_device_spec *device);

/* One launch of KERNEL, of US microseconds where its time alone is not known, on DEVICE, above the base power.
 * RELATIVE: how far it may be off. */
double gsim_energy_of_kernel(const struct gsim_kernel *kernel, const struct gsim_device_spec *device, double us,
                             double *relative, bool *is_estimated);

/* MAKESPAN: of the run. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_energy_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     gsim_time makespan, struct gsim_energy *energy,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_energy_release(struct gsim_energy *energy);

GSIM_DECLARATIONS_END
