/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate. A calibration as text: the table in the terminal, and JSON (schema gpusim-calibration/1). The
 * device file itself: gsim_device_write(). No wall-clock time: equal input gives equal bytes.
 */
#pragma once

#include "trust/calibrate/calibrate.h"
#include "sim/base/output.h"

/* BASE: the base device's name. */
void gsim_calibration_print(const struct gsim_calibration *c, const char *base, struct gsim_output *output);
void gsim_calibration_json(const struct gsim_calibration *c, const char *base, struct gsim_output *output);
