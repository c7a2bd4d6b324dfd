/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: workloads (helper of cholesky and lu). Matrices of doubles in square tiles, a buffer and a kernel for each. */
#pragma once

#include "gpusim/generator.h"
#include "workloads/bench.h"

#define GSIM_MATRIX_MAX 128

struct gsim_matrix_params {
    int64_t tiles, tile;
    double potrf_us, trsm_us, syrk_us, gemm_us; /* LU: getrf has potrf's */
};

#define GSIM_MATRIX_PARAMS                                                                                             \
    GSIM_INT(struct gsim_matrix_params, tiles, 10, 1, GSIM_MATRIX_MAX, "", "in a row"),                                \
    GSIM_INT(struct gsim_matrix_params, tile, 960, 16, 16384, "", "rows of a tile (StarPU's examples: 960)")
#define GSIM_MATRIX_TIME(field, help)                                                                                  \
    GSIM_REAL(struct gsim_matrix_params, field, 0, 0, 1e9, "us", help " (0: its flops and bytes)")

struct gsim_matrix {
    const struct gsim_matrix_params *params;
    struct gsim_builder *b;
    uint32_t *buffers; /* by row and column */
};

static inline uint32_t gsim_tile_at(const struct gsim_matrix *t, int64_t row, int64_t column)
{
    return t->buffers[row * t->params->tiles + column];
}

/* LOWER: the tiles above the diagonal are not there. */
static inline bool gsim_matrix_begin(struct gsim_matrix *t, const char *name, const void *params, bool lower,
                                     struct gsim_error *error)
{
    *t = (struct gsim_matrix){.params = params, .b = gsim_builder_create(name)};
    int64_t n = t->params->tiles;
    t->buffers = gsim_alloc(sizeof *t->buffers * (size_t)(n * n));
    if (!t->b || !t->buffers) {
        gsim_builder_destroy(t->b);
        gsim_free(t->buffers);
        gsim_no_memory(error);
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : n); j++) {
            char text[48];
            snprintf(text, sizeof text, "A%lld_%lld", (long long)i, (long long)j);
            t->buffers[i * n + j] =
                gsim_builder_buffer(t->b, text, (uint64_t)(t->params->tile * t->params->tile) * 8, GSIM_INIT_HOST);
        }
    return true;
}

/* A kernel of FLOPS, in units of tile cubed, on as many tiles as it has arguments. US above 0: it takes that long. */
static inline void gsim_matrix_launch(struct gsim_matrix *t, const char *name, double flops, double us,
                                      const struct gsim_arg *args, size_t count)
{
    double side = (double)t->params->tile;
    uint32_t blocks = (uint32_t)((t->params->tile + 63) / 64);
    struct gsim_kernel kernel = {.name = name,
                                 .grid = {blocks, blocks, 1},
                                 .block = {256, 1, 1},
                                 .regs_per_thread = 64,
                                 .fp64 = true,
                                 .demand_given = true,
                                 .flops = flops * side * side * side,
                                 .dram_bytes = (double)count * side * side * 8,
                                 .solo_us = us};
    if (us > 0) kernel.demand_given = false, kernel.flops = kernel.dram_bytes = 0;
    gsim_builder_op(t->b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                            .kernel_index = gsim_builder_kernel(t->b, &kernel),
                                            .args = args,
                                            .arg_count = (uint32_t)count,
                                            .stream = -1});
}

static inline enum gsim_status gsim_matrix_finish(struct gsim_matrix *t, struct gsim_program *program,
                                                  struct gsim_error *error)
{
    gsim_free(t->buffers);
    return gsim_builder_finish(t->b, 1, program, error);
}
