/* SPDX-License-Identifier: GPL-3.0-or-later */
/* b5m: GrCUDA's Black-Scholes for several GPUs (necst/grcuda, cuda/multi_gpu/b5.cu): independent vectors of doubles. */
#include "workloads/generators/partitioned.h"

/* As bs's (workloads/bs.c). */
static const struct gsim_partitioned_cost bs_cost = {200, 16, 1250, 0, 38};

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_partitioned p;
    (void)seed;
    if (!gsim_partitioned_begin(&p, "b5m", params, error)) return error->status;
    int vectors = (int)p.params->partitions;
    double n = p.params->size;
    uint32_t x[256], y[256];
    for (int i = 0; i < vectors; i++) {
        x[i] = gsim_partitioned_buffer(&p, "x", i, n, 8, GSIM_INIT_HOST);
        y[i] = gsim_partitioned_buffer(&p, "y", i, n, 8, GSIM_INIT_NONE);
        gsim_bench_reset(&p.bench, x[i], n * 8);
    }
    for (int i = 0; i < vectors; i++) {
        const struct gsim_partitioned_launch l = {
            .name = "bs", .cost = &bs_cost, .items = n, .partition = i, .stream = i, .fp64 = true};
        gsim_partitioned_launch(&p, &l, GSIM_ARGS(GSIM_IN(x[i]), GSIM_OUT(y[i])));
    }
    for (int i = 0; i < vectors; i++) gsim_bench_host_read(&p.bench, y[i], 8);
    return gsim_builder_finish(p.bench.builder, 1, program, error);
}

static const struct gsim_param params_table[] = {GSIM_PARTITIONED_PARAMS(
    1e7, "elements of a vector (published: 1e7 to 3.5e7)", 24, "vectors (published: 24)", 1024)};

const struct gsim_generator_ops gsim_generator_b5m = {
    GSIM_HEAD(generator),
    .name = "b5m",
    .summary = "GrCUDA's Black-Scholes for several GPUs: independent vectors of doubles",
    .help = "Costs are those of bs. Vector i is for GPU i modulo gpus.",
    .params_size = sizeof(struct gsim_partitioned_params),
    .params = params_table,
    .build = build,
};
