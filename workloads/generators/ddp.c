/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ddp: a step of data-parallel training on one rank: gradients are reduced in buckets beside the backward pass
 * (PyTorch's DistributedDataParallel). */
#include "workloads/generators/parallel.h"

struct ddp_params {
    struct gsim_transformer model;
    double bucket_mib;
};

static void reduce(struct gsim_parallel *p, double *open)
{
    const struct gsim_collective what = {.kind = GSIM_COLLECTIVE_ALL_REDUCE, .bytes = gsim_whole_u64(*open)};
    if (what.bytes) gsim_parallel_collective(p, &what, 1, p->last[0]);
    *open = 0;
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct ddp_params *d = params;
    struct gsim_parallel p = gsim_parallel_begin("ddp", &d->model);
    double open = 0, bucket = d->bucket_mib * 1048576;
    (void)seed;
    for (int64_t l = 0; l < d->model.layers; l++) {
        gsim_parallel_attention(&p, true, 1);
        gsim_parallel_mlp(&p, true, 1);
    }
    for (int64_t l = 0; l < d->model.layers; l++)
        for (int half = 0; half < 2; half++) {
            if (half) gsim_parallel_attention(&p, false, 1);
            else gsim_parallel_mlp(&p, false, 1);
            open += gsim_parallel_layer_bytes(&p) * (half ? 4 : 8) / 12;
            if (open >= bucket) reduce(&p, &open);
        }
    reduce(&p, &open);
    gsim_parallel_await(&p, p.last[1]);
    gsim_parallel_sweep(&p, "optimizer", (double)d->model.layers * gsim_parallel_layer_bytes(&p) * 3);
    return gsim_parallel_finish(&p, program, error);
}

const struct gsim_generator_ops gsim_generator_ddp = {
    GSIM_HEAD(generator),
    .name = "ddp",
    .summary = "a step of data-parallel training: gradients reduced in buckets (--ranks)",
    .help = "One rank of gpusim --ranks N --workload ddp.",
    GSIM_PARAMS(struct ddp_params,
        GSIM_TRANSFORMER_PARAMS(struct ddp_params),
        GSIM_REAL(struct ddp_params, bucket_mib, 25, 0.001, 1e6, "MiB", "of gradients that are reduced together")),
    .build = build,
};
