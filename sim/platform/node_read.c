/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and checks node files (gpusim-node/1, docs/nodes.md). A file describes one box, or lists nodes and their
 * network. Routes: sim/platform/platform.c.
 */
#include <math.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/json.h"
#include "sim/base/text.h"
#include "sim/device/search.h"
#include "sim/platform/node.h"

#define SCHEMA     "gpusim-node/1"
#define MAX_NODES 4096
#define MAX_LINKS 4096
#define MAX_GBPS   1e6

struct reader {
    struct gsim_node *node;
    struct gsim_box *box;
    const char **link_names; /* by link; NULL: it has none */
    struct gsim_error *error;
    bool is_part;            /* of another file */
};

static enum gsim_status read_bool(struct reader *r, const cJSON *object, const char *key, bool fallback, bool *value)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *value = item ? cJSON_IsTrue(item) : fallback;
    return !item || cJSON_IsBool(item) ? GSIM_OK : gsim_json_fail(key, "true or false", item, r->error);
}

/* The list KEY of OBJECT; an absent one is empty. */
static enum gsim_status read_list(struct reader *r, const cJSON *object, const char *key, int most, const cJSON **list,
                                  uint32_t *count)
{
    char expected[64];
    *list = cJSON_GetObjectItemCaseSensitive(object, key);
    *count = *list ? (uint32_t)cJSON_GetArraySize(*list) : 0;
    snprintf(expected, sizeof expected, "a list of at most %d", most);
    return !*list || (cJSON_IsArray(*list) && *count <= (uint32_t)most)
               ? GSIM_OK
               : gsim_json_fail(key, expected, *list, r->error);
}

/* --- one box ----------------------------------------------------------------------------------------------------- */

/* Among the first COUNT vertices. */
static enum gsim_status find_vertex(struct reader *r, const char *place, const cJSON *item, uint32_t *vertex)
{
    const struct gsim_box *b = r->box;
    for (uint32_t v = 0; cJSON_IsString(item) && v < b->vertex_count; v++)
        if (strcmp(b->names[v], item->valuestring) == 0) {
            *vertex = v;
            return GSIM_OK;
        }
    return gsim_json_fail(place, "the name of a device, a switch, host or network", item, r->error);
}

static enum gsim_status name_vertex(struct reader *r, const char *place, uint32_t vertex, const char *name)
{
    struct gsim_box *b = r->box;
    for (uint32_t v = 0; v < b->vertex_count; v++)
        if (v != vertex && b->names[v] && strcmp(b->names[v], name) == 0)
            return gsim_error_set(r->error, GSIM_INPUT, "%s: another thing is called '%s'", place, name);
    b->names[vertex] = name;
    return GSIM_OK;
}

/* How many devices an entry stands for. */
static enum gsim_status count_devices(struct reader *r, const cJSON *list, uint32_t *count)
{
    static const char *const keys[] = {"name", "device", "at", "count", NULL};
    const cJSON *entry;
    uint32_t i = 0, some = 1;
    char place[32];
    *count = 0;
    cJSON_ArrayForEach(entry, list)
    {
        snprintf(place, sizeof place, "devices[%u]", i++);
        enum gsim_status status = gsim_json_check_keys(entry, place, keys, r->error);
        if (!status) status = gsim_json_read_count(entry, place, "count", 1, GSIM_LIMIT_GPUS, 1, &some, r->error);
        if (status) return status;
        *count += some;
        if (*count > GSIM_LIMIT_GPUS)
            return gsim_error_set(r->error, GSIM_INPUT, "devices: expected at most %d", GSIM_LIMIT_GPUS);
    }
    return *count ? GSIM_OK : gsim_error_set(r->error, GSIM_INPUT, "devices: expected one at least");
}

