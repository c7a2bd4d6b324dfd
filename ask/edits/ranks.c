/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/edits/changes.h. What changes do to clients that are ranks: their collectives, links and number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/edits/ranks.h"
#include "sim/rank_node.h"

#define NODE_GPUS 8    /* where nothing says what a node has */
#define NODE_GBPS 50.0 /* a network card of 400 Gbit/s for each GPU */
#define MIB       1048576.0

static enum gsim_status find_micro(const struct gsim_program *first, double wanted, struct gsim_collective_edit *edit,
                                   struct gsim_error *error)
{
    uint32_t sends = 0, receives = 0;
    for (uint32_t i = 0; i < first->op_count; i++) {
        const struct gsim_collective *c =
            first->ops[i].kind == GSIM_OP_KERNEL ? first->kernels[first->ops[i].kernel_index].collective : NULL;
        sends += c && c->kind == GSIM_COLLECTIVE_SEND;
        receives += c && c->kind == GSIM_COLLECTIVE_RECV;
    }
    uint32_t there = sends > receives ? sends : receives;
    double times = there ? wanted / there : 0;
    if (!there || times < 1 || times != floor(times))
        return gsim_error_set(error, GSIM_INPUT,
                              "micro=%g: %s has %u micro-batches (its sends): expected a multiple of them", wanted,
                              first->name, there);
    edit->times = gsim_whole_u32(times);
    return GSIM_OK;
}

uint32_t gsim_changeable_ranks(const struct gsim_changeable *base)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < base->client_count; i++) count += base->clients[i].copies;
    return count;
}

static enum gsim_status check_rank(const struct gsim_changeable *base, const char *number, struct gsim_error *error)
{
    unsigned long rank = strtoul(number, NULL, 10);
    for (uint32_t i = 0; i < base->client_count; i++) {
        const struct gsim_client *c = &base->clients[i];
        if (rank < c->rank || rank - c->rank >= c->copies) continue;
        if (c->copies == 1) return GSIM_OK;
        return gsim_error_set(error, GSIM_INPUT,
                              "rank:%lu: %u ranks do the same and are simulated once: expected a file of ranks with "
                              "\"fold\": false", rank, c->copies);
    }
    return gsim_error_set(error, GSIM_INPUT, "rank:%lu: there are %u ranks", rank, gsim_changeable_ranks(base));
}

bool gsim_change_is_collective(enum gsim_change_kind kind)
{
    return kind == GSIM_CHANGE_CHANNELS || kind == GSIM_CHANGE_BUCKET || kind == GSIM_CHANGE_OVERLAP ||
           kind == GSIM_CHANGE_PRIORITY || kind == GSIM_CHANGE_COPY_ENGINE || kind == GSIM_CHANGE_CUSTOM ||
           kind == GSIM_CHANGE_MICRO;
}

enum gsim_status gsim_rank_changes(struct gsim_rank_changes *r, const struct gsim_changeable *base,
                                   const struct gsim_change *changes, size_t count, struct gsim_error *error)
{
    *r = (struct gsim_rank_changes){.links = base->links};
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const struct gsim_change *c = &changes[i];
        struct gsim_collective_edit *edit = &r->edit;
        r->edits_collectives |= gsim_change_is_collective(c->kind);
        switch (c->kind) {
        case GSIM_CHANGE_CHANNELS: edit->channels = gsim_whole_u32(fmin(c->factor, GSIM_LIMIT_CHANNELS)); break;
        case GSIM_CHANGE_BUCKET: edit->bucket_bytes = gsim_whole_u64(fmax(c->factor * MIB, 1)); break;
        case GSIM_CHANGE_OVERLAP: edit->overlap = c->factor > 0 ? 1 : -1; break;
        case GSIM_CHANGE_PRIORITY: edit->is_urgent = true; break;
        case GSIM_CHANGE_COPY_ENGINE: edit->by_engines = true; break;
        case GSIM_CHANGE_CUSTOM: edit->is_custom = true; break;
        case GSIM_CHANGE_MICRO:
            status = find_micro(base->clients ? base->clients[0].program : base->simulation->program, c->factor, edit,
                                error);
            break;
        case GSIM_CHANGE_COMM: r->links.speed = c->factor; break;
        case GSIM_CHANGE_RANKS: r->ranks = gsim_whole_u32(fmin(c->factor, GSIM_LIMIT_RANKS)); break;
        case GSIM_CHANGE_NODE: r->node = c->argument; break;
        case GSIM_CHANGE_RANK:
            if (gsim_changeable_has_ranks(base)) status = check_rank(base, c->argument, error);
            break;
        default: break;
        }
    }
    return status;
}

/* In all R's ranks, of each client as many, on nodes of NODE_GPUS unless a node is given. */
static enum gsim_status repeat(struct gsim_rank_changes *r, struct gsim_client *clients, uint32_t count, char *note,
                               size_t size, struct gsim_error *error)
{
    size_t length = 0;
    uint32_t there = 0, next = 0;
    for (uint32_t i = 0; i < count; i++) there += clients[i].copies;
    if (!there || r->ranks % there)
        return gsim_error_set(error, GSIM_INPUT,
                              "ranks=%u: there are %u, which need not do the same: expected a multiple", r->ranks,
                              there);
    uint32_t each = r->ranks / there;
    for (uint32_t i = 0; i < count; i++) {
        clients[i].copies *= each;
        clients[i].rank = next;
        next += clients[i].copies;
    }
    if (each > 1) length = (size_t)snprintf(note, size, "%u of each rank that there is", each);
    if (r->ranks <= NODE_GPUS || r->node) return GSIM_OK;
    r->links.per_node = NODE_GPUS;
    r->links.net_gbps = NODE_GBPS;
    snprintf(note + length, size - length, "%snodes of %d GPUs, %.0f GB/s of network each", length ? "; " : "",
             NODE_GPUS, NODE_GBPS);
    return GSIM_OK;
}

/* Its links between GPUs and hosts; ranks fill one host after the other. */
static enum gsim_status use_node(struct gsim_rank_changes *r, const char *device, uint32_t ranks, char *note,
                                 size_t size, struct gsim_error *error)
{
    struct gsim_rank_node node;
    double speed = r->links.speed;
    size_t length = strlen(note);
    enum gsim_status status = gsim_rank_node_find(r->node, device, ranks, &node, error);
    if (status) return status;
    uint64_t gpus = (uint64_t)node.gpus * node.hosts;
    if (ranks > gpus)
        return gsim_error_set(error, GSIM_INPUT, "node=%s: %u ranks, and %llu GPUs: expected a GPU for each", r->node,
                              ranks, (unsigned long long)gpus);
    r->links = node.links;
    r->links.speed = speed;
    r->links.per_node = ranks > node.gpus ? node.gpus : 0;
    if (strcmp(node.device, device) != 0)
        snprintf(note + length, size - length, "%slinks of %s; GPUs stay as recorded", length ? "; " : "", r->node);
    return GSIM_OK;
}

enum gsim_status gsim_rank_changes_join(struct gsim_rank_changes *r, struct gsim_client *clients, uint32_t count,
                                        const char *device, char *note, size_t size, struct gsim_error *error)
{
    uint32_t ranks = 0;
    enum gsim_status status = r->ranks ? repeat(r, clients, count, note, size, error) : GSIM_OK;
    for (uint32_t i = 0; i < count; i++) ranks += clients[i].copies;
    return !status && r->node ? use_node(r, device, ranks, note, size, error) : status;
}
