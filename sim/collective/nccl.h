/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/collective. The numbers of NCCL on an architecture, from models/nccl/NAME.json (names and units:
 * nccl.def). */
#pragma once

#include "gpusim/device.h"

struct gsim_nccl {
#define X(name, unit, help) double name;
#include "sim/collective/nccl.def"
#undef X
};

/* Reads the file of DEVICE's compute capability, else of the next lower one that has a file, else of the lowest. Errors
 * name file and place. */
enum gsim_status gsim_nccl_load(struct gsim_nccl *nccl, const struct gsim_device_spec *device,
                                struct gsim_error *error) GSIM_NODISCARD;