static enum gsim_status read_devices(struct reader *r, const cJSON *list)
{
    struct gsim_box *b = r->box;
    const cJSON *entry;
    uint32_t d = 0, i = 0, count = 1;
    char place[32];
    enum gsim_status status = GSIM_OK;
    cJSON_ArrayForEach(entry, list)
    {
        const char *name = NULL, *model = NULL;
        snprintf(place, sizeof place, "devices[%u]", i++);
        status = gsim_json_read_count(entry, place, "count", 1, GSIM_LIMIT_GPUS, 1, &count, r->error);
        if (!status) status = gsim_json_read_text(entry, place, "name", "gpu", &r->node->arena, &name, r->error);
        if (!status) status = gsim_json_read_text(entry, place, "device", "", &r->node->arena, &model, r->error);
        for (uint32_t k = 0; k < count && !status; k++, d++) {
            bool is_numbered =
                cJSON_GetObjectItemCaseSensitive(entry, "count") || !cJSON_GetObjectItemCaseSensitive(entry, "name");
            const char *own = is_numbered ? gsim_arena_printf(&r->node->arena, "%s%u", name, d) : name;
            status = own ? name_vertex(r, place, 1 + d, own) : gsim_no_memory(r->error);
            b->models[d] = *model ? model : NULL;
        }
        if (status) return status;
    }
    return GSIM_OK;
}

/* Where their own links end: once all switches have names. */
static enum gsim_status read_places(struct reader *r, const cJSON *list)
{
    const cJSON *entry;
    uint32_t d = 0, i = 0, count = 1, at;
    char place[40];
    cJSON_ArrayForEach(entry, list)
    {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, "at");
        enum gsim_status status =
            gsim_json_read_count(entry, "devices", "count", 1, GSIM_LIMIT_GPUS, 1, &count, r->error);
        snprintf(place, sizeof place, "devices[%u].at", i++);
        at = 0;
        if (!status && item) status = find_vertex(r, place, item, &at);
        if (status) return status;
        if (at && (at <= r->box->device_count || at == gsim_box_network(r->box)))
            return gsim_json_fail(place, "host or a switch", item, r->error);
        for (uint32_t k = 0; k < count; k++) r->box->attached[d++] = at;
    }
    return GSIM_OK;
}

static enum gsim_status read_link(struct reader *r, const char *place, const cJSON *entry, uint32_t number)
{
    static const char *const keys[] = {"name", "ends", "gbps", "latency_us", "kind", "sharing", NULL};
    static const char *const kinds[] = {"pcie", "socket", "network", "nvlink", "peer", NULL};
    static const char *const sharings[] = {"each-way", "both-ways", NULL};
    struct gsim_node_link *link = &r->box->links[number];
    const char *kind, *sharing;
    char where[64];
    int k = 0, s = 0;
    enum gsim_status status = gsim_json_check_keys(entry, place, keys, r->error);
    if (!status)
        status = gsim_json_read_text(entry, place, "name", "", &r->node->arena, &r->link_names[number], r->error);
    if (!status) status = gsim_json_read_text(entry, place, "kind", "pcie", &r->node->arena, &kind, r->error);
    if (!status) status = gsim_json_read_text(entry, place, "sharing", "each-way", &r->node->arena, &sharing, r->error);
    if (!status) status = gsim_json_read_number(entry, place, "latency_us", 0, 1e6, 0, &link->latency_us, r->error);
    if (status) return status;
    while (kinds[k] && strcmp(kinds[k], kind) != 0) k++;
    while (sharings[s] && strcmp(sharings[s], sharing) != 0) s++;
    if (!kinds[k])
        return gsim_error_set(r->error, GSIM_INPUT,
                              "%s.kind: expected pcie, socket, network, nvlink or peer, found \"%.40s\"", place, kind);
    if (!sharings[s])
        return gsim_error_set(r->error, GSIM_INPUT, "%s.sharing: expected each-way or both-ways, found \"%.40s\"",
                              place, sharing);
    link->is_peer = k >= 3;
    link->is_nvlink = k == 3;
    link->is_shared = s == 1;
    const cJSON *ends = cJSON_GetObjectItemCaseSensitive(entry, "ends"),
                *gbps = cJSON_GetObjectItemCaseSensitive(entry, "gbps");
    snprintf(where, sizeof where, "%s.ends", place);
    if (!cJSON_IsArray(ends) || cJSON_GetArraySize(ends) != 2)
        return gsim_json_fail(where, "two names", ends, r->error);
    for (int e = 0; e < 2 && !status; e++) status = find_vertex(r, where, cJSON_GetArrayItem(ends, e), &link->ends[e]);
    if (!status && link->ends[0] == link->ends[1]) return gsim_json_fail(where, "two different ones", ends, r->error);
    snprintf(where, sizeof where, "%s.gbps", place);
    for (int way = 0; way < 2 && !status; way++) {
        const cJSON *item = cJSON_IsArray(gbps) && cJSON_GetArraySize(gbps) == 2 ? cJSON_GetArrayItem(gbps, way) : gbps;
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || item->valuedouble > MAX_GBPS)
            return gsim_json_fail(where, "a number above 0, or two: from the first end to the second, and back", item,
                                  r->error);
        link->gbps[way] = item->valuedouble;
    }
    for (int e = 0; e < 2 && !status; e++) r->box->rail_count += link->ends[e] == gsim_box_network(r->box);
    return status;
}

