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
    /* base power of all GPUs while idle / while a kernel or copy runs */
    double base_idle_mj, base_busy_mj;
    double kernels_mj, copies_mj;      /* above the base */
    double total_mj, low_mj, high_mj;  /* the sum, and its 90 % interval */
    double mean_w, peak_w;             /* of all GPUs; the peak at full clock over windows of GSIM_ENERGY_WINDOW_US */
    uint64_t launches, estimated;      /* launches of kernels; of these without a measured energy */
    double *iteration_mj;              /* by iteration of the timeline */
    double *task_mj;                   /* by task: its kernels, above the base */
    double *gpu_mj;                    /* by GPU: base, kernels and copies */
    size_t iteration_count, task_count, gpu_count;
};

/* Whether energy is known: a kernel of PROGRAM has energy_mj, or DEVICE's base power was measured. */
bool gsim_energy_is_known(const struct gsim_program *program, const struct gsim_device_spec *device);

/* Returns the energy in mJ of one launch of KERNEL on DEVICE above the base power. US: its microseconds, if its time
 * alone is not known. *RELATIVE: half the width of its interval over it; *IS_ESTIMATED: it was not measured. */
double gsim_energy_of_kernel(const struct gsim_kernel *kernel, const struct gsim_device_spec *device, double us,
                             double *relative, bool *is_estimated);

/* Whether DEVICE's clock falls where the mean power exceeds its limit (rule clock_limit). */
bool gsim_power_is_limited(const struct gsim_device_spec *device);
/* How many times as long kernels take at a mean of WATT, as at full clock, where LIMIT_W are allowed; both above the
 * base power. 1: the limit is not reached. */
double gsim_power_slowdown(const struct gsim_device_spec *device, double watt, double limit_w);

/* Fills ENERGY, whose arrays the caller releases; MAKESPAN is the run's. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_energy_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     gsim_time makespan, struct gsim_energy *energy,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_energy_release(struct gsim_energy *energy);

/* Whether ENERGY's peak is above the limits of its GPUs; TEXT says so then, and what follows. */
#define GSIM_ENERGY_NOTE 192
bool gsim_energy_is_over(const struct gsim_energy *energy, const struct gsim_device_spec *device,
                         char text[GSIM_ENERGY_NOTE]);
/* The same of a run; "" where its energy is not known or the peak is below the limit. */
void gsim_energy_note(const struct gsim_timeline *timeline, const struct gsim_device_spec *device, gsim_time makespan,
                      char text[GSIM_ENERGY_NOTE]);

GSIM_DECLARATIONS_END
