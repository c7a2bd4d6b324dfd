/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owner-first: PaRSEC's choice (parsec/mca/device/device.c, parsec_get_best_device). Arguments in their order: the GPU
 * that holds the first one written decides. Else the smallest load and estimate, where the GPU of the last one read
 * counts 1 / 1.2.
 */
#include <math.h>

#include "gpusim/placement.h"

struct owner_first_params {
    double skew;
};

/* The candidate that holds argument ARG; UINT32_MAX: none does. */
static uint32_t holder(struct gsim_placing *p, const struct gsim_op *op, uint32_t arg, const uint32_t *candidates,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (gsim_placing_holds(p, op, arg, candidates[i])) return candidates[i];
    return UINT32_MAX;
}

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    const struct owner_first_params *params = p->params;
    uint32_t remembered = UINT32_MAX, best = candidates[0];
    double least = INFINITY;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t found = holder(p, op, a, candidates, count);
        if (found == UINT32_MAX) continue;
        if (op->args[a].writes) return found;
        remembered = found;
    }
    for (uint32_t i = 0; i < count; i++) {
        double us = p->load_us[candidates[i]] + gsim_estimate_us(p->run, op);
        if (candidates[i] == remembered) us /= 1 + params->skew;
        if (us >= least) continue;
        least = us;
        best = candidates[i];
    }
    return best;
}

const struct gsim_placement_ops gsim_placement_owner_first = {
    GSIM_PLACEMENT_HEAD,
    .name = "owner-first",
    .summary = "the GPU that holds what is written, else the least loaded",
    .source = "PaRSEC, parsec/mca/device/device.c",
    GSIM_PARAMS(struct owner_first_params,
        GSIM_REAL(struct owner_first_params, skew, 0.2, 0, 10, "",
                  "by how much the GPU of the last argument read is preferred (PaRSEC: 0.2)")),
    .choose = choose,
};
