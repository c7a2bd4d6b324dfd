/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/sm (internal). What a kernel's description tells beyond its time, for sim/sm/demand.c: pipes (known.c,
 * pipes.c), clusters (clusters.c), blocks of unequal work (unequal.c), programmatic launches (marks.c), cold caches
 * (cold.c). */
#pragma once

#include "sim/sm/demand.h"

/* KERNEL without the fields whose rules are off. */
struct gsim_kernel gsim_known_of(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);

/* Sets WORK's times from KERNEL's pipes. X: a block's time without waits, in picoseconds; SCALE: of the pipes' shares,
 * below 1 where the time alone cannot hold them. */
void gsim_demand_set_pipes(struct gsim_demand *work, const struct gsim_device_spec *device,
                           const struct gsim_kernel *kernel, double x, double scale);

/* Whether WORK is issue-bound though its given arithmetic, ISSUE_PS a block, does not fill its time: it waits for
 * something else, too. */
bool gsim_known_sparse(const struct gsim_demand *work, const struct gsim_device_spec *device, double issue_ps);

/* Whether KERNEL keeps one slice of L2 much busier than the others: atomics on few addresses. */
bool gsim_known_contended(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);
/* KERNEL's data_bytes; 0: not given. */
double gsim_known_bytes(const struct gsim_device_spec *device, const struct gsim_kernel *kernel);

/* Data that passes L2 in one run of the grid, in bytes. */
double gsim_demand_touched_bytes(const struct gsim_demand *work, const struct gsim_device_spec *device);

/* Blocks of a cluster of KERNEL; 1: it has none. */
uint32_t gsim_known_cluster(const struct gsim_kernel *kernel);
/* GSIM_INPUT: no GPC of DEVICE has SMs for a cluster of KERNEL. */
enum gsim_status gsim_known_check_cluster(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                          struct gsim_error *error) GSIM_NODISCARD;
