/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. KeSCo's task sets MP-1 and MP-2 (ICCD 2023): published is 1.43 times over a baseline of processes
 * and 1.22 times over MPS. What the baseline's processes are decides: their memory, their own scheduler, and whether
 * they have the GPU by turns of tasks or of slices.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/output.h"

#define GSIM_MP_SETS  2
#define GSIM_MP_CASES 12 /* baselines of each set */

struct gsim_mp_case {
    const char *way, *scheduler; /* of the baseline: how its processes share, who issues the ops of each */
    bool is_managed;
    double speed_up[GSIM_MP_SETS]; /* of all tasks' time over KeSCo's with the same memory; NAN: not simulated */
};
struct gsim_mp {
    struct gsim_mp_case cases[GSIM_MP_CASES];
    uint32_t count;
    double kesco_us[2][GSIM_MP_SETS]; /* pinned, managed */
};

/* FILES: MP-1's and MP-2's (workloads/tasks). */
enum gsim_status gsim_mp_run(const struct gsim_device_spec *device, const char *const files[GSIM_MP_SETS],
                             struct gsim_mp *mp, struct gsim_error *error) GSIM_NODISCARD;
void gsim_mp_print(const struct gsim_mp *mp, struct gsim_output *output);
