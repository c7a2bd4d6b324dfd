/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: platform (data). Where a program runs: hosts, devices of any kind, links and a network, as a node file says it
 * (docs/nodes.md, docs/schemas/gpusim-node-1.json), and what it tells schedulers.
 *
 * A place holds data: the host of a node, or a device. Hosts come first, then devices, both in the order of the file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

typedef uint32_t gsim_place;
struct gsim_device_facts; /* gpusim/scheduler.h */

/* --- a node file -------------------------------------------------------------------------------------------------- */

struct gsim_node; /* what it says; never written to after it was read */

/* NAME_OR_PATH: of models/nodes, or a file (with a '/' or ".json"). The caller releases it. */
enum gsim_status gsim_node_load(struct gsim_node **node, const char *name_or_path,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_node_release(struct gsim_node *node); /* accepts NULL */
const char *gsim_node_name(const struct gsim_node *node);
const char *gsim_node_comment(const struct gsim_node *node); /* "": it has none */
uint32_t gsim_node_host_count(const struct gsim_node *node);
uint32_t gsim_node_device_count(const struct gsim_node *node);
/* Which device file describes device DEVICE; NULL: the node leaves it to its user. */
const char *gsim_node_device_model(const struct gsim_node *node, uint32_t device);

/* --- the platform of a run ---------------------------------------------------------------------------------------- */

struct gsim_platform;

uint32_t gsim_platform_host_count(const struct gsim_platform *platform);
uint32_t gsim_platform_device_count(const struct gsim_platform *platform);
/* Device DEVICE as a place, and the host of its node. */
gsim_place gsim_platform_device_place(const struct gsim_platform *platform, uint32_t device);
gsim_place gsim_platform_host_place(const struct gsim_platform *platform, uint32_t device);
const struct gsim_device_facts *gsim_platform_facts(const struct gsim_platform *platform, uint32_t device);
/* What a transfer from FROM to TO has while nothing else moves, peer access enabled where it can be: its narrowest
 * link, and what goes before its first byte. Within one place: the bandwidth of a copy there. */
double gsim_platform_gbps(const struct gsim_platform *platform, gsim_place from, gsim_place to);
double gsim_platform_latency_us(const struct gsim_platform *platform, gsim_place from, gsim_place to);
/* Latency and BYTES at that bandwidth. 0 bytes: 0. */
double gsim_platform_transfer_us(const struct gsim_platform *platform, gsim_place from, gsim_place to, double bytes);
/* Devices FROM and TO have links of their own between them, which peer access opens (cudaDeviceEnablePeerAccess). */
bool gsim_platform_has_peer_links(const struct gsim_platform *platform, uint32_t from, uint32_t to);

GSIM_DECLARATIONS_END
