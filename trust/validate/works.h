/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. What kernels are on a device, found once each: runs of one program under several schedulers,
 * and replays of their traces, have the same kernels, and to find what a measured one does takes longer than to
 * simulate a run.
 */
#pragma once

#include "gpusim/program.h"
#include "sim/sm/demand.h"

struct gsim_kept_works {
    const struct gsim_device_spec *device; /* of all of them; the rest may be zero */
    struct gsim_kernel *kernels;           /* their texts are the arena's */
    struct gsim_demand *demands;           /* of them */
    struct gsim_demand *asked;             /* of the program asked for last */
    uint32_t *slots;                       /* by hash: 1 + place among the kernels; 0: none */
    size_t count, kernel_room, demand_room, asked_room, slot_count;
    struct gsim_arena arena;
};
void gsim_kept_works_release(struct gsim_kept_works *kept);

/* Those of PROGRAM's kernels, until the next call; NULL: one cannot run on the device, or memory is out, as its run
 * will tell. */
const struct gsim_demand *gsim_kept_works_of(struct gsim_kept_works *kept, const struct gsim_program *program);
