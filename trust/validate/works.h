/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. What kernels are on a device, found once each: runs of one program under several schedulers,
 * and replays of their traces, have the same kernels, and to find what a measured one does takes longer than to
 * simulate a run.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/program.h"
#include "sim/base/slots.h"
#include "sim/sm/demand.h"

struct gsim_kept_works {                      /* a zeroed one is empty */
    double numbers[GSIM_DEVICE_NUMBER_COUNT]; /* of the device that they are of, */
    uint32_t model;                           /* its work model */
    uint64_t rules_off;                       /* and rules */
    struct gsim_kernel *kernels;              /* their texts are the arena's */
    struct gsim_demand *demands;              /* of them */
    struct gsim_demand *asked;                /* of the program asked for last */
    struct gsim_slots slots;                  /* of the kernels */
    size_t kernel_room, demand_room, asked_room;
    struct gsim_arena arena;
};
void gsim_kept_works_release(struct gsim_kept_works *kept);

/* Those of PROGRAM's kernels on DEVICE, until the next call; NULL: one cannot run there, or memory is out, as its run
 * will tell. What is kept goes where DEVICE differs in more than latencies, links and the host. */
const struct gsim_demand *gsim_kept_works_of(struct gsim_kept_works *kept, const struct gsim_device_spec *device,
                                             const struct gsim_program *program);
