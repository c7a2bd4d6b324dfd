/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/platform/platform.h. Links are numbered box after box: its devices' own ones, then those that its file
 * lists. */
#include "sim/platform/platform.h"

#include <math.h>
#include <stdio.h>

#include "gpusim/scheduler.h"
#include "sim/base/ends.h"

#define OWN_BUS    (2u * GSIM_OWN_MOVES)
#define OWN_STAGED (OWN_BUS + 1)
#define OWN_COUNT  (OWN_BUS + 2)
#define PATH_LINKS 12

struct gsim_path {
    bool exists, meets_host;
    uint32_t count, links[PATH_LINKS]; /* of the box, each way */
    double latency_us;
};

/* Where a place is. */
struct spot {
    const struct gsim_node_part *part;
    uint32_t box;    /* which of the part's */
    uint32_t vertex; /* of it */
    uint32_t device; /* of the node; of a host none */
};

static uint32_t links_of_box(const struct gsim_box *box) { return OWN_COUNT * box->device_count + 2 * box->link_count; }

void gsim_node_count(struct gsim_node *node)
{
    node->host_count = node->device_count = node->link_count = node->leaf_count = 0;
    for (uint32_t i = 0; i < node->part_count; i++) {
        struct gsim_node_part *part = &node->parts[i];
        part->first_host = node->host_count;
        part->first_device = node->device_count;
        part->first_link = node->link_count;
        part->first_leaf = node->leaf_count;
        node->host_count += part->count;
        node->device_count += part->count * part->box->device_count;
        node->link_count += part->count * links_of_box(part->box);
        node->leaf_count += part->count * part->box->rail_count;
    }
}

static const struct gsim_node_part *part_of_device(const struct gsim_node *node, uint32_t device)
{
    const struct gsim_node_part *part = node->parts;
    while (device >= part->first_device + part->count * part->box->device_count) part++;
    return part;
}

static struct spot spot_of_device(const struct gsim_node *node, uint32_t device)
{
    const struct gsim_node_part *part = part_of_device(node, device);
    uint32_t index = device - part->first_device;
    return (struct spot){part, index / part->box->device_count, 1 + index % part->box->device_count, device};
}

static struct spot spot_of(const struct gsim_platform *p, gsim_place place)
{
    if (!gsim_platform_is_host(p, place)) return spot_of_device(p->node, gsim_platform_device_of(p, place));
    const struct gsim_node_part *part = p->node->parts;
    while (place >= part->first_host + part->count) part++;
    return (struct spot){part, place - part->first_host, 0, UINT32_MAX};
}

static uint32_t first_link(const struct spot *spot)
{
    return spot->part->first_link + spot->box * links_of_box(spot->part->box);
}
static uint32_t own_link(const struct spot *device, uint32_t which)
{
    return first_link(device) + OWN_COUNT * (device->vertex - 1) + which;
}
static uint32_t attached(const struct spot *spot)
{
    return spot->vertex ? spot->part->box->attached[spot->vertex - 1] : 0;
}

/* --- paths within a box ------------------------------------------------------------------------------------------- */

static void append(struct gsim_path *path, const struct gsim_box *box, uint32_t link, int way)
{
    const struct gsim_node_link *l = &box->links[link];
    GSIM_INVARIANT(path->count < PATH_LINKS);
    path->links[path->count++] = OWN_COUNT * box->device_count + 2 * link + (l->is_shared ? 0 : (uint32_t)way);
    path->latency_us += l->latency_us;
    if (!l->ends[0] || !l->ends[1]) path->meets_host = true;
}

/* As the file gives it. */
static bool find_given(struct gsim_path *path, const struct gsim_box *box, uint32_t from, uint32_t to, bool is_peer)
{
    for (uint32_t r = 0; r < box->route_count; r++) {
        const struct gsim_node_route *route = &box->routes[r];
        if (route->from != from || route->to != to || box->links[route->links[0]].is_peer != is_peer) continue;
        for (uint32_t i = 0, at = from; i < route->link_count; i++) {
            const struct gsim_node_link *l = &box->links[route->links[i]];
            int way = l->ends[0] != at;
            append(path, box, route->links[i], way);
            at = l->ends[!way];
        }
        return true;
    }
    return false;
}

/* Devices and the network pass nothing on. */
static bool passes_on(const struct gsim_box *box, uint32_t vertex)
{
    return !vertex || (vertex > box->device_count && vertex != gsim_box_network(box));
}

