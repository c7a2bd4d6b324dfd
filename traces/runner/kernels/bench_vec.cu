/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * VEC's real kernels: squares of two vectors, and the sum of their differences. x is in [0.5, 1) and y in [0, 0.5), so
 * that nothing cancels and every element counts. Program and costs: workloads/vec.c.
 */
#include "traces/runner/kernels/kernel.h"

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

struct square_args {
    const float *x;
    float *square;
    int64_t n;
};

GSIM_KERNEL(square)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) a.square[i] = a.x[i] * a.x[i];
    }
}

struct reduce_args {
    const float *x, *y;
    float *sum;
    int64_t n;
};

/* A thread's own sum is in double precision; one atomic addition per warp. */
GSIM_KERNEL(reduce)
{
    GSIM_PRIVATE(float, sum, 1);
    GSIM_THREADS
    {
        double own = 0;
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) own += a.x[i] - a.y[i];
        GSIM_MINE(sum)[0] = (float)own;
    }
    GSIM_WARP_REDUCE(sum, gsim_add);
    GSIM_THREADS
    {
        if (GSIM_THREAD % GSIM_WARP == 0) gsim_atomic_add(a.sum, GSIM_MINE(sum)[0]);
    }
}

static const struct gsim_bench_buffer buffers[] = {
    {"x", GSIM_CONTENT_F32, 0.5f, 1.0f, false},
    {"y", GSIM_CONTENT_F32, 0.0f, 0.5f, false},
    {"res", GSIM_CONTENT_CONSTANT, 0.0f, 0.0f, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"square", GSIM_CODE(square), 2, 0, gsim_bench_size_scalar},
    {"reduce", GSIM_CODE(reduce), 3, 0, gsim_bench_size_scalar},
    {NULL, NULL, NULL, 0, 0, NULL},
};

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    double *expected = (double *)bench->reference;
    uint32_t res = gsim_bench_index(bench, "res");
    if (!expected) {
        const struct gsim_values x = gsim_bench_values(bench, gsim_bench_index(bench, "x"));
        const struct gsim_values y = gsim_bench_values(bench, gsim_bench_index(bench, "y"));
        bench->reference = expected = (double *)gsim_alloc(sizeof(*expected));
        for (int64_t i = 0; i < bench->n; i++) {
            double xi = gsim_value_f32(&x, i), yi = gsim_value_f32(&y, i);
            *expected += xi * xi - yi * yi;
        }
    }
    double found = *(const float *)host[res], allowed = 1e-4 * *expected;
    return gsim_bench_compare(bench, res, 0, found, *expected, allowed, error);
}

GSIM_BENCH(
    vec, NULL, gsim_bench_is_result, check, INT64_MAX, NULL,
    "the sum over all elements, recomputed in double precision: within 1e-4 of it (float additions in any order)")
