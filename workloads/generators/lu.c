/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lu: the tiled factorisation without pivoting as StarPU's users know it: getrf, trsm of a row and a column, gemm,
 * right-looking. */
#include "workloads/generators/matrix.h"

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_matrix t;
    const struct gsim_matrix_params *p = params;
    (void)seed;
    if (!gsim_matrix_begin(&t, "lu", params, false, error)) return error->status;
    for (int64_t k = 0; k < p->tiles; k++) {
        uint32_t pivot = gsim_tile_at(&t, k, k);
        gsim_matrix_launch(&t, "getrf", 2.0 / 3, p->potrf_us, GSIM_ARGS(GSIM_INOUT(pivot)));
        for (int64_t i = k + 1; i < p->tiles; i++) {
            gsim_matrix_launch(&t, "trsm_row", 1, p->trsm_us,
                               GSIM_ARGS(GSIM_IN(pivot), GSIM_INOUT(gsim_tile_at(&t, k, i))));
            gsim_matrix_launch(&t, "trsm_column", 1, p->trsm_us,
                               GSIM_ARGS(GSIM_IN(pivot), GSIM_INOUT(gsim_tile_at(&t, i, k))));
        }
        for (int64_t i = k + 1; i < p->tiles; i++)
            for (int64_t j = k + 1; j < p->tiles; j++)
                gsim_matrix_launch(&t, "gemm", 2, p->gemm_us,
                                   GSIM_ARGS(GSIM_IN(gsim_tile_at(&t, i, k)), GSIM_IN(gsim_tile_at(&t, k, j)),
                                             GSIM_INOUT(gsim_tile_at(&t, i, j))));
    }
    return gsim_matrix_finish(&t, program, error);
}

const struct gsim_generator_ops gsim_generator_lu = {
    GSIM_HEAD(generator),
    .name = "lu",
    .summary = "tiled LU factorisation without pivoting: getrf, trsm, gemm",
    .help = "Doubles. A tile is a buffer. Times of kernels are those of their flops and bytes, or as given.",
    GSIM_PARAMS(struct gsim_matrix_params,
        GSIM_MATRIX_PARAMS,
        GSIM_MATRIX_TIME(potrf_us, "time of a getrf"),
        GSIM_MATRIX_TIME(trsm_us, "of a trsm"),
        GSIM_MATRIX_TIME(gemm_us, "of a gemm")),
    .build = build,
};
