/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/rank_node.h. */
#include "sim/rank_node.h"

#include <string.h>

#include "sim/memory/links.h"
#include "sim/platform/platform.h"

/* A switch between devices; those of H100 and later reduce. */
static bool has_switch(const struct gsim_box *box)
{
    for (uint32_t i = 0; i < box->link_count; i++)
        for (int e = 0; e < 2; e++)
            if (box->links[i].is_peer && box->links[i].ends[e] > box->device_count) return true;
    return false;
}

/* Links between the first two devices are of NVLink. */
static bool has_nvlink(const struct gsim_platform *platform, const struct gsim_box *box)
{
    bool any_peer = false;
    for (uint32_t i = 0; i < box->link_count; i++) {
        if (box->links[i].is_nvlink) return gsim_platform_has_peer_links(platform, 0, 1);
        any_peer = any_peer || box->links[i].is_peer;
    }
    return !any_peer && gsim_platform_has_peer_links(platform, 0, 1);
}

/* Of a ring over the RANKS first devices of a host, and to the network: collectives take all others to be the same. */
static enum gsim_status find_links(const struct gsim_node *of, uint32_t ranks, struct gsim_rank_node *node,
                                   struct gsim_error *error)
{
    struct gsim_device_spec spec;
    struct gsim_arena arena = {0};
    struct gsim_platform platform;
    uint32_t count = of->device_count;
    enum gsim_status status = gsim_device_load(node->device, &spec, error);
    if (status) return status;
    struct gsim_own_links own = gsim_links_access(&spec);
    const struct gsim_own_links **access = GSIM_ARENA_ARRAY(&arena, const struct gsim_own_links *, count);
    for (uint32_t d = 0; access && d < count; d++) access[d] = &own;
    if (!access || !gsim_platform_init(&platform, of, count, access, NULL, &arena)) {
        status = gsim_no_memory(error);
    } else if (node->gpus > 1 && !gsim_node_is_plain(of)) { /* else the device's own, as --opt sets it */
        uint32_t in_ring = ranks > 1 && ranks < node->gpus ? ranks : node->gpus;
        node->links.gpu_gbps = gsim_platform_ring_gbps(&platform, in_ring);
        node->links.is_over_host = !has_nvlink(&platform, of->parts[0].box);
        node->links.has_multicast =
            spec.compute_capability >= 90 && spec.compute_capability < 1000 && has_switch(of->parts[0].box);
    }
    if (!status && node->hosts > 1)
        node->links.net_gbps = gsim_platform_gbps(&platform, gsim_platform_device_place(&platform, 0),
                                                  gsim_platform_device_place(&platform, node->gpus));
    gsim_arena_release(&arena);
    gsim_device_release(&spec);
    return status;
}

static enum gsim_status read_file(const struct gsim_node *of, const char *device, uint32_t ranks,
                                  struct gsim_rank_node *node, struct gsim_error *error)
{
    uint32_t count = gsim_node_device_count(of), hosts = gsim_node_host_count(of);
    const char *model = gsim_node_device_model(of, 0);
    *node = (struct gsim_rank_node){.gpus = count / hosts, .hosts = hosts};
    for (uint32_t d = 0; d < count; d++) {
        const char *other = gsim_node_device_model(of, d);
        if (!model != !other || (model && strcmp(model, other) != 0))
            return gsim_error_set(error, GSIM_INPUT, "node '%.60s': ranks need GPUs of one kind", gsim_node_name(of));
    }
    if (count % hosts || of->part_count != 1)
        return gsim_error_set(error, GSIM_INPUT, "node '%.60s': ranks need as many GPUs on each host",
                              gsim_node_name(of));
    if (!model) model = device ? device : GSIM_DEVICE_DEFAULT;
    if (strlen(model) >= sizeof node->device)
        return gsim_error_set(error, GSIM_INPUT, "node: device '%.40s...': name too long", model);
    memcpy(node->device, model, strlen(model) + 1);
    return find_links(of, ranks, node, error);
}

enum gsim_status gsim_rank_node_find(const char *name, const char *device, uint32_t ranks, struct gsim_rank_node *node,
                               struct gsim_error *error)
{
    struct gsim_node *of = NULL;
    enum gsim_status status = gsim_node_load(&of, name, error);
    if (!status) status = read_file(of, device, ranks, node, error);
    gsim_node_release(of);
    return status;
}
