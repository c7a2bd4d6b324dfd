/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: schedulers (helper of three placements). StarPU's decision: deque_modeling_policy_data_aware.c, without
 * energy. */
#pragma once

#include <math.h>

#include "gpusim/placement.h"

struct gsim_dmda_params {
    double alpha, beta; /* STARPU_SCHED_ALPHA, _BETA */
};

static const struct gsim_param gsim_dmda_params[] = {
    GSIM_REAL(struct gsim_dmda_params, alpha, 1, 0, 1000, "", "weight of the expected end"),
    GSIM_REAL(struct gsim_dmda_params, beta, 1, 0, 1000, "", "weight of the transfers"),
    {.name = NULL},
};

/* The least alpha (expected end - least expected end) + beta (transfers, on an idle bus). */
static inline uint32_t gsim_dmda_choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates,
                                        uint32_t count)
{
    const struct gsim_dmda_params *params = p->params;
    uint32_t best = candidates[0];
    double first = INFINITY, least = INFINITY;
    for (uint32_t i = 0; i < count; i++) first = fmin(first, gsim_placing_end_us(p, op, candidates[i]));
    for (uint32_t i = 0; i < count; i++) {
        double fitness = params->alpha * (gsim_placing_end_us(p, op, candidates[i]) - first) +
                         params->beta * gsim_placing_transfer_us(p, op, candidates[i], false);
        if (fitness >= least) continue;
        least = fitness;
        best = candidates[i];
    }
    return best;
}

#define GSIM_DMDA_OPS(title, line, order)                                                                              \
    {                                                                                                                  \
        GSIM_PLACEMENT_HEAD, .name = title, .summary = line, .source = "StarPU, deque_modeling_policy_data_aware.c",  \
        .params_size = sizeof(struct gsim_dmda_params), .params = gsim_dmda_params, .moment = GSIM_PLACE_AT_READY,     \
        .queue = order, .choose = gsim_dmda_choose                                                                     \
    }
