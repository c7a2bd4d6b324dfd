/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends and receives: what one rank sends another one receives; an all-to-all is all of them in one kernel, to one peer
 * after the other (NCCL, src/enqueue.cc: scheduleP2pTasksToPlan). Of one node all go over the GPU's link, else those to
 * other nodes over the network.
 */
#include "sim/collective/plan.h"

double gsim_pairs_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                     const struct gsim_collective_conditions *c)
{
    double whole = gsim_collective_sent(plan), ll = n->ll_gbps,
           rate = plan->protocol == GSIM_PROTOCOL_LL ? ll : n->send_gbps;
    double gpu = gsim_steps_protocol_gbps(n, plan, c->gpu_gbps), us = gsim_steps_base_us(n, plan);
    if (plan->what->kind == GSIM_COLLECTIVE_ALL_TO_ALL) {
        /* A block copies the rank's own part too, while others use the link. */
        rate = 1 / (1 / rate + 1 / (n->own_copy_gbps * (plan->ranks - 1.0)));
        if (plan->protocol == GSIM_PROTOCOL_SIMPLE) us += gsim_steps_fill_us(n, n->pair_fill_us, whole);
    }
    if (plan->nodes < 2) return us + gsim_steps_us(plan, whole, rate, gpu, c);
    double per_node = plan->per_node;
    double inside = plan->what->kind == GSIM_COLLECTIVE_ALL_TO_ALL ? (per_node - 1) / (plan->ranks - 1.0) : 0;
    us += gsim_steps_hops_us(n, plan, 0, 1);
    double within_us = gsim_steps_us(plan, whole * inside, rate, gpu, c),
           net_us = gsim_steps_us(plan, whole * (1 - inside), rate, c->net_gbps, c);
    return us + (within_us > net_us ? within_us : net_us);
}

/* Copies by the engines, which need no SMs (NCCL 2.28, NCCL_CTA_POLICY_ZERO): gathers and all-to-alls alone. */
double gsim_copy_engine_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                           const struct gsim_collective_conditions *c)
{
    double gbps = plan->nodes > 1 && c->net_gbps < c->gpu_gbps ? c->net_gbps : c->gpu_gbps;
    return n->copy_engine_us + gsim_collective_sent(plan) / (gbps / n->link_share) * 1e-3;
}
