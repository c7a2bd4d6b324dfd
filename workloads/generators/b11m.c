/* SPDX-License-Identifier: GPL-3.0-or-later */
/* b11m: GrCUDA's dense matrix-vector product for several GPUs (necst/grcuda, cuda/multi_gpu/b11.cu): the matrix comes
 * from the host each time. */
#include "workloads/generators/matvec.h"

static const struct gsim_partitioned_cost copy_cost = {0, 8, 450, 0, 16}; /* assumed: a load and a store */

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_partitioned p;
    (void)seed;
    if (!gsim_partitioned_begin(&p, "b11m", params, error)) return error->status;
    double n = p.params->size, slice = floor(n / (double)p.params->partitions) * 4;
    int parts = (int)p.params->partitions;
    uint32_t x[256], z[256], y = gsim_partitioned_buffer(&p, "y", -1, n, 4, GSIM_INIT_HOST),
                             out = gsim_partitioned_buffer(&p, "z_out", -1, n, 4, GSIM_INIT_NONE);
    for (int i = 0; i < parts; i++) {
        x[i] = gsim_partitioned_buffer(&p, "x", i, p.part * n, 4, GSIM_INIT_HOST);
        z[i] = gsim_partitioned_buffer(&p, "z", i, p.part, 4, GSIM_INIT_NONE);
        gsim_bench_reset(&p.bench, x[i], p.part * n * 4);
    }
    gsim_bench_reset(&p.bench, y, n * 4);
    for (int i = 0; i < parts; i++) {
        const struct gsim_partitioned_launch product = gsim_matvec_launch(&p, "matrix_vector_mult", i, i);
        gsim_partitioned_launch(&p, &product, GSIM_ARGS(GSIM_IN(x[i]), GSIM_IN(y), GSIM_OUT(z[i])));
        const struct gsim_partitioned_launch copy = {.name = "copy",
                                                     .cost = &copy_cost,
                                                     .items = p.part,
                                                     .partition = i,
                                                     .stream = i,
                                                     .slice_arg = 2,
                                                     .slice_bytes = slice};
        gsim_partitioned_launch(&p, &copy, GSIM_ARGS(GSIM_IN(z[i]), GSIM_OUT(out)));
    }
    gsim_bench_host_read(&p.bench, out, 4);
    return gsim_builder_finish(p.bench.builder, 1, program, error);
}

static const struct gsim_param params_table[] = {GSIM_PARTITIONED_PARAMS(
    2e4, "rows and columns of the matrix (published: 2e4 to 6e4)", 16, "of the rows (published: 16)", 256)};

const struct gsim_generator_ops gsim_generator_b11m = {
    GSIM_HEAD(generator),
    .name = "b11m",
    .summary = "GrCUDA's dense matrix-vector product for several GPUs",
    .help = "The host writes the matrix before every iteration. Partition i is for GPU i modulo gpus.",
    .params_size = sizeof(struct gsim_partitioned_params),
    .params = params_table,
    .build = build,
};
