/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/memory. What a device's file says of its own links, as the platform has them (sim/platform/platform.h). */
#pragma once

#include "gpusim/device.h"
#include "sim/platform/platform.h"

struct gsim_own_links gsim_links_access(const struct gsim_device_spec *device);
/* What one transfer alone has of the leg: what it takes of DRAM. DEVICE: one at its ends. */
double gsim_links_leg_gbps(const struct gsim_platform *platform, const struct gsim_leg *leg,
                           const struct gsim_device_spec *device);
