/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform (data). The content of a node file, for the platform of a run (sim/platform/platform.h). A box is
 * one host with its devices, switches and links. A file describes one box, or several that a network joins.
 */
#pragma once

#include "gpusim/memory.h"
#include "gpusim/platform.h"

/* Both ways: [0] from ENDS[0] to ENDS[1]. */
struct gsim_node_link {
    uint32_t ends[2]; /* vertices */
    double gbps[2];
    double latency_us;
    bool is_shared;   /* both ways share GBPS[0] */
    bool is_peer;     /* joins devices without the host */
    bool is_nvlink;   /* such a link that is no PCIe */
};

/* An explicit route from vertex FROM to vertex TO. */
struct gsim_node_route {
    uint32_t from, to;
    const uint32_t *links;
    uint32_t link_count;
};

/* Vertices: the host is 0, device D is 1 + D, switches follow, the network is last. */
struct gsim_box {
    const char *name;
    uint32_t device_count, vertex_count, link_count, route_count;
    const char **names;   /* by vertex */
    const char **models;  /* device files, by device; NULL: set by the run */
    uint32_t *attached;   /* by device: the vertex at the end of its own link */
    struct gsim_node_link *links;
    struct gsim_node_route *routes;
    double staged_gbps, staged_latency_us; /* of copies between devices staged in host memory; 0: as the links */
    bool has_peer_access; /* copies between devices may turn at a switch; else they are staged in host memory */
    uint32_t rail_count;  /* links to the network */
};

static inline uint32_t gsim_box_network(const struct gsim_box *box) { return box->vertex_count - 1; }

enum gsim_topology { GSIM_TOPOLOGY_NONE, GSIM_TOPOLOGY_CROSSBAR, GSIM_TOPOLOGY_FAT_TREE, GSIM_TOPOLOGY_DRAGONFLY };
#define GSIM_NETWORK_LEVELS 4
/* The network, a SimGrid zone. Its leaves are the boxes' rails, box after box. */
struct gsim_network {
    enum gsim_topology topology;
    double gbps, latency_us;      /* of each link, each way; of any crossing */
    uint32_t level_count;         /* fat tree */
    uint32_t down[GSIM_NETWORK_LEVELS], up[GSIM_NETWORK_LEVELS]; /* fat tree: by level, from the leaves up */
    uint32_t links[GSIM_NETWORK_LEVELS];
    uint32_t groups, chassis, routers, nodes, group_links, chassis_links, router_links; /* dragonfly */
};

/* COUNT equal boxes in a row. */
struct gsim_node_part {
    const struct gsim_box *box;
    uint32_t count, first_host, first_device, first_link, first_leaf;
};

struct gsim_node {
    const char *name, *comment, *text; /* TEXT: sources */
    struct gsim_node_part *parts;
    uint32_t part_count, host_count, device_count, link_count, leaf_count;
    struct gsim_network network;
    struct gsim_arena arena;
};

/* Index of a device's own link for a move in a direction. Behind these come the bus of both directions, and staged
 * copies between devices. */
#define GSIM_OWN_LINKS(move, to_host) (2 * (uint32_t)(move) + (to_host))

/* Counts hosts, devices, links and leaves. The box of every part must be set. */
void gsim_node_count(struct gsim_node *node);
/* Makes one box of DEVICE_COUNT devices, each with its own links to the host. Devices with PEER_GBPS above 0 also have
 * links to a common switch. NULL: out of memory. */
struct gsim_node *gsim_node_create_plain(uint32_t device_count, const double *peer_gbps, const double *peer_latency_us);
static inline bool gsim_node_is_plain(const struct gsim_node *node) { return !*node->parts->box->name; }
/* Makes the plain node NAME of the form "DEVICE-xN". *NODE is NULL: NAME is none. */
enum gsim_status gsim_node_of_device(struct gsim_node **node, const char *name,
                                     struct gsim_error *error) GSIM_NODISCARD;
