/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal). The platform of a run, and its devices with the front ends of all processes. Each device is
 * made at its first use. */
#pragma once

#include "sim/front/front.h"

struct gsim_tasks;
struct gsim_kind; /* common to devices of one spec */

struct gsim_hardware {
    struct gsim_machine *machine;
    struct gsim_space *space;
    struct gsim_process *processes;
    uint32_t process_count, device_count, kind_count;
    struct gsim_device **devices;          /* by index; NULL: not used yet */
    uint64_t *busy;                        /* a bit for each device that may have kernels */
    struct gsim_front **fronts;            /* by process and device */
    const struct gsim_device_spec **specs; /* by device */
    struct gsim_kind *kinds;
    struct gsim_node *plain;               /* if the simulation has no node */
    struct gsim_platform platform;
    struct gsim_tasks *tasks;              /* their processes share the devices; NULL: one process */
};

/* Makes the simulation's platform and its first device, with room for PART_COUNT partitions. */
enum gsim_status gsim_hardware_init(struct gsim_hardware *h, struct gsim_machine *machine, struct gsim_space *space,
                                    uint32_t part_count, struct gsim_error *error);
/* Allocates COUNT zeroed processes. False: out of memory. */
bool gsim_hardware_make_processes(struct gsim_hardware *h, uint32_t count);
/* Opens process INDEX on PART of the first device; on other devices at their first use. */
enum gsim_status gsim_hardware_open_process(struct gsim_hardware *h, uint32_t index, struct gsim_partition *part,
                                            struct gsim_error *error);
/* Makes process INDEX a rank, which sees only DEVICE. Call it after the space has a program. */
enum gsim_status gsim_hardware_give(struct gsim_hardware *h, uint32_t index, uint32_t device, struct gsim_error *error);
/* Computes the kernels' demands on the first device. Call it after the space has a program. */
enum gsim_status gsim_hardware_use(struct gsim_hardware *h, struct gsim_error *error);
void gsim_hardware_release(struct gsim_hardware *h); /* accepts zeroed */
