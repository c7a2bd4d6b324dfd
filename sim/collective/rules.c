/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How NCCL runs a collective: algorithm and protocol by its cost model (src/graph/tuning.cc), channels and threads by
 * the message (src/enqueue.cc). The numbers are those of models/nccl/.
 */
#include "sim/collective/plan.h"

#include <math.h>

enum { LL = GSIM_PROTOCOL_LL, LL128 = GSIM_PROTOCOL_LL128, SIMPLE = GSIM_PROTOCOL_SIMPLE };

/* As NCCL estimates them: latency and bus bandwidth. */
struct estimate {
    double base_us, hop_us, net_hop_us, gbps;
};

static struct estimate estimate_of(const struct gsim_nccl *n, bool is_tree, int protocol, double gbps)
{
    struct estimate ring[] = {
        {n->choice_ring_ll_us, n->choice_ring_ll_hop_us, n->choice_net_ring_ll_hop_us,
         fmin(gbps / 2, n->choice_ll_most_gbps)},
        {n->choice_ring_ll128_us, n->choice_ring_ll128_hop_us, n->choice_net_ring_ll128_hop_us,
         gbps * n->choice_ll128_share},
        {n->choice_ring_simple_us, n->choice_ring_simple_hop_us, n->choice_net_ring_simple_hop_us, gbps}};
    struct estimate tree[] = {
        {n->choice_tree_ll_us, n->choice_tree_ll_hop_us, n->choice_net_tree_ll_hop_us,
         fmin(gbps / 3.8, n->choice_ll_most_gbps)},
        {n->choice_tree_ll128_us, n->choice_tree_ll128_hop_us, n->choice_net_tree_ll128_hop_us,
         gbps * n->choice_ll128_share},
        {n->choice_tree_simple_us, n->choice_tree_simple_hop_us, n->choice_net_tree_simple_hop_us, gbps}};
    struct estimate e = is_tree ? tree[protocol - LL] : ring[protocol - LL];
    if (is_tree) e.gbps *= n->choice_tree_share;
    return e;
}

static double ring_steps(const struct gsim_collective_plan *p)
{
    return (p->what->kind == GSIM_COLLECTIVE_ALL_REDUCE ? 2 : 1) * (p->ranks - 1.0);
}

static double estimate_us(const struct gsim_nccl *n, const struct gsim_collective_plan *p, double gbps)
{
    bool is_tree = p->algorithm == GSIM_ALGORITHM_TREE;
    double sent = p->algorithm != GSIM_ALGORITHM_RING ? 2 * (double)p->what->bytes : gsim_collective_sent(p),
           net = 0; /* up and down */
    if (p->algorithm == GSIM_ALGORITHM_NVLS && p->nodes > 1) {
        net = 2 * ceil(log2(p->nodes)) * n->choice_net_tree_simple_hop_us;
        return n->choice_nvls_us + net + fmax((double)p->what->bytes / n->nvls_share, sent) / gbps * 1e-3;
    }
    if (p->algorithm == GSIM_ALGORITHM_NVLS)
        return n->choice_nvls_us + (double)p->what->bytes / (gbps * n->nvls_share) * 1e-3;
    struct estimate e = estimate_of(n, is_tree, (int)p->protocol, gbps);
    double steps = is_tree ? 2 * ((double)p->ranks / p->nodes - 1) : ring_steps(p);
    if (p->nodes > 1) net = is_tree ? 2 * ceil(log2(p->nodes)) : steps * p->nodes / p->ranks;
    if (!is_tree) steps -= net;
    return e.base_us + steps * e.hop_us + net * e.net_hop_us + sent / e.gbps * 1e-3;
}

/* The quickest of those that the op leaves open. */
static void choose(const struct gsim_nccl *n, const struct gsim_collective_links *links, struct gsim_collective_plan *p)
{
    const struct gsim_collective *what = p->what;
    bool reduces_all = what->kind == GSIM_COLLECTIVE_ALL_REDUCE;
    enum gsim_collective_algorithm algorithm = what->algorithm <= GSIM_ALGORITHM_NVLS ? what->algorithm : 0;
    double gbps = links->gpu_gbps * n->link_share, least = INFINITY;
    double node_gbps = links->net_gbps * p->per_node;
    if (p->nodes > 1 && node_gbps < gbps) gbps = node_gbps;
    struct gsim_collective_plan best = *p;
    for (int a = GSIM_ALGORITHM_RING; a <= GSIM_ALGORITHM_NVLS; a++) {
        if (algorithm && algorithm != (enum gsim_collective_algorithm)a) continue;
        if (!algorithm && a != GSIM_ALGORITHM_RING && !reduces_all) continue;
        bool has_switch = links->has_multicast && p->ranks >= n->nvls_ranks;
        if (!algorithm && a == GSIM_ALGORITHM_NVLS && !has_switch) continue;
        for (int protocol = LL; protocol <= SIMPLE; protocol++) {
            bool is_open = what->protocol == GSIM_PROTOCOL_AUTO && (protocol != LL128 || links->has_nvlink);
            if (!is_open && what->protocol != (enum gsim_collective_protocol)protocol) continue;
            if (a == GSIM_ALGORITHM_NVLS && protocol != SIMPLE) continue;
            p->algorithm = (enum gsim_collective_algorithm)a;
            p->protocol = (enum gsim_collective_protocol)protocol;
            double us = estimate_us(n, p, gbps);
            if (us >= least) continue;
            least = us;
            best = *p;
        }
    }
    *p = best;
}

