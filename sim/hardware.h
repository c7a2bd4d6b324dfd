/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal). The platform of a run, and its devices with the front ends of all processes. Each device is
 * made at its first use. */
#pragma once

#include "sim/front/front.h"

struct gsim_tasks;
struct gsim_kind; /* what devices of one spec have in common */

struct gsim_hardware {
    struct gsim_machine *machine;
    struct gsim_space *space;
    struct gsim_process *processes;
    uint32_t process_count, device_count, kind_count;
    struct gsim_device **devices;          /* by index; NULL until it is used */
    uint64_t *busy;                        /* a bit of each device: it may have kernels */
    struct gsim_front **fronts;            /* of each process, by device */
    const struct gsim_device_spec **specs; /* by device */
    struct gsim_kind *kinds;
    struct gsim_node *plain;               /* where the simulation gives no node */
    struct gsim_platform platform;
    struct gsim_tasks *tasks;              /* whose processes share the devices; NULL: there is one process */
};

/* Makes the platform that the simulation asks for and its first device, with room for PART_COUNT parts. */
enum gsim_status gsim_hardware_init(struct gsim_hardware *h, struct gsim_machine *machine, struct gsim_space *space,
                                    uint32_t part_count, struct gsim_error *error);
/* Allocates COUNT zeroed processes. False: out of memory. */
bool gsim_hardware_make_processes(struct gsim_hardware *h, uint32_t count);
/* Opens process INDEX on PART of the first device; on others when it uses them. */
enum gsim_status gsim_hardware_open_process(struct gsim_hardware *h, uint32_t index, struct gsim_partition *part,
                                            struct gsim_error *error);
/* Makes process INDEX a rank, which sees DEVICE alone. Call it once the space has a program. */
enum gsim_status gsim_hardware_give(struct gsim_hardware *h, uint32_t index, uint32_t device, struct gsim_error *error);
/* Finds the kernels' demands on the first device. Call it once the space has a program. */
enum gsim_status gsim_hardware_use(struct gsim_hardware *h, struct gsim_error *error);
void gsim_hardware_release(struct gsim_hardware *h); /* accepts zeroed */
