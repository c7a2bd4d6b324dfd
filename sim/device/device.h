/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. Device files (models/NAME.json, format in models/README.md): what the program alone needs beside
 * include/gpusim/device.h, which loads and lists them. Which numbers exist: include/gpusim/device.def.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "gpusim/device.h"

#define GSIM_DEVICE_SCHEMA "gpusim-device/1"
#define GSIM_ARCH_SCHEMA   "gpusim-arch/1" /* models/arch/NAME.json: what devices of an architecture share */

/* Not a number of its own: sets h2d_gbps, and the other bandwidths that the link to the host carries in proportion
 * (sim/device/pcie.c has the list). */
#define GSIM_DEVICE_PCIE "pcie_gbps"
enum gsim_status gsim_device_set_pcie(struct gsim_device_spec *spec, const char *value,
                                      struct gsim_error *error) GSIM_NODISCARD;
bool gsim_device_is_pcie(const char *number); /* whether it is one of those */

/* Sets it, and the limits of an SM that models/arch has of it. On failure, where no file has it, SPEC is as it was. */
enum gsim_status gsim_device_set_capability(struct gsim_device_spec *spec, int compute_capability,
                                            struct gsim_error *error) GSIM_NODISCARD;

/* Sets a number that was measured or fitted, with where it comes from (copied); what lies outside the range becomes its
 * bound, counts become whole. False when memory is out. */
bool gsim_device_put(struct gsim_device_spec *spec, enum gsim_device_number number, double value,
                     enum gsim_number_kind kind, const char *source);
/* The file of the device (models/README.md), readable by gsim_device_load(). sim/device/device_write.c */
struct gsim_output;
void gsim_device_write(const struct gsim_device_spec *spec, struct gsim_output *output);

/* Every number with value, unit, kind and source: gpusim list devices --long. */
void gsim_device_print(const struct gsim_device_spec *spec, FILE *out);