static enum gsim_status find_link(struct reader *r, const char *place, const cJSON *item, uint32_t *link)
{
    for (uint32_t l = 0; cJSON_IsString(item) && *item->valuestring && l < r->box->link_count; l++)
        if (strcmp(r->link_names[l], item->valuestring) == 0) {
            *link = l;
            return GSIM_OK;
        }
    return gsim_json_fail(place, "the name of a link", item, r->error);
}

static enum gsim_status read_route(struct reader *r, const char *place, const cJSON *entry,
                                   struct gsim_node_route *route)
{
    static const char *const keys[] = {"from", "to", "links", NULL};
    char where[64];
    enum gsim_status status = gsim_json_check_keys(entry, place, keys, r->error);
    if (!status) status = find_vertex(r, place, cJSON_GetObjectItemCaseSensitive(entry, "from"), &route->from);
    if (!status) status = find_vertex(r, place, cJSON_GetObjectItemCaseSensitive(entry, "to"), &route->to);
    if (status) return status;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(entry, "links"), *item;
    snprintf(where, sizeof where, "%s.links", place);
    int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (count < 1 || count > 8) return gsim_json_fail(where, "a list of 1 to 8 links", list, r->error);
    uint32_t *links = GSIM_ARENA_ARRAY(&r->node->arena, uint32_t, count), at = route->from;
    if (!links) return gsim_no_memory(r->error);
    route->links = links;
    cJSON_ArrayForEach(item, list)
    {
        status = find_link(r, where, item, &links[route->link_count]);
        if (status) return status;
        const struct gsim_node_link *l = &r->box->links[links[route->link_count++]];
        if (l->ends[0] != at && l->ends[1] != at)
            return gsim_json_fail(where, "links that follow one another", item, r->error);
        at = l->ends[l->ends[0] == at];
    }
    return at == route->to ? GSIM_OK : gsim_json_fail(where, "links that end where the route does", list, r->error);
}

static enum gsim_status read_links(struct reader *r, const cJSON *json)
{
    struct gsim_box *b = r->box;
    const cJSON *list, *entry;
    char place[40];
    uint32_t i = 0;
    enum gsim_status status = read_list(r, json, "links", MAX_LINKS, &list, &b->link_count);
    if (status) return status;
    b->links = GSIM_ARENA_ARRAY(&r->node->arena, struct gsim_node_link, b->link_count);
    r->link_names = GSIM_ARENA_ARRAY(&r->node->arena, const char *, b->link_count);
    if (!b->links || !r->link_names) return gsim_no_memory(r->error);
    cJSON_ArrayForEach(entry, list)
    {
        snprintf(place, sizeof place, "links[%u]", i);
        status = read_link(r, place, entry, i++);
        if (status) return status;
    }
    status = read_list(r, json, "routes", MAX_LINKS, &list, &b->route_count);
    if (status) return status;
    b->routes = GSIM_ARENA_ARRAY(&r->node->arena, struct gsim_node_route, b->route_count);
    if (!b->routes) return gsim_no_memory(r->error);
    i = 0;
    cJSON_ArrayForEach(entry, list)
    {
        snprintf(place, sizeof place, "routes[%u]", i);
        status = read_route(r, place, entry, &b->routes[i++]);
        if (status) return status;
    }
    return GSIM_OK;
}