/* Finds the path with fewest links, then with the widest narrowest link, then first in file order. Searches from TO
 * backwards. */
static bool find_path(struct gsim_path *path, const struct gsim_box *box, uint32_t from, uint32_t to, bool is_peer)
{
    enum { MOST = PATH_LINKS + 1 };
    double *wide = gsim_alloc(sizeof *wide * box->vertex_count * MOST); /* by links still to go, and vertex */
    bool found = false;
    if (!wide) gsim_ends_out_of_memory();
    wide[to] = INFINITY;
    for (uint32_t length = 1; length < MOST && !found; length++) {
        const double *before = &wide[(length - 1) * box->vertex_count];
        double *now = &wide[length * box->vertex_count];
        for (uint32_t l = 0; l < box->link_count; l++)
            for (int way = 0; way < 2; way++) {
                uint32_t a = box->links[l].ends[way], b = box->links[l].ends[!way];
                if (box->links[l].is_peer == is_peer && (b == to || passes_on(box, b)) &&
                    fmin(before[b], box->links[l].gbps[way]) > now[a])
                    now[a] = fmin(before[b], box->links[l].gbps[way]);
            }
        if (!(now[from] > 0)) continue;
        found = true;
        for (uint32_t at = from; length; length--) {
            double width = wide[length * box->vertex_count + at];
            const double *rest = &wide[(length - 1) * box->vertex_count];
            for (uint32_t e = 0; e < 2 * box->link_count; e++) {
                const struct gsim_node_link *l = &box->links[e / 2];
                int way = e % 2;
                uint32_t b = l->ends[!way];
                if (l->is_peer != is_peer || l->ends[way] != at || !(b == to || passes_on(box, b)) ||
                    fmin(rest[b], l->gbps[way]) < width)
                    continue;
                append(path, box, e / 2, way);
                at = b;
                break;
            }
        }
        break;
    }
    gsim_free(wide);
    return found;
}

