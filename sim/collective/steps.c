/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the algorithms of collectives share: the time of a step of all channels, latencies, traffic
 * (sim/collective/plan.h). A block does its steps one after the other: it sends, receives and reduces by loads and
 * stores of its own.
 */
#include "sim/collective/plan.h"

#include <math.h>

double gsim_steps_us(const struct gsim_collective_plan *plan, double bytes, double block_gbps, double link_gbps,
                     const struct gsim_collective_conditions *c)
{
    double gbps = plan->channels * c->sent_share * block_gbps / c->memory_stretch;
    if (link_gbps > 0 && link_gbps < gbps) gbps = link_gbps;
    return bytes / gbps * 1e-3;
}

double gsim_steps_base_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan)
{
    enum gsim_collective_kind kind = plan->what->kind;
    bool is_pair = gsim_collective_is_pair(kind) || kind == GSIM_COLLECTIVE_ALL_TO_ALL,
         reduces_all = kind == GSIM_COLLECTIVE_ALL_REDUCE;
    if (plan->protocol == GSIM_PROTOCOL_LL && is_pair) return n->pair_ll_us;
    if (plan->protocol == GSIM_PROTOCOL_LL) return reduces_all ? n->ll_reduce_us : n->ll_us;
    if (plan->protocol == GSIM_PROTOCOL_LL128) return reduces_all ? n->ll128_reduce_us : n->ll128_us;
    switch (kind) {
    case GSIM_COLLECTIVE_ALL_REDUCE: return n->all_reduce_us;
    case GSIM_COLLECTIVE_ALL_GATHER: return n->all_gather_us;
    case GSIM_COLLECTIVE_REDUCE_SCATTER: return n->reduce_scatter_us;
    case GSIM_COLLECTIVE_BROADCAST: return n->broadcast_us;
    case GSIM_COLLECTIVE_ALL_TO_ALL:
    case GSIM_COLLECTIVE_SEND:
    case GSIM_COLLECTIVE_RECV:
    case GSIM_COLLECTIVE_SEND_RECV:
    case GSIM_COLLECTIVE_COUNT: break;
    }
    return n->pair_us;
}

double gsim_steps_hops_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan, double hops,
                          double net_hops)
{
    bool is_simple = plan->protocol == GSIM_PROTOCOL_SIMPLE, is_ll = plan->protocol == GSIM_PROTOCOL_LL;
    return fmax(hops, 0) * (is_simple ? n->simple_hop_us : is_ll ? n->ll_hop_us : n->ll128_hop_us) +
           fmax(net_hops, 0) * (is_simple ? n->net_simple_hop_us : n->net_ll_hop_us);
}

double gsim_steps_link_gbps(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                            const struct gsim_collective_conditions *c)
{
    double gbps = c->gpu_gbps, per_node = plan->per_node;
    double rails = plan->channels && plan->channels < per_node ? plan->channels
                                                               : per_node; /* each channel leaves by a GPU of its own */
    if (plan->nodes > 1 && c->net_gbps * rails < gbps) gbps = c->net_gbps * rails;
    return gsim_steps_protocol_gbps(n, plan, gbps);
}

double gsim_steps_protocol_gbps(const struct gsim_nccl *n, const struct gsim_collective_plan *plan, double gbps)
{
    if (plan->protocol == GSIM_PROTOCOL_LL) return gbps * n->ll_link_share / n->link_share; /* half of it is flags */
    return plan->protocol == GSIM_PROTOCOL_LL128 ? gbps * n->ll128_link_share / n->link_share : gbps;
}

double gsim_steps_fill_us(const struct gsim_nccl *n, double fill_us, double sent)
{
    return sent < n->fill_bytes ? fill_us * sent / n->fill_bytes : fill_us;
}

double gsim_collective_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                          const struct gsim_collective_conditions *c)
{
    if (plan->ranks < 2) return gsim_steps_base_us(nccl, plan);
    switch (plan->algorithm) {
    case GSIM_ALGORITHM_AUTO: break;
    case GSIM_ALGORITHM_RING: return gsim_ring_us(nccl, plan, c);
    case GSIM_ALGORITHM_TREE: return gsim_tree_us(nccl, plan, c);
    case GSIM_ALGORITHM_NVLS: return gsim_nvls_us(nccl, plan, c);
    case GSIM_ALGORITHM_COPY_ENGINE: return gsim_copy_engine_us(nccl, plan, c);
    case GSIM_ALGORITHM_CUSTOM: break;
    case GSIM_ALGORITHM_ONE_SHOT:
    case GSIM_ALGORITHM_TWO_SHOT: return gsim_custom_us(nccl, plan, c);
    }
    return gsim_pairs_us(nccl, plan, c);
}

double gsim_collective_alone_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                                const struct gsim_collective_links *links)
{
    struct gsim_collective_conditions c = {links->gpu_gbps * nccl->link_share, links->net_gbps, 1, 1};
    return gsim_collective_us(nccl, plan, &c);
}

double gsim_collective_sent(const struct gsim_collective_plan *plan)
{
    double n = plan->ranks, whole = (double)plan->what->bytes;
    if (n < 2) return 0;
    switch (plan->what->kind) {
    case GSIM_COLLECTIVE_ALL_REDUCE:
        if (plan->algorithm == GSIM_ALGORITHM_ONE_SHOT) return (n - 1) * whole;
        if (plan->algorithm == GSIM_ALGORITHM_RING || plan->algorithm == GSIM_ALGORITHM_TWO_SHOT)
            return 2 * (n - 1) / n * whole;
        return whole;
    case GSIM_COLLECTIVE_ALL_GATHER:
    case GSIM_COLLECTIVE_REDUCE_SCATTER:
    case GSIM_COLLECTIVE_ALL_TO_ALL: return (n - 1) / n * whole;
    case GSIM_COLLECTIVE_BROADCAST:
    case GSIM_COLLECTIVE_SEND:
    case GSIM_COLLECTIVE_RECV:
    case GSIM_COLLECTIVE_SEND_RECV:
    case GSIM_COLLECTIVE_COUNT: break;
    }
    return whole;
}

double gsim_collective_traffic(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan)
{
    enum gsim_collective_kind kind = plan->what->kind;
    bool reduces = kind == GSIM_COLLECTIVE_ALL_REDUCE || kind == GSIM_COLLECTIVE_REDUCE_SCATTER;
    return gsim_collective_sent(plan) * (reduces ? nccl->reduce_traffic : nccl->copy_traffic);
}
