/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform. The platform of a run: a node (sim/platform/node.h) and the own links of its devices. It numbers
 * all links, each direction apart, and finds the route of a transfer: its links and its latency. Transfers whose routes
 * have a link in common share it (sim/platform/engine.h).
 *
 *   host ==own links, bus== attached vertex --links of the node-- ... -- network -- ...
 *        a device's own links: each way one for each kind of move, and the bus that both ways share
 */
#pragma once

#include "sim/platform/node.h"

/* Kind of transfer, which selects the device's own link. */
enum gsim_move {
    GSIM_MOVE_PINNED,   /* and all kinds that are not listed */
    GSIM_MOVE_PAGEABLE,
    GSIM_MOVE_BULK,     /* prefetches and migrations of many pages */
    GSIM_MOVE_FAULT,    /* pages that faults bring */
    GSIM_MOVE_DIRECT,   /* between devices over peer links */
    GSIM_MOVE_COUNT
};
#define GSIM_OWN_MOVES GSIM_MOVE_DIRECT

/* From where to where a transfer goes. */
struct gsim_leg {
    enum gsim_move move;
    gsim_place from, to;
};

enum { GSIM_TO_DEVICE, GSIM_TO_HOST };

/* A device's own links, from its file. */
struct gsim_own_links {
    double gbps[GSIM_OWN_MOVES][2];       /* by direction; 0: never that way */
    double latency_us[GSIM_OWN_MOVES][2]; /* before the first byte */
    double both_gbps;                     /* the bus: both directions together */
    double local_gbps;                    /* of a copy within the device */
    double beside_faults_least;           /* least of a direction that faults leave to transfers */
    double peer_gbps, peer_latency_us;    /* without a node file: of the link to a common switch; 0: none */
};

#define GSIM_ROUTE_LINKS 24
#define GSIM_NO_LEAF UINT32_MAX
struct gsim_route {
    uint32_t links[GSIM_ROUTE_LINKS], count;
    uint32_t leaves[2]; /* leaves of the network at its ends; GSIM_NO_LEAF: it stays in a box */
    double latency_us;
};

struct gsim_path; /* between two vertices of a box */
struct gsim_platform {
    const struct gsim_node *node;
    uint32_t device_count;                   /* the first of the node */
    const struct gsim_own_links *const *access; /* by device */
    const struct gsim_device_facts *const *facts;
    struct gsim_path ***paths;               /* by part and pair of vertices; filled on demand */
    struct gsim_arena *arena;
};

/* Makes the platform of the node's first DEVICE_COUNT devices. ACCESS and FACTS stay the caller's. False: out of
 * memory. */
bool gsim_platform_init(struct gsim_platform *platform, const struct gsim_node *node, uint32_t device_count,
                        const struct gsim_own_links *const *access, const struct gsim_device_facts *const *facts,
                        struct gsim_arena *arena);
/* Finds the route of LEG. False: there is none, as for GSIM_MOVE_DIRECT between devices without peer links. */
bool gsim_platform_route(const struct gsim_platform *platform, const struct gsim_leg *leg, struct gsim_route *route);
/* Returns the first device of DEVICE's box. *COUNT: how many the box has. */
uint32_t gsim_platform_beside(const struct gsim_platform *platform, uint32_t device, uint32_t *count);
/* Returns the GB/s each way of a ring over the first COUNT devices, at most GSIM_RING_DEVICES, when all send at once.
 * The ring has the order whose narrowest pair is widest. */
#define GSIM_RING_DEVICES 8
double gsim_platform_ring_gbps(const struct gsim_platform *platform, uint32_t count);
/* Returns the bandwidth of LINK in GB/s. */
double gsim_platform_link_gbps(const struct gsim_platform *platform, uint32_t link);
/* Returns the bandwidth of each network link in GB/s; INFINITY for a crossbar. */
double gsim_platform_network_gbps(const struct gsim_platform *platform);
/* Finds the device, move and direction whose own link LINK is. False: it is no own link. */
bool gsim_platform_owner(const struct gsim_platform *platform, uint32_t link, uint32_t *device, enum gsim_move *move,
                         int *direction);
/* Returns the number of DEVICE's own link for a move in a direction. */
uint32_t gsim_platform_own_link(const struct gsim_platform *platform, uint32_t device, enum gsim_move move,
                                int direction);
/* Returns the bandwidth of the route's narrowest link in GB/s. */
double gsim_route_gbps(const struct gsim_platform *platform, const struct gsim_route *route);
/* Writes the name of a link for reports to TEXT and returns it: "gpu0 to host (pinned)". */
const char *gsim_platform_link_name(const struct gsim_platform *platform, uint32_t link, char *text, size_t size);

static inline bool gsim_platform_is_host(const struct gsim_platform *p, gsim_place place)
{
    return place < p->node->host_count;
}
static inline uint32_t gsim_platform_device_of(const struct gsim_platform *p, gsim_place place)
{
    return place - p->node->host_count;
}
