/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate (internal to models/calibrate*.c). What the parts of a calibration from a probe offer each
 * other.
 */
#pragma once

#include "trust/calibrate/calibrate.h"

/* " (NVIDIA H200, driver 580.159, 2026-11-21)", or "" where nothing is known. */
const char *gsim_calibration_origin(const struct gsim_probe *probe, char *text, size_t size);

/* What the driver says of the device; warns where the limits of an SM are not those of its compute capability. */
enum gsim_status gsim_calibrate_attributes(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file,
                                           struct gsim_error *error) GSIM_NODISCARD;
/* SMs of each GPC. Warns where none explain the clusters that the probe found resident. */
void gsim_calibrate_gpcs(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file);
/* Numbers that are no sums of others: rates of arithmetic and memory, queues. */
void gsim_calibrate_chip(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file);