/* From every device's attached vertex there is a way to the host and back. */
static enum gsim_status check_reach(struct reader *r)
{
    const struct gsim_box *b = r->box;
    bool *reached = GSIM_ARENA_ARRAY(&r->node->arena, bool, b->vertex_count);
    if (!reached) return gsim_no_memory(r->error);
    reached[0] = true;
    for (uint32_t round = 0; round < b->vertex_count; round++)
        for (uint32_t l = 0; l < b->link_count; l++)
            for (int e = 0; e < 2; e++)
                if (!b->links[l].is_peer && reached[b->links[l].ends[e]] &&
                    !(b->links[l].ends[e] && b->links[l].ends[e] <= b->device_count))
                    reached[b->links[l].ends[!e]] = true;
    for (uint32_t d = 0; d < b->device_count; d++)
        if (!reached[b->attached[d]])
            return gsim_error_set(r->error, GSIM_INPUT,
                                  "devices: '%s' is at '%s', from which no links lead to the host", b->names[1 + d],
                                  b->names[b->attached[d]]);
    if (b->rail_count && !reached[gsim_box_network(b)])
        return gsim_error_set(r->error, GSIM_INPUT, "links: none leads from the host to the network");
    return GSIM_OK;
}

static enum gsim_status read_box(struct reader *r, const cJSON *json)
{
    static const char *const staged_keys[] = {"gbps", "latency_us", NULL};
    struct gsim_arena *arena = &r->node->arena;
    struct gsim_box *b = r->box = GSIM_ARENA_NEW(arena, struct gsim_box);
    const cJSON *devices, *switches, *item, *staged = cJSON_GetObjectItemCaseSensitive(json, "through_host");
    uint32_t switch_count, entries, v;
    char place[40];
    if (!b) return gsim_no_memory(r->error);
    b->name = r->node->name;
    enum gsim_status status = read_list(r, json, "devices", GSIM_LIMIT_GPUS, &devices, &entries);
    if (!status) status = count_devices(r, devices, &b->device_count);
    if (!status) status = read_list(r, json, "switches", MAX_LINKS, &switches, &switch_count);
    if (status) return status;
    b->vertex_count = 1 + b->device_count + switch_count + 1;
    b->names = GSIM_ARENA_ARRAY(arena, const char *, b->vertex_count);
    b->models = GSIM_ARENA_ARRAY(arena, const char *, b->device_count);
    b->attached = GSIM_ARENA_ARRAY(arena, uint32_t, b->device_count);
    if (!b->names || !b->models || !b->attached) return gsim_no_memory(r->error);
    b->names[0] = "host";
    b->names[gsim_box_network(b)] = "network";
    status = read_devices(r, devices);
    v = 1 + b->device_count;
    cJSON_ArrayForEach(item, switches)
    {
        snprintf(place, sizeof place, "switches[%u]", v - 1 - b->device_count);
        if (!status && (!cJSON_IsString(item) || !*item->valuestring))
            status = gsim_json_fail(place, "a name", item, r->error);
        const char *name = status ? NULL : gsim_arena_strdup(arena, item->valuestring);
        if (!status) status = name ? name_vertex(r, place, v++, name) : gsim_no_memory(r->error);
        if (status) return status;
    }
    if (!status) status = read_places(r, devices);
    if (!status) status = read_links(r, json);
    if (!status) status = read_bool(r, json, "peer_access", true, &b->has_peer_access);
    if (!status && staged) status = gsim_json_check_keys(staged, "through_host", staged_keys, r->error);
    if (!status && staged)
        status = gsim_json_read_number(staged, "through_host", "gbps", 1e-6, MAX_GBPS, 0, &b->staged_gbps, r->error);
    if (!status && staged)
        status =
            gsim_json_read_number(staged, "through_host", "latency_us", 0, 1e6, 0, &b->staged_latency_us, r->error);
    if (!status) status = check_reach(r);
    if (status) return status;
    r->node->parts = GSIM_ARENA_NEW(arena, struct gsim_node_part);
    if (!r->node->parts) return gsim_no_memory(r->error);
    *r->node->parts = (struct gsim_node_part){.box = b, .count = 1};
    r->node->part_count = 1;
    return GSIM_OK;
}

/* --- several nodes --- */

static enum gsim_status load(struct gsim_node *node, const char *name, bool is_part, struct gsim_error *error);

