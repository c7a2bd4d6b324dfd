/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rings: each rank sends to the next one, a part of the message at each step (NCCL, src/device/all_reduce.h and
 * others). With n ranks a block sends one part, passes n - 2 on (all-reduce: twice, first reducing), and keeps the
 * last; all-reduce has one step in between that reduces, keeps and sends. By LL steps overlap, and the bytes over the
 * link count.
 */
#include "sim/collective/plan.h"

#include <math.h>

/* Over the node's boundary; the others are within nodes. */
static double net_hops(const struct gsim_collective_plan *plan, double rounds)
{
    return plan->nodes > 1 ? rounds * plan->nodes : 0;
}

double gsim_ring_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c)
{
    double whole = (double)plan->what->bytes, part = whole / plan->ranks, between = plan->ranks - 2.0;
    double link = gsim_steps_link_gbps(n, plan, c), base = gsim_steps_base_us(n, plan);
    bool reduces_all = plan->what->kind == GSIM_COLLECTIVE_ALL_REDUCE;
    double rounds = reduces_all ? 2 : 1, net = net_hops(plan, rounds);
    double us = base + gsim_steps_hops_us(n, plan, rounds * (plan->ranks - 1) - rounds - net, net);
    if (plan->protocol != GSIM_PROTOCOL_SIMPLE) {
        double gbps = plan->protocol == GSIM_PROTOCOL_LL ? n->ll_gbps * fmin(1, plan->threads / n->ll_full_threads)
                                                         : n->ll128_gbps;
        return us + gsim_steps_us(plan, gsim_collective_sent(plan), gbps, link, c);
    }
    us += gsim_steps_fill_us(n, n->ring_fill_us, gsim_collective_sent(plan));
    switch (plan->what->kind) {
    case GSIM_COLLECTIVE_ALL_REDUCE:
        us += gsim_steps_us(plan, part, n->reduce_copy_send_gbps, link, c) +
              gsim_steps_us(plan, between * part, n->reduce_send_gbps, link, c);
        /* and then as an all-gather */ /* FALLTHROUGH */
    case GSIM_COLLECTIVE_ALL_GATHER:
        us += gsim_steps_us(plan, between * part, n->copy_send_gbps, link, c) +
              gsim_steps_us(plan, part, n->receive_gbps, 0, c);
        break;
    case GSIM_COLLECTIVE_REDUCE_SCATTER:
        us += gsim_steps_us(plan, between * part, n->reduce_send_gbps, link, c) +
              gsim_steps_us(plan, part, n->reduce_copy_gbps, 0, c);
        break;
    case GSIM_COLLECTIVE_BROADCAST:
    case GSIM_COLLECTIVE_ALL_TO_ALL:
    case GSIM_COLLECTIVE_SEND:
    case GSIM_COLLECTIVE_RECV:
    case GSIM_COLLECTIVE_SEND_RECV:
    case GSIM_COLLECTIVE_COUNT:
        return us + gsim_steps_us(plan, whole, plan->ranks > 2 ? n->copy_send_gbps : n->send_gbps, link, c);
    }
    return us + gsim_steps_us(plan, part, n->send_gbps, link, c);
}
