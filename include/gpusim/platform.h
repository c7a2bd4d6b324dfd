/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: platform (data). Hosts, devices, links and a network, from a node file (docs/nodes.md,
 * docs/schemas/gpusim-node-1.json), as schedulers see them.
 *
 * A place holds data: a host or a device. Hosts are numbered first, then devices, both in file order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

typedef uint32_t gsim_place;
struct gsim_device_facts; /* gpusim/scheduler.h */

/* --- a node file -------------------------------------------------------------------------------------------------- */

struct gsim_node; /* its content; read-only */

/* Reads a node file: a name in models/nodes, or a path (with a '/' or ".json"). Else "DEVICE-xN": N of a device, with
 * the links of its file. The caller releases *NODE. */
enum gsim_status gsim_node_load(struct gsim_node **node, const char *name_or_path,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_node_release(struct gsim_node *node); /* accepts NULL */
const char *gsim_node_name(const struct gsim_node *node);
const char *gsim_node_comment(const struct gsim_node *node); /* "": none */
uint32_t gsim_node_host_count(const struct gsim_node *node);
uint32_t gsim_node_device_count(const struct gsim_node *node);
/* Returns the device file of DEVICE; NULL: the run chooses it. */
const char *gsim_node_device_model(const struct gsim_node *node, uint32_t device);

/* --- the platform of a run ---------------------------------------------------------------------------------------- */

struct gsim_platform;

uint32_t gsim_platform_host_count(const struct gsim_platform *platform);
uint32_t gsim_platform_device_count(const struct gsim_platform *platform);
/* Return the place of DEVICE / of its host. */
gsim_place gsim_platform_device_place(const struct gsim_platform *platform, uint32_t device);
gsim_place gsim_platform_host_place(const struct gsim_platform *platform, uint32_t device);
const struct gsim_device_facts *gsim_platform_facts(const struct gsim_platform *platform, uint32_t device);
/* Return the GB/s of the narrowest link from FROM to TO, idle and with peer access if possible / the latency before the
 * first byte. Within one place: of a copy there. */
double gsim_platform_gbps(const struct gsim_platform *platform, gsim_place from, gsim_place to);
double gsim_platform_latency_us(const struct gsim_platform *platform, gsim_place from, gsim_place to);
/* Returns latency + BYTES / bandwidth in microseconds. 0 bytes: 0. */
double gsim_platform_transfer_us(const struct gsim_platform *platform, gsim_place from, gsim_place to, double bytes);
/* Whether devices FROM and TO have peer links, for cudaDeviceEnablePeerAccess(). */
bool gsim_platform_has_peer_links(const struct gsim_platform *platform, uint32_t from, uint32_t to);

GSIM_DECLARATIONS_END
