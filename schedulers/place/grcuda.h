/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: schedulers (helper of three placements). GrCUDA's rules on where data are. */
#pragma once

#include <math.h>

#include "gpusim/placement.h"

struct gsim_grcuda_params {
    double threshold; /* data-locality threshold: share of the arguments' bytes that a GPU must exceed */
};

static const struct gsim_param gsim_grcuda_params[] = {
    GSIM_REAL(struct gsim_grcuda_params, threshold, 0.1, 0, 1, "",
              "a GPU counts where it holds more than this share of the arguments' bytes (GrCUDA: 0.1)"),
    {.name = NULL},
};

/* DEVICE holds more than the threshold of OP's data. No bytes: never. */
static inline bool gsim_grcuda_counts(struct gsim_placing *p, const struct gsim_op *op, uint32_t device)
{
    const struct gsim_grcuda_params *params = p->params;
    double total = (double)gsim_placing_total(p, op);
    return total > 0 && (double)gsim_placing_present(p, op, device) / total > params->threshold;
}

/* The smallest sum of transfer times among those that count; ties go to the lowest number; else round robin. */
static inline uint32_t gsim_grcuda_least_time(struct gsim_placing *p, const struct gsim_op *op,
                                              const uint32_t *candidates, uint32_t count, bool worst)
{
    uint32_t best = UINT32_MAX;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        if (!gsim_grcuda_counts(p, op, candidates[i])) continue;
        double us = gsim_placing_transfer_us(p, op, candidates[i], worst);
        if (us >= least) continue;
        least = us;
        best = candidates[i];
    }
    return best == UINT32_MAX ? gsim_placing_next(p, candidates, count) : best;
}
