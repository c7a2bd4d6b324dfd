/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform (data). What a node file says, as the platform of a run reads it (sim/platform/platform.h). A box
 * is one host with its devices and switches, which links join; a node of the file is one box, or many over a network.
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
    bool is_peer;     /* joins devices, directly or over switches, and goes past the host: NVLink */
};

/* Of vertex FROM to vertex TO, in place of what the rule finds. */
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
    const char **models;  /* by device; NULL: the run says which */
    uint32_t *attached;   /* by device: the vertex where its own link to the host ends */
    struct gsim_node_link *links;
    struct gsim_node_route *routes;
    double staged_gbps, staged_latency_us; /* of copies between devices through the host's memory; 0: as their links */
    bool has_peer_access; /* copies between devices may meet at a switch; else they go through the host's memory */
    uint32_t rail_count;  /* links to the network */
};

static inline uint32_t gsim_box_network(const struct gsim_box *box) { return box->vertex_count - 1; }

enum gsim_topology { GSIM_TOPOLOGY_NONE, GSIM_TOPOLOGY_CROSSBAR, GSIM_TOPOLOGY_FAT_TREE, GSIM_TOPOLOGY_DRAGONFLY };
#define GSIM_NETWORK_LEVELS 4
/* SimGrid's zones build it. Its leaves are the boxes' links to it, box after box. */
struct gsim_network {
    enum gsim_topology topology;
    double gbps, latency_us;      /* of each of its links, each way; of a crossing, however long */
    uint32_t level_count;         /* fat tree */
    uint32_t down[GSIM_NETWORK_LEVELS], up[GSIM_NETWORK_LEVELS],
        links[GSIM_NETWORK_LEVELS]; /* fat tree: per level, from the leaves */
    uint32_t groups, chassis, routers, nodes, group_links, chassis_links, router_links; /* dragonfly */
};

/* COUNT boxes of one kind, one after the other. */
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

/* A device's own links, each way by what moves, then the bus that both ways share, and what copies between devices
 * through the host's memory have. */
#define GSIM_OWN_LINKS(move, to_host) (2 * (uint32_t)(move) + (to_host))

/* Numbers of hosts, devices, links and leaves; every part's box is set. */
void gsim_node_count(struct gsim_node *node);
/* DEVICE_COUNT devices of one box, each with links of its own to the host; PEER_GBPS: those that have links to a switch
 * of their own as well, which joins them. NULL: out of memory. */
struct gsim_node *gsim_node_create_plain(uint32_t device_count, const double *peer_gbps, const double *peer_latency_us);
