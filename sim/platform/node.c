/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/platform/node.h: nodes without a file. Those with one: sim/platform/node_read.c. */
#include "sim/platform/node.h"

#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/device/device.h"
#include "sim/device/search.h"

static bool make_links(struct gsim_node *node, struct gsim_box *box, uint32_t device_count, const double *peer_gbps,
                       const double *peer_latency_us)
{
    box->links = GSIM_ARENA_ARRAY(&node->arena, struct gsim_node_link, device_count);
    if (!box->links) return false;
    for (uint32_t d = 0; d < device_count; d++)
        if (peer_gbps[d] > 0)
            box->links[box->link_count++] = (struct gsim_node_link){.ends = {1 + d, 1 + device_count},
                                                                    .gbps = {peer_gbps[d], peer_gbps[d]},
                                                                    .latency_us = peer_latency_us[d] / 2,
                                                                    .is_peer = true,
                                                                    .is_nvlink = true};
    return true;
}

struct gsim_node *gsim_node_create_plain(uint32_t device_count, const double *peer_gbps, const double *peer_latency_us)
{
    struct gsim_node *node = gsim_alloc(sizeof *node);
    if (!node) return NULL;
    struct gsim_box *box = GSIM_ARENA_NEW(&node->arena, struct gsim_box);
    node->parts = GSIM_ARENA_NEW(&node->arena, struct gsim_node_part);
    node->name = node->comment = node->text = "";
    node->part_count = 1;
    if (!box || !node->parts) goto no_memory;
    *box = (struct gsim_box){
        .name = "", .device_count = device_count, .vertex_count = device_count + 3, .has_peer_access = true};
    *node->parts = (struct gsim_node_part){.box = box, .count = 1};
    box->names = GSIM_ARENA_ARRAY(&node->arena, const char *, box->vertex_count);
    box->models = GSIM_ARENA_ARRAY(&node->arena, const char *, device_count);
    box->attached = GSIM_ARENA_ARRAY(&node->arena, uint32_t, device_count);
    if (!box->names || !box->models || !box->attached ||
        !make_links(node, box, device_count, peer_gbps, peer_latency_us))
        goto no_memory;
    box->names[0] = "host";
    box->names[device_count + 1] = "peers";
    box->names[device_count + 2] = "network";
    for (uint32_t d = 0; d < device_count; d++)
        if (!(box->names[1 + d] = gsim_arena_printf(&node->arena, "gpu%u", d))) goto no_memory;
    gsim_node_count(node);
    return node;
no_memory:
    gsim_node_release(node);
    return NULL;
}

/* The device of "DEVICE-xN", and N; 0: NAME is of another form. */
static uint32_t split(const char *name, char *device, size_t size)
{
    const char *last = strrchr(name, '-');
    char *end = NULL;
    unsigned long count = last && last[1] == 'x' ? strtoul(last + 2, &end, 10) : 0;
    if (!count || count > GSIM_LIMIT_GPUS || *end || last == name || (size_t)(last - name) >= size) return 0;
    memcpy(device, name, (size_t)(last - name));
    device[last - name] = '\0';
    return (uint32_t)count;
}

enum gsim_status gsim_node_of_device(struct gsim_node **node, const char *name, struct gsim_error *error)
{
    char device[128];
    struct gsim_device_spec spec;
    struct gsim_arena arena = {0};
    uint32_t count = split(name, device, sizeof device);
    *node = NULL;
    if (!count || gsim_device_load(device, &spec, error)) return GSIM_OK;
    double *numbers = GSIM_ARENA_ARRAY(&arena, double, 2 * count);
    for (uint32_t d = 0; numbers && d < count; d++) {
        numbers[d] = spec.peer_gbps;
        numbers[count + d] = spec.peer_latency_us;
    }
    if (numbers) *node = gsim_node_create_plain(count, numbers, numbers + count);
    if (*node) {
        (*node)->name = gsim_arena_strdup(&(*node)->arena, name);
        (*node)->comment = gsim_arena_printf(&(*node)->arena, "%u of %s, with the links of its file", count, device);
        const char *model = gsim_arena_strdup(&(*node)->arena, device);
        for (uint32_t d = 0; d < count; d++) (*node)->parts->box->models[d] = model;
    }
    bool is_made = *node && !(*node)->arena.failed;
    gsim_arena_release(&arena);
    gsim_device_release(&spec);
    return is_made ? GSIM_OK : gsim_no_memory(error);
}

void gsim_node_release(struct gsim_node *node)
{
    if (!node) return;
    gsim_arena_release(&node->arena);
    gsim_free(node);
}

const char *gsim_node_name(const struct gsim_node *node) { return node->name; }
const char *gsim_node_comment(const struct gsim_node *node) { return node->comment; }
uint32_t gsim_node_host_count(const struct gsim_node *node) { return node->host_count; }
uint32_t gsim_node_device_count(const struct gsim_node *node) { return node->device_count; }

const char *gsim_node_device_model(const struct gsim_node *node, uint32_t device)
{
    const struct gsim_node_part *part = node->parts;
    while (device >= part->first_device + part->count * part->box->device_count) part++;
    return part->box->models[(device - part->first_device) % part->box->device_count];
}
