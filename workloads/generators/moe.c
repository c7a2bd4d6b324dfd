/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moe: a mixture of experts, one or more on each rank: tokens go to their experts and back by all-to-alls; skew makes
 * one rank's experts take more. */
#include "workloads/generators/parallel.h"

struct moe_params {
    struct gsim_transformer model;
    int64_t experts;
    double skew;
};

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct moe_params *m = params;
    struct gsim_parallel p = gsim_parallel_begin("moe", &m->model);
    double h = (double)m->model.hidden, routed = (double)m->model.tokens * (double)m->experts;
    const struct gsim_collective exchange = {.kind = GSIM_COLLECTIVE_ALL_TO_ALL,
                                             .bytes = gsim_whole_u64(2 * routed * h * m->skew)};
    (void)seed;
    for (int64_t l = 0; l < m->model.layers; l++) {
        gsim_parallel_attention(&p, true, 1);
        gsim_parallel_gemm(&p, "router", (double)m->model.tokens, 64, h, 1);
        gsim_parallel_collective(&p, &exchange, 0, UINT32_MAX);
        gsim_parallel_gemm(&p, "expert up", routed * m->skew, 4 * h, h, 1);
        gsim_parallel_sweep(&p, "gelu", 16 * routed * m->skew * h);
        gsim_parallel_gemm(&p, "expert down", routed * m->skew, h, 4 * h, 1);
        gsim_parallel_collective(&p, &exchange, 0, UINT32_MAX);
        gsim_parallel_sweep(&p, "combine", 2 * (routed + (double)m->model.tokens) * h);
    }
    return gsim_parallel_finish(&p, program, error);
}

const struct gsim_generator_ops gsim_generator_moe = {
    GSIM_HEAD(generator),
    .name = "moe",
    .summary = "layers of experts on different ranks: all-to-alls, with skew (--ranks)",
    .help = "The busiest rank of gpusim --ranks N --workload moe.",
    GSIM_PARAMS(struct moe_params,
        GSIM_TRANSFORMER_PARAMS(struct moe_params),
        GSIM_INT(struct moe_params, experts, 2, 1, 64, "", "that a token goes to"),
        GSIM_REAL(struct moe_params, skew, 1, 1, 1000, "", "load of the busiest rank over the mean: all wait for it")),
    .build = build,
};