/* Fewer channels, then fewer threads, while a thread has less than its bytes; then the warps beside them. */
static void spread(const struct gsim_nccl *n, struct gsim_collective_plan *p)
{
    bool is_ll = p->protocol != GSIM_PROTOCOL_SIMPLE, is_tree = p->algorithm != GSIM_ALGORITHM_RING;
    double threads = p->protocol == GSIM_PROTOCOL_LL ? n->ll_threads : is_ll ? n->ll128_threads : n->simple_threads;
    double each = is_ll ? n->ll_thread_bytes * (p->protocol == GSIM_PROTOCOL_LL && !is_tree ? p->ranks : 1)
                        : n->simple_thread_bytes;
    double bytes = (double)p->what->bytes;
    uint32_t most = gsim_whole_u32(p->algorithm == GSIM_ALGORITHM_NVLS ? n->nvls_channels : n->channels);
    p->channels = p->what->channels && p->what->channels < most ? p->what->channels : most;
    if (p->algorithm != GSIM_ALGORITHM_NVLS) {
        while (p->channels > 1 && bytes < p->channels * threads * each) p->channels--;
        while (fmod(threads, 128) == 0 && bytes < p->channels * threads * each) threads /= 2;
    }
    if (!is_ll) threads = is_tree ? n->tree_threads : threads + n->simple_sync_threads;
    p->threads = gsim_whole_u32(fmax(threads, 96));
}

/* The channels of a communicator are divided among its ranks' peers, unless a message is large. */
static void spread_pair(const struct gsim_nccl *n, uint32_t world, struct gsim_collective_plan *p)
{
    bool is_all = p->what->kind == GSIM_COLLECTIVE_ALL_TO_ALL;
    double bytes = (double)p->what->bytes / (is_all ? p->ranks : 1), most = n->pair_channels;
    if (p->what->channels && p->what->channels < most) most = p->what->channels;
    double least = p->nodes > 1 ? n->pair_net_channels : 1;
    if (!is_all && bytes <= n->pair_full_bytes * world) most = fmax(least, floor(most / world));
    p->channels = gsim_whole_u32(fmin(ceil(bytes / n->pair_channel_bytes), most));
    bool is_small = bytes <= fmin(n->pair_ll_bytes, p->channels * n->pair_ll_channel_bytes);
    p->protocol = is_small ? GSIM_PROTOCOL_LL : GSIM_PROTOCOL_SIMPLE;
    if (p->what->protocol) p->protocol = p->what->protocol;
    p->threads = gsim_whole_u32(n->tree_threads);
}

/* Hosts of the group, and its ranks on the one that has fewest. */
static void count_hosts(struct gsim_collective_plan *p, uint32_t per_node)
{
    const uint32_t *group = p->what->group_count ? p->what->group : NULL; /* else all ranks, in order */
    p->nodes = group ? 0 : (p->ranks + per_node - 1) / per_node;
    p->per_node = group || p->nodes == 1 ? p->ranks : p->ranks - (p->nodes - 1) * per_node;
    for (uint32_t i = 0; group && i < p->ranks; i++) {
        uint32_t before = 0, here = 0;
        for (uint32_t k = 0; k < p->ranks && !before; k++)
            if (group[k] / per_node == group[i] / per_node) *(k < i ? &before : &here) += 1;
        if (before) continue;
        p->nodes++;
        if (here < p->per_node) p->per_node = here;
    }
}

struct gsim_collective_plan gsim_collective_plan(const struct gsim_nccl *nccl, const struct gsim_collective *what,
                                                 uint32_t ranks, const struct gsim_collective_links *links)
{
    struct gsim_collective_plan p = {
        .what = what, .ranks = ranks, .nodes = 1, .per_node = ranks, .protocol = GSIM_PROTOCOL_SIMPLE};
    if (links->per_node) count_hosts(&p, links->per_node);
    bool by_engines = what->algorithm == GSIM_ALGORITHM_COPY_ENGINE;
    if (by_engines) {
        p.algorithm = what->algorithm;
        p.channels = 0;
    } else if (gsim_custom_takes(nccl, &p, links)) {
        gsim_custom_choose(&p);
    } else if (gsim_collective_is_pair(what->kind) || what->kind == GSIM_COLLECTIVE_ALL_TO_ALL) {
        spread_pair(nccl, links->world > 2 ? links->world : 2, &p);
    } else {
        choose(nccl, links, &p);
        spread(nccl, &p);
    }
    return p;
}

void gsim_collective_shape(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                           struct gsim_kernel *kernel)
{
    if (!plan->channels) return; /* by copy engines: it has no blocks to speak of */
    kernel->grid = (struct gsim_dim3){plan->channels, 1, 1};
    kernel->block = (struct gsim_dim3){plan->threads, 1, 1};
    kernel->regs_per_thread = gsim_whole_u32(nccl->registers);
    kernel->smem_bytes = gsim_whole_u32(nccl->smem_bytes);
}
