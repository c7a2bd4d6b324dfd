/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. Device files (models/NAME.json, format in models/README.md): functions for the program, beside
 * include/gpusim/device.h, which loads and lists them. The numbers: include/gpusim/device.def.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "gpusim/device.h"

#define GSIM_DEVICE_SCHEMA "gpusim-device/1"
#define GSIM_ARCH_SCHEMA   "gpusim-arch/1" /* models/arch/NAME.json: numbers of an architecture */

/* A pseudo-number: sets h2d_gbps and scales the other bandwidths of the link to the host (list: sim/device/pcie.c). */
#define GSIM_DEVICE_PCIE "pcie_gbps"
enum gsim_status gsim_device_set_pcie(struct gsim_device_spec *spec, const char *value,
                                      struct gsim_error *error) GSIM_NODISCARD;
bool gsim_device_is_pcie(const char *number); /* whether the link's bandwidth scales it */

/* Sets the compute capability and its limits of an SM from models/arch. Fails if no file has it; SPEC is then
 * unchanged. */
enum gsim_status gsim_device_set_capability(struct gsim_device_spec *spec, int compute_capability,
                                            struct gsim_error *error) GSIM_NODISCARD;

/* Sets a measured or fitted number, clamped to its range and rounded if it is a count. SOURCE is copied. False: out of
 * memory. */
bool gsim_device_put(struct gsim_device_spec *spec, enum gsim_device_number number, double value,
                     enum gsim_number_kind kind, const char *source);
/* Writes a device file that gsim_device_load() reads (sim/device/device_write.c). */
struct gsim_output;
void gsim_device_write(const struct gsim_device_spec *spec, struct gsim_output *output);

/* Prints every number with value, unit, kind and source (gpusim list devices --long). */
void gsim_device_print(const struct gsim_device_spec *spec, FILE *out);
