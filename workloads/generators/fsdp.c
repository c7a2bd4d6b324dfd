/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsdp: fully sharded data-parallel training: a layer's parameters are gathered before it, its gradients scattered
 * behind it (PyTorch's FSDP, ZeRO-3). */
#include "workloads/generators/parallel.h"

struct fsdp_params {
    struct gsim_transformer model;
    int64_t ahead;
};

static uint32_t gather(struct gsim_parallel *p, uint32_t after)
{
    const struct gsim_collective what = {.kind = GSIM_COLLECTIVE_ALL_GATHER,
                                         .bytes = gsim_whole_u64(gsim_parallel_layer_bytes(p))};
    return gsim_parallel_collective(p, &what, 1, after);
}

/* Layers in order, gathered so many ahead; a gather waits until the layer AHEAD before has computed, so that its memory
 * is free. */
static void pass(struct gsim_parallel *p, const struct fsdp_params *f, bool forward)
{
    const struct gsim_collective scatter = {.kind = GSIM_COLLECTIVE_REDUCE_SCATTER,
                                            .bytes = gsim_whole_u64(gsim_parallel_layer_bytes(p))};
    uint32_t gathered[1000];
    int64_t next = 0;
    for (int64_t l = 0; l < f->model.layers; l++) {
        for (; next <= l + f->ahead && next < f->model.layers; next++)
            gathered[next] = gather(p, l ? p->last[0] : UINT32_MAX);
        gsim_parallel_await(p, gathered[l]);
        if (forward) gsim_parallel_attention(p, true, 1);
        gsim_parallel_mlp(p, forward, 1);
        if (!forward) gsim_parallel_attention(p, false, 1);
        if (!forward) gsim_parallel_collective(p, &scatter, 2, p->last[0]);
    }
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct fsdp_params *f = params;
    struct gsim_parallel p = gsim_parallel_begin("fsdp", &f->model);
    (void)seed;
    pass(&p, f, true);
    pass(&p, f, false);
    gsim_parallel_await(&p, p.last[2]);
    gsim_parallel_sweep(&p, "optimizer", gsim_parallel_layer_bytes(&p));
    return gsim_parallel_finish(&p, program, error);
}

const struct gsim_generator_ops gsim_generator_fsdp = {
    GSIM_HEAD(generator),
    .name = "fsdp",
    .summary = "a step of fully sharded data-parallel training: parameters gathered layer by layer (--ranks)",
    .help = "One rank of gpusim --ranks N --workload fsdp.",
    GSIM_PARAMS(struct fsdp_params,
        GSIM_TRANSFORMER_PARAMS(struct fsdp_params),
        GSIM_INT(struct fsdp_params, ahead, 1, 0, 100, "", "layers whose parameters are gathered ahead")),
    .build = build,
};