/* The boxes of ENTRY's node file, COUNT times. */
static enum gsim_status read_part(struct reader *r, const char *place, const cJSON *entry, struct gsim_node_part *part)
{
    static const char *const keys[] = {"node", "count", NULL};
    const char *name;
    enum gsim_status status = gsim_json_check_keys(entry, place, keys, r->error);
    if (!status) status = gsim_json_read_text(entry, place, "node", NULL, &r->node->arena, &name, r->error);
    if (!status) status = gsim_json_read_count(entry, place, "count", 1, MAX_NODES, 1, &part->count, r->error);
    if (status) return status;
    struct gsim_node inner = {.arena = r->node->arena}; /* what it allocates lives as long as the whole */
    r->node->arena = (struct gsim_arena){0};
    status = load(&inner, name, true, r->error);
    r->node->arena = inner.arena;
    if (status) return gsim_error_prefix(r->error, "%s", place);
    part->box = inner.parts->box;
    return GSIM_OK;
}

static enum gsim_status read_levels(struct reader *r, const cJSON *json, const char *key, uint32_t *values,
                                    uint32_t *count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, key), *item;
    char place[32];
    snprintf(place, sizeof place, "network.%s", key);
    uint32_t size = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    if (!size || size > GSIM_NETWORK_LEVELS || (*count && size != *count))
        return gsim_json_fail(place, "a number for each level", list, r->error);
    *count = size;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > 65536 ||
            item->valuedouble != floor(item->valuedouble))
            return gsim_json_fail(place, "whole numbers from 1 on", item, r->error);
        values[i++] = gsim_whole_u32(item->valuedouble);
    }
    return GSIM_OK;
}

static enum gsim_status read_network(struct reader *r, const cJSON *json)
{
    static const char *const keys[] = {"topology",    "gbps",          "latency_us",   "down",    "up",
                                       "links",       "groups",        "chassis",      "routers", "nodes",
                                       "group_links", "chassis_links", "router_links", NULL};
    struct gsim_network *n = &r->node->network;
    const char *topology;
    double leaves = INFINITY;
    enum gsim_status status = gsim_json_check_keys(json, "network", keys, r->error);
    if (!status) status = gsim_json_read_text(json, "network", "topology", NULL, &r->node->arena, &topology, r->error);
    if (!status) status = gsim_json_read_number(json, "network", "gbps", 1e-6, MAX_GBPS, NAN, &n->gbps, r->error);
    if (!status) status = gsim_json_read_number(json, "network", "latency_us", 0, 1e6, NAN, &n->latency_us, r->error);
    if (status) return status;
    if (strcmp(topology, "crossbar") == 0) {
        n->topology = GSIM_TOPOLOGY_CROSSBAR;
    } else if (strcmp(topology, "fat-tree") == 0) {
        n->topology = GSIM_TOPOLOGY_FAT_TREE;
        status = read_levels(r, json, "down", n->down, &n->level_count);
        if (!status) status = read_levels(r, json, "up", n->up, &n->level_count);
        if (!status) status = read_levels(r, json, "links", n->links, &n->level_count);
        leaves = 1;
        for (uint32_t i = 0; i < n->level_count; i++) leaves *= n->down[i];
    } else if (strcmp(topology, "dragonfly") == 0) {
        struct { const char *key; uint32_t *count; } const counts[] = {
            {"groups", &n->groups}, {"chassis", &n->chassis}, {"routers", &n->routers}, {"nodes", &n->nodes},
            {"group_links", &n->group_links}, {"chassis_links", &n->chassis_links}, {"router_links", &n->router_links}};
        n->topology = GSIM_TOPOLOGY_DRAGONFLY;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !status; i++)
            status = gsim_json_read_count(json, "network", counts[i].key, 1, 65536, i < 4 ? (double)NAN : 1,
                                          counts[i].count, r->error);
        leaves = (double)n->groups * n->chassis * n->routers * n->nodes;
    } else {
        return gsim_error_set(r->error, GSIM_INPUT,
                              "network.topology: expected crossbar, fat-tree or dragonfly, found \"%.40s\"", topology);
    }
    if (!status && r->node->leaf_count > leaves)
        return gsim_error_set(r->error, GSIM_INPUT, "network: %u links of nodes lead to it, and it has places for %.0f",
                              r->node->leaf_count, leaves);
    return status;
}

