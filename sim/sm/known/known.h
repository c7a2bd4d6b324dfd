/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal to sim/sm). From what is known of a kernel to its demand, for sim/sm/work.c. */
#pragma once

#include "sim/sm/work.h"

/* What of KERNEL the rules that hold may know. */
struct gsim_kernel gsim_known_of(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);

/* Pipes are given over the time alone. X: what a block takes where it waits for nobody. SCALE: of what the time cannot
 * hold. */
void gsim_demand_set_pipes(struct gsim_demand *work, const struct gsim_device_spec *device,
                           const struct gsim_kernel *kernel, double x, double scale);

/* Whether the arithmetic that is given, ISSUE_PS of an SM for a block, is far from what keeps its warps always ready.
 */
bool gsim_known_sparse(const struct gsim_demand *work, const struct gsim_device_spec *device, double issue_ps);

/* It keeps one slice of L2 much busier than the others; its data_bytes. */
bool gsim_known_contended(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);
double gsim_known_bytes(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);

/* Data that passes L2 in one run of the grid, in bytes. */
double gsim_demand_touched_bytes(const struct gsim_demand *work, const struct gsim_device_spec *device);

/* Blocks of a cluster; 1: there are none. */
uint32_t gsim_known_cluster(const struct gsim_kernel *kernel);
enum gsim_status gsim_known_check_cluster(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                          struct gsim_error *error) GSIM_NODISCARD;
