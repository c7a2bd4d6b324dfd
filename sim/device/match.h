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

/* Finds the device of GPU on the search path:
 *   1. the one whose file lists GPU, else whose title is GPU;
 *   2. else, of those with its compute capability (0: not known), or the same major number, or SMs of the same limits,
 *      the one with the nearest number of SMs.
 * GSIM_INPUT names a file that cannot be read and might be the one, unless one before it lists GPU. */
enum gsim_status gsim_device_match(const char *gpu, int compute_capability, double sm_count,
                                   struct gsim_device_match *match, struct gsim_error *error) GSIM_NODISCARD;

/* What a trace says of its GPU; 0: not said. */
struct gsim_recorded_gpu {
    const char *gpu;
    double sm_count, dram_gbps, clock_mhz;
};

/* Puts into SPEC, which gsim_device_match() found, what the trace says: SMs, clock and bandwidth of a GPU that no file
 * describes; the SMs of one that is described but has fewer (a slice). Returns whether it put anything; NOTE then says
 * what is assumed. */
bool gsim_device_take(struct gsim_device_spec *spec, const struct gsim_recorded_gpu *facts, char *note, size_t size);