static enum gsim_status read_parts(struct reader *r, const cJSON *json)
{
    struct gsim_node *node = r->node;
    const cJSON *list, *entry, *network = cJSON_GetObjectItemCaseSensitive(json, "network");
    char place[32];
    uint32_t i = 0;
    if (r->is_part) return gsim_error_set(r->error, GSIM_INPUT, "nodes: expected a node of one host");
    enum gsim_status status = read_list(r, json, "nodes", 64, &list, &node->part_count);
    if (status) return status;
    if (!node->part_count) return gsim_json_fail("nodes", "one node at least", list, r->error);
    node->parts = GSIM_ARENA_ARRAY(&node->arena, struct gsim_node_part, node->part_count);
    if (!node->parts) return gsim_no_memory(r->error);
    cJSON_ArrayForEach(entry, list)
    {
        snprintf(place, sizeof place, "nodes[%u]", i);
        status = read_part(r, place, entry, &node->parts[i]);
        if (status) return status;
        if (!node->parts[i].box->rail_count)
            return gsim_error_set(r->error, GSIM_INPUT, "%s: node '%s' has no link to the network", place,
                                  node->parts[i].box->name);
        i++;
    }
    gsim_node_count(node);
    if (node->device_count > GSIM_LIMIT_GPUS)
        return gsim_error_set(r->error, GSIM_INPUT, "nodes: expected at most %d devices in all, found %u",
                              GSIM_LIMIT_GPUS, node->device_count);
    return read_network(r, network);
}

/* --- files --- */

static enum gsim_status read_file(struct gsim_node *node, const char *path, bool is_part, struct gsim_error *error)
{
    static const char *const of_box[] = {"schema", "name",   "comment",     "source",       "devices", "switches",
                                         "links",  "routes", "peer_access", "through_host", NULL};
    static const char *const of_nodes[] = {"schema", "name", "comment", "source", "nodes", "network", NULL};
    struct reader r = {.node = node, .error = error, .is_part = is_part};
    cJSON *json = gsim_json_read(path, error);
    if (!json) return error->status;
    bool has_nodes = cJSON_GetObjectItemCaseSensitive(json, "nodes") != NULL;
    enum gsim_status status = gsim_json_check_keys(json, "node", has_nodes ? of_nodes : of_box, error);
    if (!status) status = gsim_json_check_schema(json, SCHEMA, error);
    if (!status) status = gsim_json_read_text(json, "", "name", NULL, &node->arena, &node->name, error);
    if (!status) status = gsim_json_read_text(json, "", "comment", "", &node->arena, &node->comment, error);
    if (!status) status = gsim_json_read_text(json, "", "source", "", &node->arena, &node->text, error);
    if (!status) status = has_nodes ? read_parts(&r, json) : read_box(&r, json);
    if (!status) gsim_node_count(node);
    gsim_json_release(json);
    return status;
}

/* NAME's file in *PATH. */
static enum gsim_status find_file(const char *name, struct gsim_arena *arena, const char **path,
                                  struct gsim_error *error)
{
    struct gsim_model_file *files;
    struct gsim_nearest nearest;
    size_t count;
    *path = name;
    if (strchr(name, '/') || gsim_text_ends_with(name, ".json")) return GSIM_OK;
    enum gsim_status status = gsim_model_files(GSIM_MODELS_NODES, arena, &files, &count, error);
    if (status) return status;
    gsim_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        *path = files[i].path;
        if (strcmp(files[i].name, name) == 0) return GSIM_OK;
        gsim_nearest_offer(&nearest, files[i].name);
    }
    return gsim_error_set(error, GSIM_USAGE, "unknown node '%.60s'%s (see gpusim list nodes; DEVICE-xN: N of a device)",
                          name, gsim_nearest_text(&nearest));
}

static enum gsim_status load(struct gsim_node *node, const char *name, bool is_part, struct gsim_error *error)
{
    const char *path;
    enum gsim_status status = find_file(name, &node->arena, &path, error);
    if (status) return status;
    status = read_file(node, path, is_part, error);
    return status ? gsim_error_prefix(error, "node '%s'", name) : GSIM_OK;
}

enum gsim_status gsim_node_load(struct gsim_node **loaded, const char *name, struct gsim_error *error)
{
    struct gsim_error ignored = {0};
    struct gsim_node *node = gsim_alloc(sizeof *node);
    if (!node) return gsim_no_memory(error);
    enum gsim_status status = load(node, name, false, error);
    if (!status) {
        *loaded = node;
        return GSIM_OK;
    }
    gsim_node_release(node);
    if (status != GSIM_USAGE) return status;
    enum gsim_status made = gsim_node_of_device(&node, name, &ignored);
    if (made || !node) return made ? made : status;
    *loaded = node;
    return GSIM_OK;
}
