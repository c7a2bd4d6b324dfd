/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVLS: the switch reduces what all ranks load from one address, and stores to all of them, so that the message passes
 * each link once in either direction (NCCL, src/transport/nvls.cc). Between nodes each GPU's part goes up and down two
 * binary trees (NVLSTree).
 */
#include "sim/collective/plan.h"

#include <math.h>

double gsim_nvls_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c)
{
    double whole = (double)plan->what->bytes, nodes = plan->nodes, per_node = plan->per_node;
    double us = n->nvls_us + gsim_steps_us(plan, whole, n->send_gbps, c->gpu_gbps * n->nvls_share, c) +
                gsim_steps_fill_us(n, n->nvls_fill_us, whole);
    if (plan->nodes < 2) return us;
    double net_us = 2 * whole / per_node / c->net_gbps * 1e-3; /* pieces follow one another */
    return fmax(us, n->nvls_us + net_us) + gsim_steps_hops_us(n, plan, 0, 2 * ceil(log2(nodes)));
}
