/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. The device file of a GPU that calls itself by a name, as profilers record it: "NVIDIA H100 PCIe".
 */
#pragma once

#include "sim/device/device.h"

/* Whether GPU is what the device's file calls its GPUs ("gpus"); where it lists none, its title, or a name that holds
 * the device's own. */
bool gsim_device_is_gpu(const struct gsim_device_spec *spec, const char *gpu);

struct gsim_device_match {
    char name[64]; /* "": none fits */
    bool is_nearest; /* by architecture only */
};

/* Of the devices of the search path: that whose file lists the GPU; else whose title is its name; else of those with
 * its compute capability (0: not known), or at least the same major number, or at least SMs of the same limits, the one
 * with the nearest number of SMs. A file that cannot be read might be the one: an error that names it, unless one
 * before it lists the GPU. */
enum gsim_status gsim_device_match(const char *gpu, int compute_capability, double sm_count,
                                   struct gsim_device_match *match, struct gsim_error *error) GSIM_NODISCARD;

/* What a trace says of its GPU; 0: not said. */
struct gsim_recorded_gpu {
    const char *gpu;
    double sm_count, dram_gbps, clock_mhz;
};

/* Takes over into SPEC, which gsim_device_match() found, what the trace says: of a GPU that no file describes SMs,
 * clock and bandwidth, of one that is described its SMs where it has fewer (a slice). False: nothing; NOTE then says
 * nothing, else what is assumed. */
bool gsim_device_take(struct gsim_device_spec *spec, const struct gsim_recorded_gpu *facts, char *note, size_t size);
