/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). The links of a run on real GPUs (cli/place/node.h). */
#include "cli/place/node.h"

#include "cli/cli.h"
#include "sim/memory/links.h"

uint32_t gsim_cli_gpu_count(const struct gsim_cli_setup *setup)
{
    return setup->gpus ? setup->gpus : setup->node ? gsim_node_device_count(setup->node->node) : 1;
}

const char *gsim_cli_machine(const struct gsim_cli_setup *setup, char text[GSIM_CLI_MACHINE])
{
    uint32_t count = gsim_cli_gpu_count(setup);
    const char *device = setup->device.name;
    if (count < 2) snprintf(text, GSIM_CLI_MACHINE, "%s", device);
    else if (setup->node)
        snprintf(text, GSIM_CLI_MACHINE, "%u GPUs of %.80s (%.80s)", count, gsim_node_name(setup->node->node), device);
    else snprintf(text, GSIM_CLI_MACHINE, "%u GPUs, %.160s", count, device);
    return text;
}

void gsim_cli_links_open(struct gsim_cli_links *l, const struct gsim_cli_setup *setup, uint32_t count)
{
    struct gsim_own_links *own = GSIM_ARENA_NEW(&l->arena, struct gsim_own_links);
    struct gsim_device_facts *facts = GSIM_ARENA_NEW(&l->arena, struct gsim_device_facts);
    const struct gsim_own_links **own_of = GSIM_ARENA_ARRAY(&l->arena, const struct gsim_own_links *, count);
    const struct gsim_device_facts **facts_of = GSIM_ARENA_ARRAY(&l->arena, const struct gsim_device_facts *, count);
    double *peer_gbps = GSIM_ARENA_ARRAY(&l->arena, double, 2 * (size_t)count), *peer_us = peer_gbps + count;
    const struct gsim_node *node = setup->node ? setup->node->node : NULL;
    *own = gsim_links_access(&setup->device);
    *facts = gsim_device_facts(&setup->device);
    for (uint32_t d = 0; d < count; d++) {
        own_of[d] = own;
        facts_of[d] = facts;
        peer_gbps[d] = own->peer_gbps;
        peer_us[d] = own->peer_latency_us;
    }
    if (!node) node = l->plain = gsim_node_create_plain(count, peer_gbps, peer_us);
    (void)gsim_platform_init(&l->platform, node, count, own_of, facts_of, &l->arena);
}

void gsim_cli_links_close(struct gsim_cli_links *l)
{
    gsim_node_release(l->plain);
    gsim_arena_release(&l->arena);
    *l = (struct gsim_cli_links){0};
}
