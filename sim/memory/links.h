/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/memory. The links of a device file as the platform reads them (sim/platform/platform.h). */
#pragma once

#include "gpusim/device.h"
#include "sim/platform/platform.h"

struct gsim_own_links gsim_links_access(const struct gsim_device_spec *device);
/* Returns the GB/s of one transfer alone on LEG, which it also takes of DRAM. DEVICE: one of its ends. */
double gsim_links_leg_gbps(const struct gsim_platform *platform, const struct gsim_leg *leg,
                           const struct gsim_device_spec *device);
