/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A probe that no GPU made: the calls of traces/runner/probe/probe_*.cu, made on the simulated device. What the
 * simulator does not model (arithmetic, memory curves, threads) follows from the device's numbers.
 */
#pragma once

#include "trust/calibrate/probe.h"
#include "gpusim/device.h"

/* PROBE is the caller's to release. Quantiles are NOISE_RATIO to either side of the truth. */
enum gsim_status synthetic_probe_make(const struct gsim_device_spec *device, double noise_ratio,
                                      struct gsim_probe *probe, struct gsim_error *error);
enum gsim_status synthetic_probe_write(const struct gsim_probe *probe, const char *path, struct gsim_error *error);
