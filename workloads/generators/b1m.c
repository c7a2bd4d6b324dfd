/* SPDX-License-Identifier: GPL-3.0-or-later */
/* b1m: GrCUDA's VEC in partitions (necst/grcuda, cuda/multi_gpu/b1.cu): of each two squares and a reduction; the host
 * adds the results. */
#include "workloads/generators/partitioned.h"

/* As vec's of the grcuda suite (workloads/vec.c). */
static const struct gsim_partitioned_cost square_cost = {1, 8, 265, 0, 8}, reduce_cost = {2, 8, 0, 0, 11};

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_partitioned p;
    (void)seed;
    if (!gsim_partitioned_begin(&p, "b1m", params, error)) return error->status;
    int parts = (int)p.params->partitions;
    uint32_t buffers[5][256];
    for (int i = 0; i < parts; i++) {
        static const char *const names[] = {"x", "y", "x1_", "y1_"};
        for (int k = 0; k < 4; k++)
            buffers[k][i] =
                gsim_partitioned_buffer(&p, names[k], i, p.part, 4, k < 2 ? GSIM_INIT_HOST : GSIM_INIT_NONE);
        buffers[4][i] = gsim_partitioned_buffer(&p, "res", i, 1, 4, GSIM_INIT_HOST);
    }
    for (int i = 0; i < parts; i++) {
        for (int k = 0; k < 2; k++) gsim_bench_reset(&p.bench, buffers[k][i], p.part * 4);
        gsim_bench_reset(&p.bench, buffers[4][i], 4);
    }
    for (int i = 0; i < parts; i++) {
        struct gsim_partitioned_launch l = {
            .name = "square", .cost = &square_cost, .items = p.part, .partition = i, .stream = 2 * i};
        gsim_partitioned_launch(&p, &l, GSIM_ARGS(GSIM_IN(buffers[0][i]), GSIM_OUT(buffers[2][i])));
        l.stream = 2 * i + 1;
        gsim_partitioned_launch(&p, &l, GSIM_ARGS(GSIM_IN(buffers[1][i]), GSIM_OUT(buffers[3][i])));
        l = (struct gsim_partitioned_launch){
            .name = "reduce", .cost = &reduce_cost, .items = p.part, .partition = i, .stream = 2 * i};
        gsim_partitioned_launch(&p, &l,
                                GSIM_ARGS(GSIM_IN(buffers[2][i]), GSIM_IN(buffers[3][i]), GSIM_INOUT(buffers[4][i])));
    }
    for (int i = 0; i < parts; i++) gsim_bench_host_read(&p.bench, buffers[4][i], 4);
    return gsim_builder_finish(p.bench.builder, 1, program, error);
}

static const struct gsim_param params_table[] = {GSIM_PARTITIONED_PARAMS(
    1.6e8, "elements of a vector (published: 1.6e8 to 9.5e8)", 16, "of the vectors (published: 16)", 32)};

const struct gsim_generator_ops gsim_generator_b1m = {
    GSIM_HEAD(generator),
    .name = "b1m",
    .summary = "GrCUDA's VEC for several GPUs: squares and a reduction of each partition",
    .help = "Costs are those of vec. Partition i is for GPU i modulo gpus.",
    .params_size = sizeof(struct gsim_partitioned_params),
    .params = params_table,
    .build = build,
};
