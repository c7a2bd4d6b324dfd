/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tensor-parallel: a transformer whose layers are divided among ranks (Megatron-LM), with and without sequence
 * parallelism. */
#include "workloads/generators/parallel.h"

struct tensor_params {
    struct gsim_transformer model;
    int64_t ranks;
    int sequence, backward;
};

/* What a half layer ends with: activations are summed up over the ranks, whole or each rank's part of the tokens. */
static void join(struct gsim_parallel *p, const struct tensor_params *t)
{
    uint64_t bytes = 2 * (uint64_t)t->model.tokens * (uint64_t)t->model.hidden;
    const struct gsim_collective all = {.kind = GSIM_COLLECTIVE_ALL_REDUCE, .bytes = bytes},
                                 scatter = {.kind = GSIM_COLLECTIVE_REDUCE_SCATTER, .bytes = bytes},
                                 gather = {.kind = GSIM_COLLECTIVE_ALL_GATHER, .bytes = bytes};
    if (!t->sequence) {
        gsim_parallel_collective(p, &all, 0, UINT32_MAX);
        return;
    }
    gsim_parallel_collective(p, &scatter, 0, UINT32_MAX);
    gsim_parallel_sweep(p, "dropout", 4.0 * (double)bytes / (double)t->ranks);
    gsim_parallel_collective(p, &gather, 0, UINT32_MAX);
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct tensor_params *t = params;
    struct gsim_parallel p = gsim_parallel_begin("tensor-parallel", &t->model);
    double part = 1 / (double)t->ranks;
    (void)seed;
    for (int pass = 0; pass <= t->backward; pass++)
        for (int64_t l = 0; l < t->model.layers; l++)
            for (int half = 0; half < 2; half++) {
                if (half == pass) gsim_parallel_attention(&p, !pass, part);
                else gsim_parallel_mlp(&p, !pass, part);
                join(&p, t);
            }
    return gsim_parallel_finish(&p, program, error);
}

const struct gsim_generator_ops gsim_generator_tensor_parallel = {
    GSIM_HEAD(generator),
    .name = "tensor-parallel",
    .summary = "a transformer divided within its layers, as Megatron-LM does (--ranks)",
    .help = "One rank of gpusim --ranks N --workload tensor-parallel.",
    GSIM_PARAMS(struct tensor_params,
        GSIM_TRANSFORMER_PARAMS(struct tensor_params),
        GSIM_INT(struct tensor_params, ranks, 2, 1, 1024, "", "that divide a layer: as many as --ranks"),
        GSIM_BOOL(struct tensor_params, sequence, 0, "sequence parallel: reduce-scatter and all-gather"),
        GSIM_BOOL(struct tensor_params, backward, 1, "the backward pass, too")),
    .build = build,
};
