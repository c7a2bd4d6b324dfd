/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform. The platform of a run: a node (sim/platform/node.h) and what its devices' files say of their own
 * links. It numbers all links, each way, and finds the route of a transfer: which links it shares with others, and its
 * latency.
 *
 *   host ==own links, bus== attached vertex --links of the node-- ... -- network -- ...
 *        a device's own links: each way one for each kind of move, and the bus that both ways share
 */
#pragma once

#include "sim/platform/node.h"

/* What moves, and so which of a device's own links it takes. */
enum gsim_move {
    GSIM_MOVE_PINNED,   /* and all that has no link of its own here */
    GSIM_MOVE_PAGEABLE,
    GSIM_MOVE_BULK,     /* migration of many pages at once */
    GSIM_MOVE_FAULT,    /* of those that a fault asks for */
    GSIM_MOVE_DIRECT,   /* between devices, by links past the host */
    GSIM_MOVE_COUNT
};
#define GSIM_OWN_MOVES GSIM_MOVE_DIRECT

/* One transfer's way. */
struct gsim_leg {
    enum gsim_move move;
    gsim_place from, to;
};

enum { GSIM_TO_DEVICE, GSIM_TO_HOST };

/* A device's own links, as its file says. */
struct gsim_own_links {
    double gbps[GSIM_OWN_MOVES][2];       /* by direction; a kind that never goes that way: 0 */
    double latency_us[GSIM_OWN_MOVES][2]; /* before the first byte */
    double both_gbps;                     /* the bus: what both ways have together */
    double local_gbps;                    /* of a copy within its memory */
    double beside_faults_least;           /* of a direction, for transfers while faults take some of it */
    double peer_gbps, peer_latency_us;    /* without a node file: to a switch that joins the devices; 0: none */
};

#define GSIM_ROUTE_LINKS 24
#define GSIM_NO_LEAF UINT32_MAX
struct gsim_route {
    uint32_t links[GSIM_ROUTE_LINKS], count;
    uint32_t leaves[2]; /* of the network, from and to; GSIM_NO_LEAF: it stays in a box */
    double latency_us;
};

struct gsim_path; /* between two vertices of a box */
struct gsim_platform {
    const struct gsim_node *node;
    uint32_t device_count;                   /* the node's first ones */
    const struct gsim_own_links *const *access; /* by device */
    const struct gsim_device_facts *const *facts;
    struct gsim_path ***paths;               /* by part: of pairs of vertices, as they are asked for */
    struct gsim_arena *arena;
};

/* ACCESS and FACTS of the node's first DEVICE_COUNT devices stay the caller's. False: out of memory. */
bool gsim_platform_init(struct gsim_platform *platform, const struct gsim_node *node, uint32_t device_count,
                        const struct gsim_own_links *const *access, const struct gsim_device_facts *const *facts,
                        struct gsim_arena *arena);
/* False: there is none, as between devices without links of their own for GSIM_MOVE_DIRECT. */
bool gsim_platform_route(const struct gsim_platform *platform, const struct gsim_leg *leg, struct gsim_route *route);
/* The first device of the node that DEVICE is in, and how many there are. */
uint32_t gsim_platform_beside(const struct gsim_platform *platform, uint32_t device, uint32_t *count);
/* What LINK has when nobody else takes any of it; that of the network. */
double gsim_platform_link_gbps(const struct gsim_platform *platform, uint32_t link);
/* What any of the network's links has; a crossbar's: INFINITY. */
double gsim_platform_network_gbps(const struct gsim_platform *platform);
/* The device whose own link it is, and which; false: it is none of those by which something moves. */
bool gsim_platform_owner(const struct gsim_platform *platform, uint32_t link, uint32_t *device, enum gsim_move *move,
                         int *direction);
/* Number of the link of DEVICE's own. */
uint32_t gsim_platform_own_link(const struct gsim_platform *platform, uint32_t device, enum gsim_move move,
                                int direction);
/* The narrowest of the route's links. */
double gsim_route_gbps(const struct gsim_platform *platform, const struct gsim_route *route);
/* Name of a link, for reports: "gpu0 to host (pinned)". */
const char *gsim_platform_link_name(const struct gsim_platform *platform, uint32_t link, char *text, size_t size);

static inline bool gsim_platform_is_host(const struct gsim_platform *p, gsim_place place)
{
    return place < p->node->host_count;
}
static inline uint32_t gsim_platform_device_of(const struct gsim_platform *p, gsim_place place)
{
    return place - p->node->host_count;
}
