/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. A kernel that was timed on one device, on another: docs/model/demand.md, "other_device".
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/program.h"

struct gsim_other_time {
    double us;              /* its time alone there */
    double low_us, high_us; /* which holds nine times in ten */
    double dram;            /* share of its time here that DRAM takes */
};

/* The time alone on TO of KERNEL, whose solo_us is of FROM. */
struct gsim_other_time gsim_other_time(const struct gsim_kernel *kernel, const struct gsim_device_spec *from,
                                       const struct gsim_device_spec *to);

/* Makes KERNEL, timed on FROM, one that was timed on TO: times, shares of pipes, shared memory that a block can have
 * there. What was measured of it on part of FROM goes, and its energy. */
struct gsim_other_time gsim_other_move(struct gsim_kernel *kernel, const struct gsim_device_spec *from,
                                       const struct gsim_device_spec *to);

/* TO in the place of FROM in one machine: FROM's host, and the gaps between kernels that FROM was given beyond its
 * file's (by a trace). */
void gsim_other_replace(struct gsim_device_spec *to, const struct gsim_device_spec *from);

/* Whether KERNEL's time is of another device than DEVICE. */
bool gsim_other_is(const struct gsim_kernel *kernel, const struct gsim_device_spec *device);

/* Devices by name, each loaded once. */
struct gsim_others {
    struct gsim_device_spec from;
    bool is_loaded;
};

/* Moves KERNEL to DEVICE if it is another's. False: nobody knows that device, and KERNEL is as it was. */
bool gsim_others_move(struct gsim_others *others, struct gsim_kernel *kernel, const struct gsim_device_spec *device,
                      struct gsim_other_time *time);
void gsim_others_release(struct gsim_others *others);

/* The kernels of a program that are timed elsewhere, each counted once, and FROM, the device of the first. The interval
 * takes them to be wrong one by one. */
struct gsim_others_sum {
    uint32_t count;
    double before_us, us, low_us, high_us;
    char from[64];
};

/* False: there are none. */
bool gsim_others_sum(const struct gsim_program *program, const struct gsim_device_spec *device,
                     struct gsim_others_sum *sum);
