/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cholesky: the tiled factorisation as StarPU's, PaRSEC's and Chameleon's users know it: potrf, trsm, syrk, gemm,
 * right-looking. */
#include "workloads/generators/matrix.h"

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_matrix t;
    const struct gsim_matrix_params *p = params;
    (void)seed;
    if (!gsim_matrix_begin(&t, "cholesky", params, true, error)) return error->status;
    for (int64_t k = 0; k < p->tiles; k++) {
        gsim_matrix_launch(&t, "potrf", 1.0 / 3, p->potrf_us, GSIM_ARGS(GSIM_INOUT(gsim_tile_at(&t, k, k))));
        for (int64_t i = k + 1; i < p->tiles; i++)
            gsim_matrix_launch(&t, "trsm", 1, p->trsm_us,
                               GSIM_ARGS(GSIM_IN(gsim_tile_at(&t, k, k)), GSIM_INOUT(gsim_tile_at(&t, i, k))));
        for (int64_t i = k + 1; i < p->tiles; i++) {
            for (int64_t j = k + 1; j < i; j++)
                gsim_matrix_launch(&t, "gemm", 2, p->gemm_us,
                                   GSIM_ARGS(GSIM_IN(gsim_tile_at(&t, i, k)), GSIM_IN(gsim_tile_at(&t, j, k)),
                                             GSIM_INOUT(gsim_tile_at(&t, i, j))));
            gsim_matrix_launch(&t, "syrk", 1, p->syrk_us,
                               GSIM_ARGS(GSIM_IN(gsim_tile_at(&t, i, k)), GSIM_INOUT(gsim_tile_at(&t, i, i))));
        }
    }
    return gsim_matrix_finish(&t, program, error);
}

const struct gsim_generator_ops gsim_generator_cholesky = {
    GSIM_HEAD(generator),
    .name = "cholesky",
    .summary = "tiled Cholesky factorisation: potrf, trsm, syrk, gemm",
    .help = "Doubles. A tile is a buffer. Times of kernels are those of their flops and bytes, or as given.",
    GSIM_PARAMS(struct gsim_matrix_params,
        GSIM_MATRIX_PARAMS,
        GSIM_MATRIX_TIME(potrf_us, "time of a potrf"),
        GSIM_MATRIX_TIME(trsm_us, "of a trsm"),
        GSIM_MATRIX_TIME(syrk_us, "of a syrk"),
        GSIM_MATRIX_TIME(gemm_us, "of a gemm")),
    .build = build,
};