static const struct gsim_path *path_of(const struct gsim_platform *p, const struct spot *spot, uint32_t from,
                                       uint32_t to, bool is_peer)
{
    const struct gsim_box *box = spot->part->box;
    struct gsim_path **paths = p->paths[spot->part - p->node->parts];
    struct gsim_path **place = &paths[(is_peer * box->vertex_count + from) * box->vertex_count + to];
    if (*place) return *place;
    struct gsim_path *path = GSIM_ARENA_NEW(p->arena, struct gsim_path);
    if (!path) gsim_ends_out_of_memory();
    path->meets_host = !from || !to;
    path->exists = from == to || find_given(path, box, from, to, is_peer) || find_path(path, box, from, to, is_peer);
    return *place = path;
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

static void add_link(struct gsim_route *route, uint32_t link)
{
    GSIM_INVARIANT(route->count < GSIM_ROUTE_LINKS);
    route->links[route->count++] = link;
}

static bool add_path(const struct gsim_platform *p, struct gsim_route *route, const struct spot *spot, uint32_t from,
                     uint32_t to, bool is_peer)
{
    const struct gsim_path *path = path_of(p, spot, from, to, is_peer);
    if (!path || !path->exists) return false;
    for (uint32_t i = 0; i < path->count; i++) add_link(route, first_link(spot) + path->links[i]);
    route->latency_us += path->latency_us;
    return true;
}

static bool add_own(const struct gsim_platform *p, struct gsim_route *route, const struct spot *device,
                    enum gsim_move move, int direction)
{
    const struct gsim_own_links *access = p->access[device->device];
    if (!(access->gbps[move][direction] > 0)) return false;
    add_link(route, own_link(device, GSIM_OWN_LINKS(move, direction)));
    route->latency_us += access->latency_us[move][direction];
    return true;
}

static bool route_to_host(const struct gsim_platform *p, const struct spot *device, enum gsim_move move, int direction,
                          struct gsim_route *route)
{
    uint32_t at = attached(device);
    if (!add_own(p, route, device, move, direction)) return false;
    add_link(route, own_link(device, OWN_BUS));
    return direction == GSIM_TO_HOST ? add_path(p, route, device, at, 0, false)
                                     : add_path(p, route, device, 0, at, false);
}

/* Routes a copy between devices: over a common switch, else through the host's memory. */
static bool route_between(const struct gsim_platform *p, const struct spot *from, const struct spot *to,
                          struct gsim_route *route)
{
    const struct gsim_box *box = from->part->box;
    uint32_t a = attached(from), b = attached(to);
    const struct gsim_path *path = path_of(p, from, a, b, false);
    if (!add_own(p, route, from, GSIM_MOVE_PINNED, GSIM_TO_HOST) ||
        !add_own(p, route, to, GSIM_MOVE_PINNED, GSIM_TO_DEVICE))
        return false;
    if (box->has_peer_access && path && path->exists && !path->meets_host) return add_path(p, route, from, a, b, false);
    if (box->staged_gbps > 0) add_link(route, own_link(from, OWN_STAGED));
    if (box->staged_latency_us > 0) route->latency_us = box->staged_latency_us;
    return add_path(p, route, from, a, 0, false) && add_path(p, route, from, 0, b, false);
}

/* The number of the box's links to the network that lie in front of the last one of the route. */
static uint32_t leaf_of(const struct spot *spot, uint32_t link)
{
    const struct gsim_box *box = spot->part->box;
    uint32_t rail = 0, last = (link - first_link(spot) - OWN_COUNT * box->device_count) / 2;
    for (uint32_t l = 0; l < last; l++)
        rail += box->links[l].ends[0] == gsim_box_network(box) || box->links[l].ends[1] == gsim_box_network(box);
    return spot->part->first_leaf + spot->box * box->rail_count + rail;
}

static bool route_across(const struct gsim_platform *p, const struct spot *from, const struct spot *to,
                         enum gsim_move move, struct gsim_route *route)
{
    uint32_t out = gsim_box_network(from->part->box), in = gsim_box_network(to->part->box);
    if (from->vertex && !add_own(p, route, from, GSIM_MOVE_PINNED, GSIM_TO_HOST)) return false;
    if (!add_path(p, route, from, attached(from), out, false)) return false;
    route->leaves[0] = leaf_of(from, route->links[route->count - 1]);
    uint32_t before = route->count;
    if (!add_path(p, route, to, in, attached(to), false)) return false;
    route->leaves[1] = leaf_of(to, route->links[before]);
    if (to->vertex && !add_own(p, route, to, from->vertex ? GSIM_MOVE_PINNED : move, GSIM_TO_DEVICE)) return false;
    route->latency_us += p->node->network.latency_us;
    return true;
}

bool gsim_platform_route(const struct gsim_platform *p, const struct gsim_leg *leg, struct gsim_route *route)
{
    struct spot from = spot_of(p, leg->from), to = spot_of(p, leg->to);
    *route = (struct gsim_route){.leaves = {GSIM_NO_LEAF, GSIM_NO_LEAF}};
    bool is_within = from.part == to.part && from.box == to.box;
    if (leg->move == GSIM_MOVE_DIRECT)
        return is_within && from.vertex && to.vertex && from.vertex != to.vertex &&
               add_path(p, route, &from, from.vertex, to.vertex, true);
    if (!is_within) return route_across(p, &from, &to, leg->move, route);
    if (from.vertex && to.vertex) return from.vertex != to.vertex && route_between(p, &from, &to, route);
    if (from.vertex) return route_to_host(p, &from, leg->move, GSIM_TO_HOST, route);
    return to.vertex && route_to_host(p, &to, leg->move, GSIM_TO_DEVICE, route);
}

/* --- numbers of links --- */

/* The box that has LINK, as its host's spot, and the link's number in it. */
static struct spot box_of_link(const struct gsim_platform *p, uint32_t link, uint32_t *within)
{
    const struct gsim_node_part *part = p->node->parts;
    while (link >= part->first_link + part->count * links_of_box(part->box)) part++;
    uint32_t index = link - part->first_link;
    *within = index % links_of_box(part->box);
    return (struct spot){part, index / links_of_box(part->box), 0, UINT32_MAX};
}

static double own_gbps(const struct gsim_own_links *access, const struct gsim_box *box, uint32_t which)
{
    if (which == OWN_BUS) return access->both_gbps;
    if (which == OWN_STAGED) return box->staged_gbps;
    return access->gbps[which / 2][which % 2];
}

double gsim_platform_link_gbps(const struct gsim_platform *p, uint32_t link)
{
    uint32_t within;
    struct spot spot = box_of_link(p, link, &within);
    const struct gsim_box *box = spot.part->box;
    uint32_t own = OWN_COUNT * box->device_count;
    if (within >= own) return box->links[(within - own) / 2].gbps[(within - own) % 2];
    uint32_t device = spot.part->first_device + spot.box * box->device_count + within / OWN_COUNT;
    return own_gbps(p->access[device], box, within % OWN_COUNT);
}

bool gsim_platform_owner(const struct gsim_platform *p, uint32_t link, uint32_t *device, enum gsim_move *move,
                         int *direction)
{
    uint32_t within;
    struct spot spot = box_of_link(p, link, &within);
    const struct gsim_box *box = spot.part->box;
    if (within >= OWN_COUNT * box->device_count || within % OWN_COUNT >= OWN_BUS) return false;
    *device = spot.part->first_device + spot.box * box->device_count + within / OWN_COUNT;
    *move = (enum gsim_move)(within % OWN_COUNT / 2);
    *direction = within % OWN_COUNT % 2;
    return true;
}

uint32_t gsim_platform_own_link(const struct gsim_platform *p, uint32_t device, enum gsim_move move, int direction)
{
    struct spot spot = spot_of_device(p->node, device);
    return own_link(&spot, GSIM_OWN_LINKS(move, direction));
}

const char *gsim_platform_link_name(const struct gsim_platform *p, uint32_t link, char *text, size_t size)
{
    static const char *const moves[] = {"pinned", "pageable", "bulk", "faults"};
    uint32_t within;
    struct spot spot = box_of_link(p, link, &within);
    const struct gsim_box *box = spot.part->box;
    uint32_t own = OWN_COUNT * box->device_count, which = within % OWN_COUNT;
    char node[24] = "";
    if (p->node->host_count > 1) snprintf(node, sizeof node, "node%u/", spot.part->first_host + spot.box);
    if (within >= own) {
        const struct gsim_node_link *l = &box->links[(within - own) / 2];
        int way = (within - own) % 2;
        snprintf(text, size, "%s%s %s %s", node, box->names[l->ends[way]], l->is_shared ? "and" : "to",
                 box->names[l->ends[!way]]);
    } else if (which >= OWN_BUS) {
        snprintf(text, size, "%s%s %s", node, box->names[1 + within / OWN_COUNT],
                 which == OWN_BUS ? "both ways" : "through the host");
    } else {
        snprintf(text, size, "%s%s %s host (%s)", node, box->names[1 + within / OWN_COUNT],
                 which % 2 == GSIM_TO_HOST ? "to" : "from", moves[which / 2]);
    }
    return text;
}

double gsim_platform_network_gbps(const struct gsim_platform *p)
{
    return p->node->network.topology == GSIM_TOPOLOGY_CROSSBAR ? INFINITY : p->node->network.gbps;
}

double gsim_route_gbps(const struct gsim_platform *p, const struct gsim_route *route)
{
    double gbps = route->leaves[0] == GSIM_NO_LEAF ? INFINITY : gsim_platform_network_gbps(p);
    for (uint32_t i = 0; i < route->count; i++) gbps = fmin(gbps, gsim_platform_link_gbps(p, route->links[i]));
    return gbps;
}

/* --- life, and what schedulers ask --- */

bool gsim_platform_init(struct gsim_platform *p, const struct gsim_node *node, uint32_t device_count,
                        const struct gsim_own_links *const *access, const struct gsim_device_facts *const *facts,
                        struct gsim_arena *arena)
{
    *p = (struct gsim_platform){
        .node = node, .device_count = device_count, .access = access, .facts = facts, .arena = arena};
    p->paths = GSIM_ARENA_ARRAY(arena, struct gsim_path **, node->part_count);
    for (uint32_t i = 0; p->paths && i < node->part_count; i++) {
        size_t vertices = node->parts[i].box->vertex_count;
        p->paths[i] = GSIM_ARENA_ARRAY(arena, struct gsim_path *, 2 * vertices * vertices);
        if (!p->paths[i]) return false;
    }
    return p->paths != NULL;
}

uint32_t gsim_platform_host_count(const struct gsim_platform *p) { return p->node->host_count; }
uint32_t gsim_platform_device_count(const struct gsim_platform *p) { return p->device_count; }
gsim_place gsim_platform_device_place(const struct gsim_platform *p, uint32_t device)
{
    return p->node->host_count + device;
}
const struct gsim_device_facts *gsim_platform_facts(const struct gsim_platform *p, uint32_t device)
{
    return p->facts[device];
}

gsim_place gsim_platform_host_place(const struct gsim_platform *p, uint32_t device)
{
    struct spot spot = spot_of_device(p->node, device);
    return spot.part->first_host + spot.box;
}

uint32_t gsim_platform_beside(const struct gsim_platform *p, uint32_t device, uint32_t *count)
{
    struct spot spot = spot_of_device(p->node, device);
    *count = spot.part->box->device_count;
    return spot.part->first_device + spot.box * spot.part->box->device_count;
}

/* The best that there is between the two. */
static bool best_route(const struct gsim_platform *p, gsim_place from, gsim_place to, struct gsim_route *route)
{
    const struct gsim_leg direct = {GSIM_MOVE_DIRECT, from, to}, other = {GSIM_MOVE_PINNED, from, to};
    return gsim_platform_route(p, &direct, route) || gsim_platform_route(p, &other, route);
}

double gsim_platform_gbps(const struct gsim_platform *p, gsim_place from, gsim_place to)
{
    struct gsim_route route;
    if (from == to)
        return gsim_platform_is_host(p, from) ? INFINITY : p->access[gsim_platform_device_of(p, from)]->local_gbps;
    return best_route(p, from, to, &route) ? gsim_route_gbps(p, &route) : 0;
}

/* Extends a ring of LENGTH devices of COUNT to all; keeps that whose narrowest pair is widest. */
struct ring {
    uint32_t count, devices[GSIM_RING_DEVICES], best[GSIM_RING_DEVICES];
    double best_gbps;
};

static double pair_gbps(const struct gsim_platform *p, uint32_t from, uint32_t to)
{
    return gsim_platform_gbps(p, gsim_platform_device_place(p, from), gsim_platform_device_place(p, to));
}

static void search_rings(const struct gsim_platform *p, struct ring *r, uint32_t length, double gbps)
{
    if (length >= r->count || length >= GSIM_RING_DEVICES) {
        gbps = fmin(gbps, pair_gbps(p, r->devices[length - 1], r->devices[0]));
        if (gbps <= r->best_gbps) return;
        r->best_gbps = gbps;
        memcpy(r->best, r->devices, sizeof r->best);
        return;
    }
    for (uint32_t d = 1; d < r->count; d++) {
        bool is_in = false;
        for (uint32_t i = 1; i < length; i++) is_in = is_in || r->devices[i] == d;
        double narrowest = is_in ? 0 : fmin(gbps, pair_gbps(p, r->devices[length - 1], d));
        if (narrowest <= r->best_gbps) continue;
        r->devices[length] = d;
        search_rings(p, r, length + 1, narrowest);
    }
}

double gsim_platform_ring_gbps(const struct gsim_platform *p, uint32_t count)
{
    struct gsim_route routes[GSIM_RING_DEVICES];
    struct ring ring = {.count = count < GSIM_RING_DEVICES ? count : GSIM_RING_DEVICES};
    double gbps = INFINITY;
    search_rings(p, &ring, 1, INFINITY);
    for (uint32_t i = 0; i < ring.count; i++)
        if (!best_route(p, gsim_platform_device_place(p, ring.best[i]),
                        gsim_platform_device_place(p, ring.best[(i + 1) % ring.count]), &routes[i]))
            return 0;
    for (uint32_t i = 0; i < ring.count; i++)
        for (uint32_t l = 0; l < routes[i].count; l++) {
            uint32_t link = routes[i].links[l], users = 0;
            for (uint32_t o = 0; o < ring.count; o++)
                for (uint32_t k = 0; k < routes[o].count; k++) users += routes[o].links[k] == link;
            gbps = fmin(gbps, gsim_platform_link_gbps(p, link) / users);
        }
    return gbps;
}

double gsim_platform_latency_us(const struct gsim_platform *p, gsim_place from, gsim_place to)
{
    struct gsim_route route;
    return from != to && best_route(p, from, to, &route) ? route.latency_us : 0;
}

double gsim_platform_transfer_us(const struct gsim_platform *p, gsim_place from, gsim_place to, double bytes)
{
    return bytes > 0 ? gsim_platform_latency_us(p, from, to) + bytes * 1e-3 / gsim_platform_gbps(p, from, to) : 0;
}

bool gsim_platform_has_peer_links(const struct gsim_platform *p, uint32_t from, uint32_t to)
{
    struct gsim_route route;
    const struct gsim_leg leg = {GSIM_MOVE_DIRECT, gsim_platform_device_place(p, from),
                                 gsim_platform_device_place(p, to)};
    return gsim_platform_route(p, &leg, &route);
}
