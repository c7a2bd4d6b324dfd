/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. What the device file says of links, as the routes of sim/platform/engine.h. */
#ifndef GSIM_LINKS_H
#define GSIM_LINKS_H

#include "gpusim/device.h"
#include "sim/platform/engine.h"

struct gsim_platform gsim_links_platform(const struct gsim_device_spec *device);
/* What one transfer alone has of ROUTE: what it takes of DRAM. */
double gsim_links_route_gbps(const struct gsim_device_spec *device, enum gsim_route route);

#endif
