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

/* What names say of kernels. */
enum { GSIM_OTHER_STREAMS, GSIM_OTHER_MIXED, GSIM_OTHER_PRODUCTS, GSIM_OTHER_KINDS };
#define GSIM_OTHER_NAMES 64
/* The numbers of models/laws/other_device.json (sim/device/other.def). */
struct gsim_other_law {
#define X(name, unit, least, most, help) double name;
#include "sim/device/other.def"
#undef X
    struct {
        char part[32];
        int kind;
    } names[GSIM_OTHER_NAMES]; /* the first that is part of a kernel's name counts, of each kind */
    size_t name_count;
};
enum gsim_status gsim_other_law_load(struct gsim_other_law *law, struct gsim_error *error) GSIM_NODISCARD;

/* The time alone on TO of KERNEL, whose solo_us is of FROM. */
struct gsim_other_time gsim_other_time(const struct gsim_other_law *law, const struct gsim_kernel *kernel,
                                       const struct gsim_device_spec *from, const struct gsim_device_spec *to);
/* Whether nobody measured DEVICE's memory: what was scaled to it or from it is coarse. */
#define GSIM_OTHER_ASSUMED "its memory's rate is assumed, nobody measured it"
bool gsim_other_is_assumed(const struct gsim_device_spec *device);

/* Makes KERNEL, timed on FROM, one that was timed on TO: times, shares of pipes, shared memory that a block can have
 * there. What was measured of it on part of FROM goes, and its energy. */
struct gsim_other_time gsim_other_move(const struct gsim_other_law *law, struct gsim_kernel *kernel,
                                       const struct gsim_device_spec *from, const struct gsim_device_spec *to);

/* TO beside the host of FROM. */
void gsim_other_host(struct gsim_device_spec *to, const struct gsim_device_spec *from);
/* TO's host FACTOR times as slow. */
void gsim_other_slow_host(struct gsim_device_spec *to, double factor);
/* TO in the place of FROM in one machine: FROM's host, and the gaps between kernels that FROM was given beyond its
 * file's (by a trace). */
void gsim_other_replace(struct gsim_device_spec *to, const struct gsim_device_spec *from);

/* Whether KERNEL's time is of another device than DEVICE. */
bool gsim_other_is(const struct gsim_kernel *kernel, const struct gsim_device_spec *device);

/* Devices by name, each loaded once. */
struct gsim_others {
    struct gsim_other_law law;
    struct gsim_device_spec from;
    bool is_loaded;
};

/* Moves KERNEL to DEVICE if it is another's. TIME's zeros: it is not, or nobody knows that device, and KERNEL is as it
 * was. Fails where the law cannot be read. */
enum gsim_status gsim_others_move(struct gsim_others *others, struct gsim_kernel *kernel,
                                  const struct gsim_device_spec *device, struct gsim_other_time *time,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_others_release(struct gsim_others *others);

/* The kernels of a program that are timed elsewhere, each counted once, and FROM, the device of the first. The interval
 * takes them to be wrong one by one, and all together by the law's off_common. */
struct gsim_others_sum {
    uint32_t count;
    double before_us, us, low_us, high_us;
    bool is_assumed; /* either device is */
    char from[64];
};

/* False: there are none. */
bool gsim_others_sum(const struct gsim_program *program, const struct gsim_device_spec *device,
                     struct gsim_others_sum *sum);
