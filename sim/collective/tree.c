/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees: the message goes up to a root, reduced on the way, and down again, in pieces that follow one another; within a
 * node a chain, between nodes two binary trees that have half of the message each (NCCL 2.4, src/graph/trees.cc).
 */
#include "sim/collective/plan.h"

#include <math.h>

double gsim_tree_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c)
{
    double levels = plan->nodes > 1 ? ceil(log2(plan->nodes)) : 0, chain = (double)plan->ranks / plan->nodes - 1;
    double link = gsim_steps_link_gbps(n, plan, c) * n->choice_tree_share, whole = (double)plan->what->bytes;
    double us = gsim_steps_base_us(n, plan) + gsim_steps_hops_us(n, plan, 2 * chain - 2, 2 * levels);
    double up = plan->protocol == GSIM_PROTOCOL_SIMPLE ? n->reduce_copy_send_gbps
                : plan->protocol == GSIM_PROTOCOL_LL   ? n->ll_gbps
                                                       : n->ll128_gbps;
    /* Up and down go on at the same time, and share blocks and links. */
    return us + gsim_steps_us(plan, 2 * whole, up, link, c);
}
