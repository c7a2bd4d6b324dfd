/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. Finds the device file of a GPU by the name that profilers record: "NVIDIA H100 PCIe".
 */
#pragma once

#include "sim/device/device.h"

/* Whether the device's file lists GPU ("gpus"). If it lists none: whether GPU is its title or contains its name. */
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

/* A trace's data on its GPU; 0: not given. */
struct gsim_recorded_gpu {
    const char *gpu;
    double sm_count, dram_gbps, clock_mhz;
};

/* Sets numbers of SPEC, found by gsim_device_match(), to the trace's: SMs, clock and bandwidth if no file describes the
 * GPU; SMs if the GPU has fewer (a slice). True: something was set; NOTE says what is assumed. */
bool gsim_device_take(struct gsim_device_spec *spec, const struct gsim_recorded_gpu *facts, char *note, size_t size);
